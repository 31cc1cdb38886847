import ManagedObjects
import Observation
import Synchronization

/// Classes with all kinds of properties that can be tracked.
enum ObservationSamples {
  final class Paper: ManagedObject {
    @Attribute var title = ""
    @Attribute var pages = 1
    @Attribute(.transient) var length = 0
    @Relationship(inverse: \Writer.papers) var author: Writer?
    @Relationship(inverse: \Topic.papers) var topics: [Topic]
    @Relationship(inverse: \Remark.paper, deleteRule: .cascade) var remarks: Set<Remark>

    override func awakeFromFetch() { length = title.count }
  }

  final class Writer: ManagedObject {
    @Attribute var name = ""
    @Relationship var papers: Set<Paper>
    @FetchedProperty("author == $FETCH_SOURCE AND pages > 1", sortedBy: [.init("pages"), .init("title")])
    var longPapers: [Paper]
  }

  final class Topic: ManagedObject {
    @Attribute var name = ""
    @Relationship var papers: Set<Paper>
  }

  final class Remark: ManagedObject {
    @Attribute var text = ""
    @Relationship var paper: Paper?
  }

  static let classes: [ManagedObject.Type] = [Paper.self, Writer.self, Topic.self, Remark.self]

  static func coordinator() throws -> PersistentStoreCoordinator {
    let model = try ManagedObjectModel(classes: classes)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    return coordinator
  }

  static func context() throws -> ManagedObjectContext { ManagedObjectContext(coordinator: try coordinator()) }
}

/// The number of calls of a function.
final class CallCount: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }

  func increase() { number.add(1, ordering: .relaxed) }
}

/// Tracks the values that a function reads, and counts the reports of changes, of which there can be one.
@discardableResult
func tracked(_ read: () -> some Any) -> CallCount {
  let count = CallCount()
  withObservationTracking {
    _ = read()
  } onChange: {
    count.increase()
  }
  return count
}
