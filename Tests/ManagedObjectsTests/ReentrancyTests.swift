import Foundation
import ManagedObjects
import Testing

@Suite("Callbacks that use the context") struct ReentrancyTests {
  final class Page: ManagedObject {
    @Attribute var title = ""
    @Attribute var scan: Data?
    @Attribute var words = 0
    var onValidation: (() -> Void)?
    var onSnapshot: (() -> Void)?

    override func validateValue(_ value: inout AttributeValue, forKey key: String) { onValidation?() }

    override func awake(fromSnapshotEvents events: SnapshotEventType) { onSnapshot?() }
  }

  private let context: ManagedObjectContext
  private let page: Page

  init() throws {
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Page.self))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    context = ManagedObjectContext(coordinator: coordinator)
    page = try context.insert(Page.self)
    page.title = "a"
    try context.save()
  }

  @Test func `an object can become a fault while it is validated`() throws {
    page.title = "b"
    page.onValidation = { [context, page] in
      do { try context.refresh(page, mergeChanges: false) } catch { Issue.record(error) }
    }
    try context.save()
    #expect(page.title == "a" && !context.hasChanges)
  }
}
