import FoundationEssentials
import ManagedObjects
import TestSupport
import Testing

@Suite("Derived attributes") struct DerivedAttributeTests {
  typealias Shelf = DerivedModels.Shelf
  typealias Book = DerivedModels.Book
  typealias GraphicNovel = DerivedModels.GraphicNovel
  typealias Page = DerivedModels.Page

  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind, isWide: Bool = false) throws -> ManagedObjectContext {
    try DerivedModels.context(kind, folder, isWide: isWide)
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
  func `a copy of a store keeps the values`(kind: StoreKind) throws {
    let context = try context(.memory, isWide: true)
    let book = try context.insert("Book")
    try book.setValue(.string("B"), forKey: "title")
    try context.save()
    let source = try #require(context.coordinator.stores.first)
    let copy = try kind.open(folder.url.appending(path: "copy"), source.model)
    try copy.insertObjects(of: source)
    let again = try #require(try ManagedObjectContext(copy).fetch(FetchRequest("Book")).first)
    #expect(again["saved"] == book["saved"] && again["saved"] != .null && again["search"] == book["search"])
  }

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
}
