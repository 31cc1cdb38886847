import Foundation
import PropertyLists
import Testing

@testable import ManagedObjects

@Suite("#Predicate") struct SwiftPredicateTests {
  typealias S = ClassSamples
  typealias Note = ClassSamples.Note

  struct Form: CustomTestStringConvertible, @unchecked Sendable {
    let format: String
    let arguments: [any PredicateArgument]
    let make: () throws -> ManagedPredicate
    var testDescription: String { format }

    init(_ predicate: Predicate<Note>, _ format: String, _ arguments: any PredicateArgument...) {
      self.format = format
      self.arguments = arguments
      make = { try ManagedPredicate(predicate) }
    }

    init(people predicate: Predicate<S.Person>, _ format: String, _ arguments: any PredicateArgument...) {
      self.format = format
      self.arguments = arguments
      make = { try ManagedPredicate(predicate) }
    }
  }

  static let date = Date(timeIntervalSinceReferenceDate: 1000)
  static let name = "Ada"
  static let uuid = UUID()
  static let numbers = [1, 2, 3]
  static let names: [String?] = ["Ada", nil]
  static let range = 2...5
  static let noName: String? = nil
  static let link = URL(string: "https://example.org")

  /// Separate lists, so that the compiler type-checks them one at a time.
  static let forms: [Form] = values + strings + optionals + collections + others

