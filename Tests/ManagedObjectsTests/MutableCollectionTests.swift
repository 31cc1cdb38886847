import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Mutable collections") struct MutableCollectionTests {
  typealias S = CollectionSamples

  private let folder = TemporaryFolder(isInMemory: true)

  private func numbers(_ book: S.Book) -> [Int] { book.chapters.map(\.number) }

  /// Inserts a book with chapters that are numbered from 0.
  private func book(_ context: ManagedObjectContext, _ count: Int) throws -> (S.Book, [S.Chapter]) {
    let book = try context.insert(S.Book.self)
    let chapters = try (0..<count).map { number in
      let chapter = try context.insert(S.Chapter.self)
      chapter.number = number
      return chapter
    }
    book.chapters = chapters
    return (book, chapters)
  }

  @Test func `objects are inserted, moved, exchanged, replaced and removed by index`() throws {
    let context = try S.context()
    let (book, all) = try book(context, 6)
    book.chapters = Array(all.prefix(3))
    let chapters = try book.mutableOrderedSet(\.chapters)
    chapters.insert(all[3], at: 0)
    #expect(numbers(book) == [3, 0, 1, 2] && all[3].book == book)
    chapters.insert(all[4], at: 4)
    #expect(numbers(book) == [3, 0, 1, 2, 4])
    chapters.move(from: 0, to: 2)
    #expect(numbers(book) == [0, 1, 3, 2, 4])
    chapters.move(from: 4, to: 0)
    #expect(numbers(book) == [4, 0, 1, 3, 2])
    chapters.swapAt(0, 4)
    #expect(numbers(book) == [2, 0, 1, 3, 4])
    chapters.replace(at: 1, with: all[5])
    #expect(numbers(book) == [2, 5, 1, 3, 4] && all[0].book == nil && all[5].book == book)
    chapters.remove(at: 2)
    #expect(numbers(book) == [2, 5, 3, 4] && all[1].book == nil)
    chapters.remove(all[4])
    #expect(numbers(book) == [2, 5, 3] && chapters.count == 3 && chapters.map(\.number) == [2, 5, 3])
    #expect(chapters[1] == all[5] && chapters[3] == nil && chapters[-1] == nil)
    #expect(chapters.firstIndex(of: all[3]) == 2 && !chapters.contains(all[4]))
    chapters.removeAll()
    #expect(chapters.isEmpty && all.allSatisfy { $0.book == nil } && context.misuse.isEmpty)
  }

  @Test func `several objects are inserted and removed at once`() throws {
    let context = try S.context()
    let (book, all) = try book(context, 6)
    book.chapters = [all[0], all[1]]
    let chapters = try book.mutableOrderedSet(\.chapters)
    chapters.insert(contentsOf: [all[4], all[1], all[5]], at: 1)
    #expect(numbers(book) == [0, 4, 5, 1] && all[5].book == book)
    chapters.append(contentsOf: [all[0], all[2], all[3]])
    #expect(numbers(book) == [0, 4, 5, 1, 2, 3])
    chapters.subtract([all[5], all[0], all[5]])
    #expect(numbers(book) == [4, 1, 2, 3] && all[0].book == nil)
    let author = try context.insert(S.Author.self)
    let other = try context.insert(S.Book.self)
    let books = try author.mutableSet(\.books)
    books.formUnion([book, other])
    #expect(author.books == [book, other] && other.author == author && books.count == 2 && books.contains(other))
    books.subtract([book])
    books.remove(book)
    #expect(author.books == [other] && book.author == nil && Array(books) == [other])
    books.removeAll()
    #expect(books.isEmpty && other.author == nil)
  }

  @Test func `objects that are inserted again keep their positions`() throws {
    let context = try S.context()
    let (book, all) = try book(context, 3)
    try context.save()
    let chapters = try book.mutableOrderedSet(\.chapters)
    chapters.insert(all[2], at: 0)
    chapters.append(all[0])
    chapters.replace(at: 0, with: all[1])
    chapters.swapAt(1, 1)
    chapters.move(from: 2, to: 2)
    #expect(numbers(book) == [0, 1, 2] && !context.hasChanges && context.misuse.isEmpty)
  }

  @Test func `an index out of range is reported and changes nothing`() throws {
    let context = try S.context()
    let (book, all) = try book(context, 2)
    let new = try context.insert(S.Chapter.self)
    let chapters = try book.mutableOrderedSet(\.chapters)
    chapters.insert(new, at: 3)
    chapters.insert(contentsOf: [new], at: -1)
    chapters.move(from: 2, to: 0)
    chapters.move(from: 0, to: 2)
    chapters.swapAt(0, 2)
    chapters.replace(at: 2, with: new)
    chapters.remove(at: -1)
    #expect(book.chapters == all && new.book == nil)
    #expect(context.misuse.map(\.code) == Array(repeating: .invalidValue, count: 7))
    #expect(context.misuse[0].key == "chapters" && context.misuse[0].message.contains("found 3"))
  }

  @Test func `objects that cannot be in the relationship are reported and left out`() throws {
    let context = try S.context()
    let (book, all) = try book(context, 2)
    let foreign = try ManagedObjectContext(coordinator: context.coordinator).insert(S.Chapter.self)
    let chapters = try book.mutableOrderedSet(\.chapters)
    chapters.insert(foreign, at: 0)
    chapters.replace(at: 0, with: foreign)
    chapters.insert(contentsOf: [foreign], at: 1)
    chapters.subtract([foreign])
    #expect(book.chapters == all && context.misuse.map(\.code) == [.invalidState, .invalidState, .invalidState])
    try book.mutableOrderedSetValue(forKey: "chapters").append(book)
    #expect(book.chapters == all && context.misuse.last?.code == .invalidValue)
  }

  @Test func `collections are found by name`() throws {
    let context = try S.context()
    let (book, all) = try book(context, 2)
    let author = try context.insert(S.Author.self)
    try author.mutableSetValue(forKey: "books").insert(book)
    try book.mutableOrderedSetValue(forKey: "chapters").swapAt(0, 1)
    #expect(book.author == author && book.chapters == [all[1], all[0]])
    for key in ["name", "nothing"] {
      #expect(errorCode { _ = try author.mutableSetValue(forKey: key) } == .undefinedKey)
    }
    #expect(errorCode { _ = try author.mutableOrderedSetValue(forKey: "books") } == .undefinedKey)
    #expect(errorCode { _ = try book.mutableSetValue(forKey: "chapters") } == .undefinedKey)
    #expect(errorCode { _ = try book.mutableSetValue(forKey: "author") } == .undefinedKey)
    #expect(errorCode { _ = try book.mutableOrderedSet(\.firstChapters) } == .undefinedKey)
    #expect(context.misuse.isEmpty)
    book.add(all[0], to: \.firstChapters)
    book.remove(all[0], from: \.firstChapters)
    #expect(context.misuse.map(\.code) == [.undefinedKey, .undefinedKey] && book.chapters == [all[1], all[0]])
  }

  @Test func `IDs of related objects are known without reading them`() throws {
    let first = try S.context(.sqlite, folder)
    let (book, all) = try book(first, 3)
    book.author = try first.insert(S.Author.self)
    try first.save()
    let ids = all.map(\.objectID)
    let context = ManagedObjectContext(coordinator: first.coordinator)
    let read = try context.existingObject(S.Book.self, with: book.objectID)
    #expect(try read.objectIDs(forRelationshipNamed: "chapters") == ids)
    #expect(try read.objectIDs(forRelationshipNamed: "author") == [try #require(book.author).objectID])
    #expect(try read.objectIDs(forRelationshipNamed: "tags") == [])
    #expect(context.registeredObjects == [read])
    #expect(errorCode { _ = try read.objectIDs(forRelationshipNamed: "title") } == .undefinedKey)
    let lost = try context.object(with: ids[0])
    try first.delete(all[0])
    try first.save()
    #expect(errorCode { _ = try lost.objectIDs(forRelationshipNamed: "book") } == .referentialIntegrity)
  }

  @Test func `a relationship is a fault until its objects are known`() throws {
    let first = try S.context(.sqlite, folder)
    let (book, all) = try book(first, 3)
    try first.save()
    let context = ManagedObjectContext(coordinator: first.coordinator)
    let fault = try #require(try context.object(with: book.objectID) as? S.Book)
    #expect(try fault.hasFault(forRelationshipNamed: "chapters") && fault.hasFault(forRelationshipNamed: "author"))
    #expect(fault.isFault)
    _ = fault.chapters
    #expect(try !fault.hasFault(forRelationshipNamed: "chapters") && !fault.hasFault(forRelationshipNamed: "author"))
    let chapter = try context.existingObject(S.Chapter.self, with: all[0].objectID)
    #expect(try !chapter.hasFault(forRelationshipNamed: "book"))
    try context.refresh(fault, mergeChanges: false)
    #expect(try chapter.hasFault(forRelationshipNamed: "book"))
    #expect(errorCode { _ = try fault.hasFault(forRelationshipNamed: "title") } == .undefinedKey)
  }

  @Test(arguments: StoreKind.allCases)
  func `random edits agree with arrays, and are undone, redone and saved`(kind: StoreKind) throws {
    let context = try S.context(kind, folder)
    let (first, all) = try book(context, 12)
    let second = try context.insert(S.Book.self)
    context.undoManager = ManagedObjectContext.UndoManager()
    var random = SeededGenerator(seed: 7)
    var lists = [Array(0..<12), []]
    var states = [lists]
    let books = [first, second]
    func check(_ lists: [[Int]]) {
      for (book, list) in zip(books, lists) {
        #expect(numbers(book) == list)
        for number in list { #expect(all[number].book == book) }
      }
      for number in all.indices where !lists.joined().contains(number) { #expect(all[number].book == nil) }
    }
    for _ in 0..<LongForm.size(400, or: 60) {
      let side = Int.random(in: 0...1, using: &random)
      let chapters = try books[side].mutableOrderedSet(\.chapters)
      let count = lists[side].count
      let numbers = (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 0..<12, using: &random) }
      let new = numbers.filter { !lists[side].contains($0) }.reduce(into: [Int]()) {
        if !$0.contains($1) { $0.append($1) }
      }
      let index = Int.random(in: 0...count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0:
        chapters.insert(contentsOf: numbers.map { all[$0] }, at: index)
        lists[1 - side].removeAll { new.contains($0) }
        lists[side].insert(contentsOf: new, at: index)
      case 1:
        chapters.insert(all[numbers[0]], at: index)
        if !lists[side].contains(numbers[0]) {
          lists[1 - side].removeAll { $0 == numbers[0] }
          lists[side].insert(numbers[0], at: index)
        }
      case 2:
        chapters.append(contentsOf: numbers.map { all[$0] })
        lists[1 - side].removeAll { new.contains($0) }
        lists[side] += new
      case 3:
        chapters.subtract(numbers.map { all[$0] })
        lists[side].removeAll { numbers.contains($0) }
      case 4 where index < count:
        chapters.replace(at: index, with: all[numbers[0]])
        if !lists[side].contains(numbers[0]) {
          lists[1 - side].removeAll { $0 == numbers[0] }
          lists[side][index] = numbers[0]
        }
      case 5 where index < count:
        let target = Int.random(in: 0..<count, using: &random)
        chapters.move(from: index, to: target)
        lists[side].insert(lists[side].remove(at: index), at: target)
      case 6 where index < count:
        let other = Int.random(in: 0..<count, using: &random)
        chapters.swapAt(index, other)
        lists[side].swapAt(index, other)
      default: continue
      }
      check(lists)
      context.processPendingChanges()
      if lists != states.last { states.append(lists) }
    }
    for state in states.dropLast().reversed() {
      context.undo()
      check(state)
    }
    for state in states.dropFirst() {
      context.redo()
      check(state)
    }
    #expect(context.misuse.isEmpty)
    try context.save()
    let stored = ManagedObjectContext(coordinator: context.coordinator)
    for (book, list) in zip(books, lists) {
      let copy = try stored.existingObject(S.Book.self, with: book.objectID)
      #expect(copy.chapters.map(\.number) == list)
    }
  }
}
