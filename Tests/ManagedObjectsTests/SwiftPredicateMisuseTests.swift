import Foundation
import Testing

@testable import ManagedObjects

extension ManagedObject {
  /// The ID of the object, like `objectID`.
  fileprivate var ownID: ManagedObjectID { ManagedObjectID(key, model: shape.entity.model, storeIdentifier: nil) }
}

@Suite("#Predicate with objects") struct SwiftPredicateObjectTests {
  typealias S = ClassSamples

  @Test func `a predicate captures objects, IDs and collections of both`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let ada = try S.object(S.Employee.self, in: model)
    let note = try S.object(S.Note.self, in: model)
    let person: S.Person = ada
    let nobody: S.Person? = nil
    let id = ada.ownID
    func check(
      _ predicate: Predicate<S.Note>, _ format: String, _ objects: ManagedObject...,
      at location: SourceLocation = #_sourceLocation
    ) throws {
      let arguments = objects.map { PredicateConstant.object($0.key) }
      #expect(
        try ManagedPredicate(predicate) == ManagedPredicate(format: format, arguments: arguments),
        sourceLocation: location)
    }
    try check(#Predicate { $0.author == person }, "author == %@", ada)
    try check(#Predicate { person != $0.author }, "%@ != author", ada)
    try check(#Predicate { $0.author == nobody }, "author == nil")
    try check(#Predicate { $0.followers.contains(note) }, "%@ IN followers", note)
    let notes = [note]
    try check(#Predicate { $0.author?.ownID == id }, "author == %@", ada)
    try check(#Predicate { $0.ownID == id }, "SELF == %@", ada)
    try check(#Predicate { notes.contains($0) }, "SELF IN {%@}", note)
    let (some, ids, missing) = (Set(notes), [note.ownID], ManagedObjectID?.none)
    try check(#Predicate { some.contains($0) }, "SELF IN {%@}", note)
    try check(#Predicate { ids.contains($0.ownID) }, "SELF IN {%@}", note)
    try check(#Predicate { $0.author?.ownID == missing }, "author == nil")
    let (idSet, noIDs) = (Set([note.ownID]), Set<ManagedObjectID>())
    try check(#Predicate { idSet.contains($0.ownID) }, "SELF IN {%@}", note)
    try check(#Predicate { noIDs.contains($0.ownID) }, "SELF IN {}")
  }

  @Test func `Foundation cannot evaluate or encode captured objects`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let note = try S.object(S.Note.self, in: model)
    let predicate = #Predicate<S.Note> { $0.follows == note }
    #expect(throws: ManagedPredicateError.self) { try predicate.evaluate(note) }
    let argument = ManagedObjectArgument<S.Note>([note.key], isCollection: false)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(argument) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ManagedObjectArgument<S.Note>.self, from: Data("{}".utf8))
    }
    let text = #Predicate<S.Note> { $0.title.localizedStandardContains("NTÍ") }
    #expect(try text.evaluate(note))
    #expect(try !#Predicate<S.Note> { $0.title.localizedStandardContains("x") }.evaluate(note))
  }
}

@Suite("#Predicate with unsupported expressions") struct SwiftPredicateMisuseTests {
  typealias S = ClassSamples
  typealias Note = ClassSamples.Note

  struct Thing: Codable { var size = 1 }

  struct Misuse: CustomTestStringConvertible, @unchecked Sendable {
    let kind: ManagedPredicateError.Kind
    let message: String
    let make: () throws -> ManagedPredicate
    var testDescription: String { message }

    init<Object: ManagedObject>(_ kind: ManagedPredicateError.Kind, _ message: String, _ predicate: Predicate<Object>) {
      (self.kind, self.message) = (kind, message)
      make = { try ManagedPredicate(predicate) }
    }
  }

  static func node(_ name: String) -> String {
    "PredicateExpressions.\(name) cannot be used in a predicate for managed objects"
  }

  private static func isValue<Value>(of type: Value.Type) -> Predicate<Note> { #Predicate { $0.words is Value } }

  static let misuses: [Misuse] = {
    let thing = Thing()
    let map = ["a": 1]
    let words = ["a"]
    let index = 0
    return [
      Misuse(
        .unknownKey, "the key path from Person to String is not a property of a model",
        #Predicate<S.Person> { $0.upperName == "A" }),
      Misuse(
        .unknownKey, "the key path from Employee to String is not a property of a model",
        #Predicate<S.Employee> { $0.displayName == "A" }),
      Misuse(
        .unknownKey, "the key path from Everything to String is not a property of a model",
        #Predicate<S.Everything> { $0.computed == "a" && $0.truth }),
      Misuse(
        .unsupported, "the fetched property recent cannot be used in a predicate for managed objects",
        #Predicate<S.Person> { $0.recent.isEmpty }),
      Misuse(
        .unsupported,
        "the elements of a Array<String>, which is stored as an archive, cannot be used in a predicate for managed "
          + "objects", #Predicate<Note> { $0.words.contains("a") }),
      Misuse(
        .unsupported, "the number of elements of a Array<String> cannot be used in a predicate for managed objects",
        #Predicate<Note> { $0.words.count == 1 }),
      Misuse(
        .unsupported,
        "the first or last element of a Array<String> cannot be used in a predicate for managed objects",
        #Predicate<Note> { $0.words.first == "a" }),
      Misuse(
        .unsupported,
        "a property of type Double of Settings cannot be used in a predicate for managed objects, because stores keep a "
          + "Settings as an archive; add an attribute with this value to the class, and use it in the predicate",
        #Predicate<S.Everything> { $0.settings.volume == 1 }),
      Misuse(
        .unsupported, "a value of type Thing cannot be used in a predicate for managed objects",
        #Predicate<Note> { $0.pages == thing.size }),
      Misuse(
        .unsupported, "a cast to the type String cannot be used in a predicate for managed objects",
        isValue(of: String.self)),
      Misuse(.unsupported, node("DictionaryKeySubscript"), #Predicate<Note> { map[$0.title] == 1 }),
      Misuse(
        .unsupported, node("DictionaryKeyDefaultValueSubscript"), #Predicate<Note> { map[$0.title, default: 3] == 1 }),
      Misuse(.unsupported, node("CollectionIndexSubscript"), #Predicate<Note> { words[index] == $0.title }),
      Misuse(.unsupported, node("CollectionRangeSubscript"), #Predicate<Note> { words[index..<1].contains($0.title) }),
    ]
  }()

  @Test(arguments: misuses) func `an unsupported expression is an error that names it`(_ misuse: Misuse) {
    let error = #expect(throws: ManagedPredicateError.self) { try misuse.make() }
    #expect(error?.kind == misuse.kind && error?.message == misuse.message, "\(error?.message ?? "")")
  }

  @Test func `a deeply nested expression is an error`() {
    func nested<Base: StandardPredicateExpression<Bool>>(_ base: Base, _ depth: Int) -> any StandardPredicateExpression<
      Bool
    > { depth == 0 ? base : nested(PredicateExpressions.build_Negation(base), depth - 1) }
    func predicate(_ depth: Int) -> Predicate<Note> {
      Predicate<Note> { note in
        nested(
          PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(root: note, keyPath: \.pages),
            rhs: PredicateExpressions.build_Arg(3)), depth)
      }
    }
    #expect(throws: Never.self) { try ManagedPredicate(predicate(60)) }
    let error = #expect(throws: ManagedPredicateError.self) { try ManagedPredicate(predicate(200)) }
    #expect(error?.kind == .nestedTooDeeply)
  }
}

@Suite("Fetch requests of classes") struct ClassFetchRequestTests {
  typealias S = ClassSamples

  @Test func `a request gets the property names of key paths`() throws {
    let request = try FetchRequest(
      S.Note.self, where: #Predicate { $0.pages > 3 }, sortedBy: .descending(\.date), .ascending(\.author?.name),
      .ascending(\.title, comparison: .localizedStandard))
    #expect(
      request
        == FetchRequest(
          "Note", where: try ManagedPredicate(format: "pages > 3"),
          sortedBy: [
            .init("date", isAscending: false), .init("author.name"),
            .init("title", comparison: .localizedStandard),
          ]))
    #expect(try FetchRequest(S.Book.self) == FetchRequest("Volume"))
  }

  @Test func `a key path to another member is an error`() {
    let error = #expect(throws: ManagedPredicateError.self) {
      try FetchRequest(S.Employee.self, sortedBy: .ascending(\.displayName))
    }
    #expect(error?.kind == .unknownKey)
    #expect(error?.message == "the key path from Employee to String is not a property of a model")
  }
}