  static let values: [Form] = {
    let (date, name, uuid, numbers, range) = (Self.date, Self.name, Self.uuid, Self.numbers, Self.range)
    let price: Decimal = 3
    let priorities = [S.Priority.low, .urgent]
    let from = 3...
    let upTo = ..<4
    return [
      Form(#Predicate { $0.title == name }, "title == %@", name),
      Form(#Predicate { name != $0.title }, "%@ != title", name),
      Form(#Predicate { $0.pages > 3 }, "pages > 3"),
      Form(#Predicate { $0.pages >= 3 && $0.pages < 10 }, "pages >= 3 AND pages < 10"),
      Form(#Predicate { $0.pages == 1 || $0.pages == 2 || $0.pages == 3 }, "pages == 1 OR pages == 2 OR pages == 3"),
      Form(#Predicate { $0.pages <= -3 }, "pages <= -3"),
      Form(#Predicate { !($0.pages == 3) }, "NOT pages == 3"),
      Form(#Predicate { $0.isOpen }, "isOpen == TRUE"),
      Form(#Predicate { !$0.isOpen }, "NOT isOpen == TRUE"),
      Form(#Predicate { $0.isOpen == false }, "isOpen == FALSE"),
      Form(#Predicate { $0.date > date }, "date > %@", date),
      Form(#Predicate { $0.mark == uuid }, "mark == %@", uuid),
      Form(#Predicate { $0.rating == 4.5 }, "rating == 4.5"),
      Form(#Predicate { $0.priority.rawValue == 2 }, "priority == 2"),
      Form(#Predicate { priorities.contains($0.priority) }, "priority IN {1, 3}"),
      Form(#Predicate { numbers.contains($0.pages) }, "pages IN %@", numbers),
      Form(#Predicate { range.contains($0.pages) }, "pages BETWEEN {2, 5}"),
      Form(#Predicate { (2...5).contains($0.pages) }, "pages BETWEEN {2, 5}"),
      Form(#Predicate { (2..<5).contains($0.pages) }, "pages >= 2 AND pages < 5"),
      Form(#Predicate { from.contains($0.pages) }, "pages >= 3"),
      Form(#Predicate { upTo.contains($0.pages) }, "pages < 4"),
      Form(#Predicate { $0.pages + 1 == 4 }, "pages + 1 == 4"),
      Form(#Predicate { $0.pages - 1 > $0.pages * 2 }, "pages - 1 > pages * 2"),
      Form(#Predicate { $0.pages / 2 == 3 }, "pages / 2 == 3"),
      Form(#Predicate { $0.pages % 2 == 0 }, "modulus:by:(pages, 2) == 0"),
      Form(#Predicate { -$0.pages == 3 }, "-pages == 3"),
      Form(
        #Predicate { $0.date.timeIntervalSinceReferenceDate / 2 > 3 },
        "date.timeIntervalSinceReferenceDate / 2.0 > 3.0"),
      Form(
        #Predicate { $0.pages > [1, 2, 3].max() ?? 0 }, "pages > TERNARY(max:({1, 2, 3}) != nil, max:({1, 2, 3}), 0)"),
      Form(#Predicate { $0.date.timeIntervalSince1970 == 0 }, "date.timeIntervalSince1970 == 0.0"),
      Form(#Predicate { _ in price == 3 }, "%@ == %@", price, Decimal(3)),
    ]
  }()

  static let strings: [Form] = {
    let name = Self.name
    return [
      Form(#Predicate { $0.title.contains("a") }, "title CONTAINS 'a'"),
      Form(#Predicate { $0.title.contains(name) }, "title CONTAINS %@", name),
      Form(#Predicate { $0.title.starts(with: "A") }, "title BEGINSWITH 'A'"),
      Form(#Predicate { $0.title.isEmpty }, "title == ''"),
      Form(#Predicate { $0.title.count > 3 }, "title.length > 3"),
      Form(#Predicate { $0.title < "m" }, "title < 'm'"),
      Form(#Predicate { $0.title.localizedStandardContains("ÄD") }, "title CONTAINS[cd] 'ÄD'"),
      Form(#Predicate { $0.title.contains(/d[a-c]/) }, "title MATCHES '(?s:.*)(?:d[a-c])(?s:.*)'"),
    ]
  }()

  static let optionals: [Form] = {
    let (name, noName, date, link) = (Self.name, Self.noName, Self.date, Self.link)
    return [
      Form(#Predicate { $0.content == nil }, "content == nil"),
      Form(#Predicate { $0.content != nil }, "content != nil"),
      Form(#Predicate { $0.content == noName }, "content == nil"),
      Form(#Predicate { $0.link == link }, "link == %@", link),
      Form(#Predicate { $0.author == nil }, "author == nil"),
      Form(#Predicate { $0.author?.name == name }, "author.name == %@", name),
      Form(#Predicate { $0.author!.name == name }, "author.name == %@", name),
      Form(#Predicate { $0.follows?.author?.name != name }, "follows.author.name != %@", name),
      Form(#Predicate { ($0.content ?? "") == name }, "TERNARY(content != nil, content, '') == %@", name),
      Form(
        #Predicate { ($0.follows?.date ?? date) > date },
        "TERNARY(follows.date != nil, follows.date, %@) > %@", date, date),
      Form(#Predicate { $0.content?.contains("a") ?? false }, "content != nil AND content CONTAINS 'a'"),
      Form(#Predicate { $0.content?.contains("a") ?? true }, "content == nil OR content CONTAINS 'a'"),
      Form(#Predicate { $0.content?.contains("a") == true }, "content != nil AND content CONTAINS 'a'"),
      Form(#Predicate { $0.content?.contains("a") == false }, "content != nil AND NOT content CONTAINS 'a'"),
      Form(#Predicate { $0.content?.isEmpty != true }, "NOT (content != nil AND content == '')"),
      Form(#Predicate { $0.content.flatMap { $0.count } == 3 }, "content.length == 3"),
      Form(
        #Predicate { if let content = $0.content { content == name } else { false } },
        "content != nil AND content == %@", name),
      Form(
        #Predicate { $0.isOpen ? $0.pages > 3 : $0.pages < 3 },
        "(isOpen == TRUE AND pages > 3) OR (NOT isOpen == TRUE AND pages < 3)"),
      Form(#Predicate { ($0.isOpen ? $0.pages : 0) == 3 }, "TERNARY(isOpen == TRUE, pages, 0) == 3"),
      Form(#Predicate { ($0.pages > 3) == $0.isOpen }, "TERNARY(pages > 3, TRUE, FALSE) == isOpen"),
    ]
  }()

  static let collections: [Form] = {
    let (names, name) = (Self.names, Self.name)
    return [
      Form(#Predicate { names.contains($0.content) }, "content IN {'Ada', nil}"),
      Form(#Predicate { $0.followers.count > 2 }, "followers.@count > 2"),
      Form(#Predicate { $0.followers.isEmpty }, "followers.@count == 0"),
      Form(#Predicate { $0.author?.notes.count == 1 }, "author.notes.@count == 1"),
      Form(#Predicate { $0.followers.contains { $0.pages > 3 } }, "ANY followers.pages > 3"),
      Form(#Predicate { $0.followers.contains { $0.title.contains("a") } }, "ANY followers.title CONTAINS 'a'"),
      Form(#Predicate { $0.followers.allSatisfy { $0.pages > 3 } }, "ALL followers.pages > 3"),
      Form(#Predicate { note in note.followers.contains { $0.pages > note.pages } }, "ANY followers.pages > pages"),
      Form(
        #Predicate { $0.followers.contains { $0.pages > 3 && $0.isOpen } },
        "SUBQUERY(followers, $x, $x.pages > 3 AND $x.isOpen == TRUE).@count > 0"),
      Form(
        #Predicate { $0.followers.allSatisfy { $0.pages > 3 || $0.isOpen } },
        "SUBQUERY(followers, $x, NOT ($x.pages > 3 OR $x.isOpen == TRUE)).@count == 0"),
      Form(
        #Predicate { $0.followers.contains { $0.pages > $0.title.count } },
        "SUBQUERY(followers, $x, $x.pages > $x.title.length).@count > 0"),
      Form(
        #Predicate { $0.followers.filter { $0.pages > 3 }.count >= 2 },
        "SUBQUERY(followers, $x, $x.pages > 3).@count >= 2"),
      Form(
        #Predicate { $0.followers.contains { $0.followers.contains { $0.isOpen } } },
        "SUBQUERY(followers, $x, ANY $x.followers.isOpen == TRUE).@count > 0"),
      Form(people: #Predicate { $0.books.first?.title == name }, "(books[FIRST]).title == %@", name),
      Form(people: #Predicate { $0.books.count == 2 }, "books.@count == 2"),
      Form(people: #Predicate { $0.notes.contains { $0.author?.age == 3 } }, "ANY notes.author.age == 3"),
    ]
  }()

  static let others: [Form] = [
    Form(#Predicate { _ in true }, "TRUEPREDICATE"), Form(#Predicate { _ in false }, "FALSEPREDICATE"),
    Form(Predicate.true, "TRUEPREDICATE"),
  ]

  @Test(arguments: forms) func `the macro and the format string build equal predicates`(_ form: Form) throws {
    let made = try form.make()
    let expected = try ManagedPredicate(format: form.format, arguments: form.arguments)
    #expect(made == expected, "\(made) for \(form.format)")
  }

  static let rows: [PropertyList] = {
    func note(_ entries: PropertyList...) -> PropertyList { entries[0] }
    let names = ["Ada", "", "Bd b", "adäc"]
    var rows: [PropertyList] = []
    for number in 0..<24 {
      var row: PropertyList = [
        "title": .string(names[number % 4]), "pages": .integer(.init(number / 2 - 4)),
        "isOpen": .boolean(number % 3 == 0),
        "date": .date(Date(timeIntervalSinceReferenceDate: Double(number * 100))),
        "priority": .integer(.init(number % 4)),
        "author": ["name": .string(names[number % 3]), "notes": .array(Array(repeating: [:], count: number % 3))],
        "followers": .array(
          (0..<number % 4).map { ["pages": .integer(.init($0 * 2)), "title": "xa", "isOpen": true, "followers": []] }),
      ]
      if number % 5 != 0, case .dictionary(var entries) = row {
        entries["content"] = .string(names[number % 4])
        entries["rating"] = 4.5
        row = .dictionary(entries)
      }
      rows.append(row)
    }
    return rows
  }()

  @Test(arguments: forms) func `the macro and the format string have equal results`(_ form: Form) throws {
    let made = try PreparedPredicate(form.make())
    let expected = try PreparedPredicate(ManagedPredicate(format: form.format, arguments: form.arguments))
    for row in Self.rows {
      let results = [made, expected].map { predicate in Result { try predicate.evaluate(with: row) } }
      #expect("\(results[0])" == "\(results[1])", "\(form.format) with \(row)")
    }
  }
}
