import FoundationEssentials
import ManagedObjects
import TestSupport
import Testing

@Suite("Derived attributes") struct DerivedAttributeTests {
  class Shelf: ManagedObject {
    @Attribute var name = ""
    @Attribute(.derived("books.@count")) private(set) var bookCount: Int
    @Relationship(inverse: \Book.shelf) var books: Set<Book>
  }

  class Book: ManagedObject {
    @Attribute var title = ""
    @Attribute(.transient) var mark = 0
    @Attribute(.derived("pages.@count")) private(set) var pageCount: Int
    @Attribute(.derived("loose.@count")) private(set) var looseCount: Int
    @Relationship var shelf: Shelf?
    @Relationship(inverse: \Page.book) var pages: Set<Page>
    @Relationship var loose: Set<Page>
  }

  final class GraphicNovel: Book {
    @Attribute var isColored = false
  }

  final class Page: ManagedObject {
    @Attribute var words = 0
    @Relationship var book: Book?
  }

  private static let model = Result {
    try ManagedObjectModel(Shelf.self, Book.self, GraphicNovel.self, Page.self)
  }

  /// The same entities with derivations for which SQLite stores have no triggers.
  private static let wideModel = Result {
    func derived(_ name: String, _ type: AttributeType, _ format: String) throws -> PropertyDescription {
      var attribute = AttributeDescription(name, type)
      attribute.derivation = .init(try ManagedExpression(format: format))
      return .attribute(attribute)
    }
    var longPages = AttributeDescription("longPages", .integer16)
    longPages.derivation = .init(
      try ManagedExpression(format: "pages.@count"), filter: try ManagedPredicate(format: "words > 50"))
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Shelf",
        [
          .attribute("name", .string), try derived("words", .integer64, "books.@sum.words"),
          .relationship("books", to: "Book", inverse: "shelf", isToMany: true),
        ]),
      EntityDescription(
        "Book",
        [
          .attribute("title", .string), try derived("search", .string, "canonical:(title)"),
          try derived("loud", .string, "uppercase:(title)"), try derived("shelfName", .string, "shelf.name"),
          try derived("quietShelf", .string, "lowercase:(shelf.name)"), try derived("saved", .date, "now()"),
          try derived("words", .integer64, "pages.@sum.words"), try derived("coverWords", .integer64, "cover.words"),
          try derived("looseWords", .double, "sum:(loose.words)"), .attribute(longPages),
          .relationship("shelf", to: "Shelf", inverse: "books"), .relationship("cover", to: "Page"),
          .relationship("pages", to: "Page", inverse: "book", isToMany: true),
          .relationship("loose", to: "Page", isToMany: true),
        ]),
      EntityDescription(
        "Page", [.attribute("words", .integer64), .relationship("book", to: "Book", inverse: "pages")]),
    ])
  }

  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind, isWide: Bool = false) throws -> ManagedObjectContext {
    ManagedObjectContext(
      coordinator: try kind.coordinator((isWide ? Self.wideModel : Self.model).get(), folder))
  }

  @Test(arguments: StoreKind.allCases)
  func `a count is computed by each save that changes the relationship`(kind: StoreKind) throws {
    let context = try context(kind)
    let (book, other) = (try context.insert(GraphicNovel.self), try context.insert(Book.self))
    let pages = try (0..<3).map { _ in try context.insert(Page.self) }
    book.pages = Set(pages)
    other.loose = [pages[0]]
    #expect(book.pageCount == 0, "it is not computed before the save")
    try context.save()
    #expect([book.pageCount, book.looseCount, other.pageCount, other.looseCount] == [3, 0, 0, 1])
    // From the other side, from one to another, and without a change of the relationship.
    pages[0].book = other
    book.loose = [pages[1], pages[2]]
    pages[2].words = 5
    try context.save()
    #expect([book.pageCount, book.looseCount, other.pageCount, other.looseCount] == [2, 2, 1, 1])
    for page in pages.prefix(2) { try context.delete(page) }
    try context.save()
    #expect([book.pageCount, book.looseCount, other.pageCount, other.looseCount] == [1, 1, 0, 0])
    let again = ManagedObjectContext(coordinator: context.coordinator)
    let found = try again.fetch(FetchRequest("Book", where: ManagedPredicate(format: "pageCount == 1")))
    #expect(found.map(\.objectID) == [book.objectID])
    #expect(found.first?["looseCount"] == .attribute(.integer(1)))
  }

  @Test(arguments: StoreKind.allCases)
  func `a save that computes a value keeps transient values`(kind: StoreKind) throws {
    let context = try context(kind)
    let book = try context.insert(Book.self)
    (book.mark, book.pages) = (5, [try context.insert(Page.self)])
    try context.save()
    #expect(book.mark == 5 && book.pageCount == 1)
    book.pages = []
    try context.save()
    #expect(book.mark == 5 && book.pageCount == 0 && !context.hasChanges)
    book.title = "a"
    try context.save()
    #expect(try ManagedObjectContext(coordinator: context.coordinator).fetch(Book.self).map(\.title) == ["a"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a value that a program sets is replaced`(kind: StoreKind) throws {
    let context = try context(kind)
    let book = try context.insert(Book.self)
    try book.setValue(.integer(7), forKey: "pageCount")
    try context.save()
    #expect(book.pageCount == 0)
    try book.setValue(.integer(7), forKey: "pageCount")
    try context.save()
    #expect(book.pageCount == 0 && !context.hasChanges)
    book.title = "a"
    try book.setValue(.integer(7), forKey: "pageCount")
    book.pages = [try context.insert(Page.self)]
    try context.save()
    #expect(book.pageCount == 1 && book.title == "a")
  }

  @Test(arguments: StoreKind.allCases)
  func `a context with older values can save an object whose count changed`(kind: StoreKind) throws {
    let context = try context(kind)
    let book = try context.insert(Book.self)
    let page = try context.insert(Page.self)
    book.loose = [page]
    try context.save()
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let same = try other.existingObject(Book.self, with: book.objectID)
    #expect(same.looseCount == 1)
    // The version of the owner stays the same.
    try context.delete(page)
    try context.save()
    same.title = "b"
    try other.save()
    try other.refresh(same, mergeChanges: false)
    #expect(same.looseCount == 0 && same.title == "b")
  }

  @Test(arguments: StoreKind.allCases)
  func `the count in a child context is computed by the save into the store`(kind: StoreKind) throws {
    let root = try context(kind)
    let child = ManagedObjectContext(parent: root)
    let book = try child.insert(Book.self)
    book.pages = [try child.insert(Page.self)]
    try child.save()
    #expect(book.pageCount == 0)
    try root.save()
    #expect(try root.fetch(Book.self).map(\.pageCount) == [1])
  }

  @Test(arguments: [StoreKind.memory, .xml, .binary])
  func `each kind of expression is computed`(kind: StoreKind) throws {
    let context = try context(kind, isWide: true)
    let (shelf, book) = (try context.insert("Shelf"), try context.insert("Book"))
    let pages = try [Int64(10), 60, 100].map { words in
      let page = try context.insert("Page")
      try page.setValue(.integer(words), forKey: "words")
      return page
    }
    func set(_ value: AttributeValue, _ key: String, _ object: ManagedObject) throws {
      try object.setValue(value, forKey: key)
    }
    try set(.string("Ünder Öath"), "title", book)
    try set(.string("Top"), "name", shelf)
    try book.setValue(.object(shelf), forKey: "shelf")
    try book.setValue(.object(pages[0]), forKey: "cover")
    for page in pages.prefix(2) { try page.setValue(.object(book), forKey: "book") }
    try book.setValue(ManagedObject.Value.set([.object(pages[2])]), forKey: "loose")
    let start = Date.now
    try context.save()
    func values(_ keys: String...) throws -> [AttributeValue] {
      try keys.map { key in
        guard case .attribute(let value)? = book[key] else { throw Missing() }
        return value
      }
    }
    #expect(try values("search", "loud") == [.string("under oath"), .string("ÜNDER ÖATH")])
    #expect(try values("shelfName", "quietShelf") == [.string("Top"), .string("top")])
    #expect(try values("words", "coverWords", "looseWords") == [.integer(70), .integer(10), .double(100)])
    #expect(try values("longPages") == [.integer(1)])
    #expect(shelf["words"] == .attribute(.integer(70)), "a derived attribute of derived ones")
    guard case .date(let first)? = try values("saved").first else { throw Missing() }
    #expect(first >= start && first <= .now)

    // Only related objects change.
    try set(.string("Left"), "name", shelf)
    try set(.integer(55), "words", pages[0])
    try set(.integer(1), "words", pages[2])
    try context.save()
    #expect(try values("shelfName", "quietShelf") == [.string("Left"), .string("left")])
    #expect(try values("words", "coverWords", "looseWords") == [.integer(115), .integer(55), .double(1)])
    #expect(try values("longPages", "saved") == [.integer(2), .date(first)], "the book itself was not saved")
    #expect(shelf["words"] == .attribute(.integer(115)))

    try set(.null, "title", book)
    try context.delete(pages[0])
    try context.delete(shelf)
    try context.save()
    #expect(try values("search", "shelfName", "coverWords") == [.null, .null, .null])
    #expect(try values("words", "longPages") == [.integer(60), .integer(1)])
    guard case .date(let second)? = try values("saved").first else { throw Missing() }
    #expect(second > first)
  }

  private struct Missing: Error {}

  @Test(arguments: [StoreKind.memory, .xml, .binary])
  func `a derivation that does not fit the entity fails the save`(kind: StoreKind) throws {
    let cases: [(AttributeType, String, ManagedObjectError.Code)] = [
      (.string, "missing", .undefinedKey), (.integer16, "title", .invalidValue),
      (.integer16, "pages.@sum.size", .invalidValue), (.integer16, "next.depth + 1", .operation),
    ]
    for (type, format, code) in cases {
      var derived = AttributeDescription("depth", type)
      derived.derivation = .init(try ManagedExpression(format: format))
      let model = try ManagedObjectModel(entities: [
        EntityDescription(
          "Book",
          [
            .attribute("title", .string), .attribute("size", .double), .attribute(derived),
            .relationship("pages", to: "Book", inverse: "next", isToMany: true),
            .relationship("next", to: "Book", inverse: "pages"),
          ])
      ])
      let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
      let book = try context.insert("Book")
      try book.setValue(.double(0.5), forKey: "size")
      try book.setValue(.object(book), forKey: "next")
      if code == .operation { try book.setValue(.integer(1), forKey: "depth") }
      let error = #expect(throws: ManagedObjectError.self) { try context.save() }
      #expect(error?.code == code, "\(format): \(error.map { "\($0)" } ?? "")")
      if code != .operation { #expect(error?.key == "depth") }
      #expect(context.hasChanges)
      #expect(try context.coordinator.stores.allSatisfy { try count($0, model) == 0 })
    }
  }

  private func count(_ store: any PersistentStore, _ model: ManagedObjectModel) throws -> Int {
    guard let entity = model["Book"], case .keys(let keys) = try store.fetch(Self.allKeys, of: entity) else {
      return -1
    }
    return keys.count
  }

  private static let allKeys: FetchRequest = {
    var request = FetchRequest("Book")
    request.resultType = .objectIDs
    return request
  }()

  @Test(arguments: StoreKind.allCases)
  func `a unique derived attribute is compared with its computed value`(kind: StoreKind) throws {
    if kind == .sqlite { return }
    var search = AttributeDescription("search", .string)
    search.derivation = .init(try ManagedExpression(format: "canonical:(title)"))
    var entity = EntityDescription("Book", [.attribute("title", .string), .attribute(search)])
    entity.uniquenessConstraints = [["search"]]
    let context = ManagedObjectContext(
      coordinator: try kind.coordinator(ManagedObjectModel(entities: [entity]), folder))
    try context.insert("Book").setValue(.string("Été"), forKey: "title")
    try context.save()
    try context.insert("Book").setValue(.string("ete"), forKey: "title")
    #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch update of a derived attribute is refused`(kind: StoreKind) throws {
    let context = try context(kind)
    try context.insert(Book.self)
    try context.save()
    let error = #expect(throws: ManagedObjectError.self) {
      try context.execute(.update("Book", ["pageCount": .integer(5)]))
    }
    #expect(error?.code == .unsupportedRequest && error?.key == "pageCount")
  }

  /// Returns the derived values of an object, computed from the values of other properties.
  private static func expected(_ object: ManagedObject) throws -> [String: AttributeValue] {
    func value(_ object: ManagedObject, _ key: String) -> AttributeValue {
      if case .attribute(let value)? = object[key] { value } else { .null }
    }
    func related(_ object: ManagedObject, _ key: String) -> [ManagedObject] {
      switch object[key] {
      case .object(let other): [other]
      case .set(let others), .array(let others):
        others.compactMap { if case .object(let one) = $0 { one } else { nil } }
      default: []
      }
    }
    func sum(_ objects: [ManagedObject]) -> Int64 {
      objects.reduce(0) { if case .integer(let words) = value($1, "words") { $0 + words } else { $0 } }
    }
    if object.entity.name == "Shelf" {
      let books = related(object, "books")
      return ["words": .integer(sum(books.flatMap { related($0, "pages") }))]
    }
    let pages = related(object, "pages")
    let shelf = related(object, "shelf").first.map { value($0, "name") } ?? .null
    let isLong: (ManagedObject) -> Bool = {
      if case .integer(let words) = value($0, "words") { words > 50 } else { false }
    }
    return [
      "words": .integer(sum(pages)), "coverWords": related(object, "cover").first.map { value($0, "words") } ?? .null,
      "looseWords": .double(Double(sum(related(object, "loose")))), "shelfName": shelf,
      "quietShelf": { if case .string(let name) = shelf { .string(name.lowercased()) } else { .null } }(),
      "longPages": .integer(Int64(pages.count(where: isLong))),
    ]
  }

  @Test(arguments: [StoreKind.memory, .xml])
  func `after random changes each value is that of its expression`(kind: StoreKind) throws {
    var random = SeededGenerator(seed: 83)
    let context = try context(kind, isWide: true)
    for round in 0..<LongForm.size(400, or: 25) {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let (shelves, books) = (try context.fetch(FetchRequest("Shelf")), try context.fetch(FetchRequest("Book")))
        let pages = try context.fetch(FetchRequest("Page"))
        let (book, page) = (books.randomElement(using: &random), pages.randomElement(using: &random))
        let bookValue = book.map { ManagedObject.Value.object($0) } ?? .null
        switch Int.random(in: 0..<11, using: &random) {
        case 0:
          try context.insert("Shelf").setValue(.string("S\(round)"), forKey: "name")
        case 1:
          try context.insert("Book").setValue(.string("B\(round)"), forKey: "title")
        case 2, 3:
          let page = try context.insert("Page")
          try page.setValue(.integer(.random(in: 0...100, using: &random)), forKey: "words")
          try page.setValue(bookValue, forKey: "book")
        case 4:
          let shelf = shelves.randomElement(using: &random).map { ManagedObject.Value.object($0) } ?? .null
          try book?.setValue(shelf, forKey: "shelf")
        case 5: try page?.setValue(bookValue, forKey: "book")
        case 6: try page?.setValue(.integer(.random(in: 0...100, using: &random)), forKey: "words")
        case 7: try shelves.randomElement(using: &random)?.setValue(.string("T\(round)"), forKey: "name")
        case 8: try book?.setValue(page.map { .object($0) } ?? .null, forKey: "cover")
        case 9:
          guard let page, let book else { continue }
          for other in books {
            guard case .set(let loose)? = other["loose"] else { continue }
            let rest = loose.filter { $0 != .object(page) } + (other === book ? [.object(page)] : [])
            try other.setValue(ManagedObject.Value.set(rest), forKey: "loose")
          }
        default:
          if let object = (shelves + books + pages).randomElement(using: &random) { try context.delete(object) }
        }
      }
      try context.save()
      let again = ManagedObjectContext(coordinator: context.coordinator)
      for object in try again.fetch(FetchRequest("Shelf")) + again.fetch(FetchRequest("Book")) {
        for (key, value) in try Self.expected(object) {
          #expect(object[key] == .attribute(value), "\(object.entity.name).\(key) in round \(round)")
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `after random changes each count is that of its relationship`(kind: StoreKind) throws {
    var random = SeededGenerator(seed: 38)
    let context = try context(kind)
    for _ in 0..<LongForm.size(300, or: 12) {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let (shelves, books) = (try context.fetch(Shelf.self), try context.fetch(Book.self))
        let pages = try context.fetch(Page.self)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: try context.insert(Shelf.self)
        case 1: _ = try Bool.random(using: &random) ? context.insert(GraphicNovel.self) : context.insert(Book.self)
        case 2, 3: try context.insert(Page.self).book = books.randomElement(using: &random)
        case 4: books.randomElement(using: &random)?.shelf = shelves.randomElement(using: &random)
        case 5: pages.randomElement(using: &random)?.book = books.randomElement(using: &random)
        case 6:
          guard let book = books.randomElement(using: &random), let page = pages.randomElement(using: &random) else {
            continue
          }
          for other in books { other.loose.remove(page) }
          book.loose.insert(page)
        case 7: books.randomElement(using: &random)?.title += "x"
        default:
          let all: [ManagedObject] = shelves + books + pages
          if let object = all.randomElement(using: &random) { try context.delete(object) }
        }
      }
      try context.save()
      let again = ManagedObjectContext(coordinator: context.coordinator)
      for context in [context, again] {
        #expect(try context.fetch(Shelf.self).allSatisfy { $0.bookCount == $0.books.count })
        for book in try context.fetch(Book.self) {
          #expect(book.pageCount == book.pages.count && book.looseCount == book.loose.count)
        }
      }
    }
  }
}
