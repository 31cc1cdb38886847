import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Statements of lists that make objects when they are touched") struct LazyFetchStatementTests {
  final class Page: ManagedObject {
    @Attribute var number = 0
    @Attribute var text = ""
    @Relationship var sheet: Sheet?
  }

  final class Sheet: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Page.sheet) var pages: Set<Page>
  }

  private static let model: ManagedObjectModel = {
    do { return try ManagedObjectModel(Page.self, Sheet.self) } catch { fatalError("\(error)") }
  }()

  private let folder = TemporaryFolder(isInMemory: true)
  private let store: SQLiteStore
  private let context: ManagedObjectContext

  init() throws {
    store = try SQLiteStore(folder.url.appending(path: "a.sqlite"), model: Self.model)
    context = try ManagedObjectContext(store)
  }

  private func insertPages(_ count: Int) throws {
    let values = (0..<count).lazy.map { ["number": AttributeValue.integer(Int64($0)), "text": .string("text \($0)")] }
    try context.execute(.insert("Page", values).returning(.count))
    // The first request after other changes needs one more statement.
    #expect(try context.count(Page.self) == count)
  }

  private func statements(_ body: () throws -> Void) rethrows -> Int {
    let before = store.executedStatementCount
    try body()
    return store.executedStatementCount - before
  }

  @Test func `touching 10 of 10 000 objects registers 10, with two statements`() throws {
    try insertPages(10_000)
    var held: [Page] = []
    let count = try statements {
      let pages = try context.fetchLazily(Page.self, sortedBy: .descending(\.number))
      #expect(pages.count == 10_000)
      held = Array(pages[5_130..<5_140])
      #expect(held.map(\.number) == (0..<10).map { 4_869 - $0 })
    }
    #expect(count == 2)
    #expect(context.registeredObjects.count == 10)
    let scattered = try statements {
      let pages = try context.fetchLazily(Page.self, sortedBy: .ascending(\.number))
      held = (0..<10).map { pages[$0 * 999] }
      #expect(held.map(\.text) == (0..<10).map { "text \($0 * 999)" })
    }
    #expect(scattered == 11 && context.registeredObjects.count == 10)
  }

  @Test func `10 000 objects are read with at most 6 statements, in either direction`() throws {
    try insertPages(10_000)
    for isReversed in [false, true] {
      let count = try statements {
        let pages = try context.fetchLazily(Page.self, sortedBy: .ascending(\.number))
        let array = isReversed ? pages.reversed() : Array(pages)
        let numbers = array.map(\.number)
        #expect(numbers == (isReversed ? (0..<10_000).reversed() : Array(0..<10_000)))
      }
      #expect(count <= 6)
    }
    let released = try statements {
      var sum = 0
      for page in try context.fetchLazily(Page.self) { sum += page.number }
      #expect(sum == 49_995_000)
    }
    #expect(released <= 6 && context.registeredObjects.isEmpty)
  }

  @Test func `a batch size is the size of all windows`() throws {
    try insertPages(100)
    var request = FetchRequest("Page", sortedBy: [.init("number")])
    request.fetchBatchSize = 20
    let pages = try context.fetchLazily(request)
    #expect(statements { for index in [25, 39, 20, 31] { _ = pages[index]["text"] } } == 1)
    #expect(statements { _ = pages[40]["text"] } == 1)
    // The rows of the last two windows are kept.
    #expect(statements { for index in [25, 45, 59] { _ = pages[index]["text"] } } == 0)
    #expect(statements { for page in pages { _ = page["text"] } } == 5)
  }

  @Test func `objects of the program are not read again`() throws {
    try insertPages(300)
    let array = try context.fetch(Page.self, sortedBy: .ascending(\.number))
    let pages = try context.fetchLazily(Page.self, sortedBy: .ascending(\.number))
    let count = statements { #expect(pages.elementsEqual(array)) }
    #expect(count == 0)
  }

  /// Inserts sheets with two pages each. Every eighth page has a long text.
  private func insertSheets(_ count: Int) throws {
    for number in 0..<count {
      let sheet = try context.insert(Sheet.self)
      sheet.name = "sheet \(number)"
      for index in 0..<2 {
        let page = try context.insert(Page.self)
        page.number = 2 * number + index
        page.sheet = sheet
        if page.number % 8 == 0 { page.text = String(repeating: "long ", count: 500) }
      }
    }
    try context.save()
    context.reset()
  }

  @Test func `the objects of a to-one relationship are read once for each window`() throws {
    try insertSheets(60)
    var request = FetchRequest("Page", sortedBy: [.init("number")])
    request.fetchBatchSize = 40
    let pages = try context.fetchLazily(request)
    let count = statements {
      for case let page as Page in pages { #expect(page.sheet?.name == "sheet \(page.number / 2)") }
    }
    #expect(count == 6)
    request.usesBatchFaulting = false
    let single = try context.fetchLazily(request)
    #expect(statements { for case let page as Page in single.prefix(10) { _ = page.sheet?.name } } == 11)
    #expect(context.misuse.isEmpty)
  }

  @Test func `objects of relationships are released with their windows`() throws {
    try insertSheets(60)
    do {
      let pages = try context.fetchLazily(Page.self)
      for page in pages.prefix(20) { #expect(page.sheet != nil) }
      #expect(pages[0].sheet?.name == "sheet 0" && context.registeredObjects.count == 60)
    }
    #expect(context.registeredObjects.isEmpty)
  }

  @Test(arguments: [false, true]) func `relationships of a window are read together`(isToMany: Bool) throws {
    try insertSheets(60)
    var request = FetchRequest(isToMany ? "Sheet" : "Page")
    request.fetchBatchSize = 30
    request.relationshipKeyPathsForPrefetching = [isToMany ? "pages" : "sheet"]
    let list = try context.fetchLazily(request)
    let count = statements {
      for object in list {
        if let page = object as? Page { #expect(page.sheet?.name == "sheet \(page.number / 2)") }
        if let sheet = object as? Sheet { #expect(sheet.pages.map(\.number).sorted().map { $0 / 2 }.count == 2) }
      }
    }
    // Two windows of sheets with their rows, relationships and pages; four windows of pages with their sheets.
    #expect(count <= (isToMany ? 6 : 8))
    #expect(context.misuse.isEmpty)
  }

  @Test func `rows are read with the attributes that the request leaves out`() throws {
    try insertPages(20)
    var request = FetchRequest("Page", sortedBy: [.init("number")])
    request.propertiesToFetch = [.property("number")]
    let pages = try context.fetchLazily(request)
    let count = statements {
      let page = pages[3]
      #expect(page["number"] == .attribute(.integer(3)) && page["text"] == .attribute(.string("text 3")))
    }
    #expect(count == 1)
  }
}
