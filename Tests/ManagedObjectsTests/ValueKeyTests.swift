import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Values by key") struct ValueKeyTests {
  typealias S = CollectionSamples

  @Test func `literals are attribute values`() {
    let name = "x"
    let values: [AttributeValue] = ["a", "\(name)!", 1, 2.5, true]
    #expect(values == [.string("a"), .string("x!"), .integer(1), .double(2.5), .boolean(true)])
    let objectValues: [ManagedObject.Value] = ["a", "\(name)!", 1, 2.5, true]
    #expect(objectValues == values.map(ManagedObject.Value.attribute))
  }

  @Test func `a subscript sets attributes and relationships`() throws {
    let context = try S.context()
    let book = try context.insert(S.Book.self)
    let author = try context.insert(S.Author.self)
    book["title"] = "Milk"
    book["pages"] = 12
    book["rating"] = 3
    book["isRead"] = true
    book["author"] = .object(author)
    #expect(book.title == "Milk" && book.pages == 12 && book.rating == 3 && book.isRead == true)
    #expect(author.books == [book] && book["title"] == "Milk")
    book["title"] = nil
    book["author"] = nil
    #expect(book.title == nil && author.books.isEmpty && context.misuse.isEmpty)
  }

  @Test func `an attribute that a subscript set to an invalid value cannot be saved until it is set again`() throws {
    let context = try S.context()
    let book = try context.insert(S.Book.self)
    book["pages"] = 7
    book["pages"] = "many"
    #expect(book.pages == 7 && context.misuse.isEmpty)
    let error = thrownError { try context.save() }
    #expect(error?.code == .invalidValue && error?.key == "pages" && error?.value == "many")
    book["pages"] = 8
    try context.save()
    book["pages"] = 40_000
    #expect(errorCode { try context.save() } == .invalidValue)
    context.rollback()
    #expect(book.pages == 8)
  }

  @Test func `a subscript reports an unknown key and an unsuitable object`() throws {
    let context = try S.context()
    let book = try context.insert(S.Book.self)
    let other = try context.insert(S.Tag.self)
    book["headline"] = "x"
    book["author"] = .object(other)
    book["author"] = "Ada"
    #expect(context.misuse.map(\.code) == [.undefinedKey, .invalidValue, .invalidValue] && book.author == nil)
    #expect(context.misuse.map(\.key) == ["headline", "author", "author"])
    try context.save()
  }

  @Test func `values come from a dictionary`() throws {
    let context = try S.context()
    let book = try context.insert(S.Book.self)
    let author = try context.insert(S.Author.self)
    let attributes: [String: AttributeValue] = ["title": "Letters", "pages": 3]
    try book.setValues(attributes)
    #expect(book.title == "Letters" && book.pages == 3)
    let all: [String: ManagedObject.Value] = ["title": "Diaries", "author": .object(author)]
    try book.setValues(all)
    #expect(book.title == "Diaries" && book.author == author)
    try book.setValues(["title": "Poems", "pages": 4, "rating": .null])
    #expect(book.title == "Poems" && book.pages == 4)
    try book.setValues(["title": "Essays", "author": .null])
    try book.setValues([:])
    #expect(book.title == "Essays" && book.author == nil)
  }

  @Test func `no value is set if one is invalid`() throws {
    let context = try S.context()
    let book = try context.insert(S.Book.self)
    let foreign = try S.context().insert(S.Author.self)
    try context.save()
    let error = thrownError { try book.setValues(["title": "x", "pages": "many", "rating": 1, "nothing": 1]) }
    #expect(error?.code == .multipleErrors && error?.details.map(\.code) == [.invalidValue, .undefinedKey])
    let invalid: [String: ManagedObject.Value] = ["title": "x", "author": .object(foreign)]
    #expect(errorCode { try book.setValues(invalid) } == .invalidState)
    #expect(book.title == nil && book.rating == nil && !context.hasChanges)
  }

  @Test func `a key path sets the value of a related object`() throws {
    let context = try S.context()
    let book = try context.insert(S.Book.self)
    let author = try context.insert(S.Author.self)
    book.author = author
    try book.setValue("Ada", forKeyPath: "author.name")
    try book.setValue("Letters", forKeyPath: "title")
    #expect(author.name == "Ada" && book.title == "Letters")
    let second = try context.insert(S.Book.self)
    try book.setValue(.set([.object(book), .object(second)]), forKeyPath: "author.books")
    #expect(second.author == author)
  }

  @Test func `a key path sets the values of all objects of a to-many relationship`() throws {
    let context = try S.context()
    let author = try context.insert(S.Author.self)
    let tag = try context.insert(S.Tag.self)
    let books = try (0..<3).map { _ in try context.insert(S.Book.self) }
    for book in books {
      book.author = author
      book.tags = [tag]
    }
    try author.setValue(true, forKeyPath: "books.isRead")
    #expect(books.map(\.isRead) == [true, true, true])
    // Each of the objects is set once, however many objects refer to it.
    context.undoManager = ManagedObjectContext.UndoManager()
    try author.setValue("new", forKeyPath: "books.tags.name")
    context.processPendingChanges()
    #expect(tag.name == "new")
    context.undo()
    #expect(tag.name == nil)
    let empty = try context.insert(S.Author.self)
    try empty.setValue(true, forKeyPath: "books.isRead")
  }

  @Test func `a key path that cannot be set is an error`() throws {
    let context = try S.context()
    let author = try context.insert(S.Author.self)
    let book = try context.insert(S.Book.self)
    #expect(errorCode { try book.setValue("x", forKeyPath: "author.name") } == .invalidValue)
    book.author = author
    #expect(errorCode { try book.setValue("x", forKeyPath: "author.age") } == .undefinedKey)
    #expect(errorCode { try book.setValue("x", forKeyPath: "title.length") } == .invalidValue)
    #expect(errorCode { try book.setValue("x", forKeyPath: "author..name") } == .undefinedKey)
    #expect(errorCode { try book.setValue("x", forKeyPath: "") } == .undefinedKey)
    #expect(errorCode { try author.setValue(1, forKeyPath: "books.@count") } == .undefinedKey)
    #expect(errorCode { try author.setValue("many", forKeyPath: "books.pages") } == .invalidValue)
    // A long path through a cycle.
    let path = Array(repeating: "author.books", count: 10_000).joined(separator: ".") + ".title"
    try book.setValue("deep", forKeyPath: path)
    #expect(book.title == "deep" && book.pages == nil)
  }
}
