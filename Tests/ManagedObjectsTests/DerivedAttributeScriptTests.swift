import FoundationEssentials
import ManagedObjects
import TestSupport
import Testing

@Suite("Derived attributes after random changes") struct DerivedAttributeScriptTests {
  typealias Shelf = DerivedModels.Shelf
  typealias Book = DerivedModels.Book
  typealias GraphicNovel = DerivedModels.GraphicNovel
  typealias Page = DerivedModels.Page

  private let folder = TemporaryFolder(isInMemory: true)

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
    let context = try DerivedModels.context(kind, folder, isWide: true)
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
            // The relationship keeps deleted objects.
            let present = pages.filter { $0 !== page && loose.contains(.object($0)) }
            let rest = (present + (other === book ? [page] : [])).map { ManagedObject.Value.object($0) }
            try other.setValue(.set(rest), forKey: "loose")
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
    let context = try DerivedModels.context(kind, folder)
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
