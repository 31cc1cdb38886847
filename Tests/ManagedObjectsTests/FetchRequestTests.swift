import FoundationEssentials
import ManagedObjectsSamples
import OrderedCollections
import PredicatesSamples
import Testing

@testable import ManagedObjects
@testable import Predicates

@Suite("Fetch requests") struct FetchRequestTests {
  typealias Descriptor = FetchRequest.SortDescriptor

  static func descriptor(
    _ keyPath: String?, _ isAscending: Bool = true, _ comparison: FetchRequest.SortComparison = .compare,
    nulls: Bool = false
  ) -> Descriptor {
    var descriptor = Descriptor(keyPath, isAscending: isAscending, comparison: comparison)
    descriptor.reversesNullOrder = nulls
    return descriptor
  }

  static let orders: [(String, [Descriptor], String)] = [
    ("Person", [], "Ann Bob Ève Dan Ida Leo"),
    ("Person", [descriptor("name")], "Ann Bob Ida Leo Dan Ève"),
    ("Person", [descriptor("name", true, .compare)], "Ann Bob Ida Leo Dan Ève"),
    ("Person", [descriptor("name", false)], "Ève Dan Leo Ida Bob Ann"),
    ("Person", [descriptor("name", true, .caseInsensitive)], "Ann Bob Dan Ève Ida Leo"),
    ("Person", [descriptor("name", false, .localized)], "Leo Ida Ève Dan Bob Ann"),
    ("Person", [descriptor("nick", true, .localizedCaseInsensitive)], "Bob Leo Ann Dan Ève Ida"),
    ("Person", [descriptor("age")], "Ida Bob Ann Dan Ève Leo"),
    ("Person", [descriptor("age", false)], "Leo Ève Ann Dan Bob Ida"),
    ("Person", [descriptor("age", nulls: true)], "Bob Ann Dan Ève Leo Ida"),
    ("Person", [descriptor("age", false, nulls: true)], "Ida Leo Ève Ann Dan Bob"),
    ("Person", [descriptor("age"), descriptor("name", false)], "Ida Bob Dan Ann Ève Leo"),
    ("Person", [descriptor("member"), descriptor("age", false)], "Leo Dan Bob Ève Ann Ida"),
    ("Person", [descriptor("visits")], "Dan Ève Ida Leo Bob Ann"),
    ("Person", [descriptor("visits", false)], "Ann Bob Leo Ida Ève Dan"),
    ("Person", [descriptor("balance")], "Dan Bob Ève Ann Ida Leo"),
    ("Person", [descriptor("height")], "Ève Ida Ann Dan Bob Leo"),
    ("Person", [descriptor("weight")], "Ève Dan Ida Ann Bob Leo"),
    ("Person", [descriptor("born")], "Dan Leo Ève Ann Ida Bob"),
    ("Person", [descriptor("photo")], "Ève Dan Ida Leo Bob Ann"),
    ("Person", [descriptor("token")], "Bob Ève Dan Ida Leo Ann"),
    ("Person", [descriptor("site", false)], "Ann Bob Ève Dan Ida Leo"),
    ("Person", [descriptor("misc")], "Dan Ida Leo Ann Ève Bob"),
    ("Person", [descriptor("boss.name")], "Ève Leo Dan Ann Bob Ida"),
    ("Person", [descriptor("boss.boss.name"), descriptor("age")], "Ida Bob Ann Ève Leo Dan"),
    ("Person", [descriptor("boss")], "Ève Leo Dan Ann Bob Ida"),
    ("Person", [descriptor("notes.@count"), descriptor("name")], "Leo Dan Bob Ida Ève Ann"),
    ("Person", [descriptor("salary", false)], "Leo Ida Ann Bob Ève Dan"),
    ("Person", [descriptor(nil, false)], "Leo Ida Dan Ève Bob Ann"),
    ("Person", [descriptor("self", false)], "Leo Ida Dan Ève Bob Ann"),
    ("Note", [descriptor("title")], "t1 t2 n2 n1 n4 n3"),
    ("Note", [descriptor("title", true, .caseInsensitive)], "t1 t2 n2 n1 n3 n4"),
    ("Note", [descriptor("title", true, .localizedStandard)], "t1 t2 n1 n2 n3 n4"),
    ("Note", [descriptor("author.name"), descriptor("pages", false)], "n4 n2 n1 n3 t2 t1"),
  ]

  @Test(arguments: orders)
  func `sort descriptors order rows`(_ order: (entity: String, descriptors: [Descriptor], names: String)) throws {
    #expect(try FetchSamples.found(FetchRequest(order.entity, sortedBy: order.descriptors)) == order.names)
    // The same order for each pair of neighbours, and for each small limit.
    let entity = try #require(FetchSamples.shared.model[order.entity])
    var request = FetchRequest(order.entity, sortedBy: order.descriptors)
    let prepared = try PreparedFetch(request, of: entity)
    let names = order.names.split(separator: " ").map(String.init)
    let subjects = try names.map {
      RowSubject(try #require(FetchSamples.shared.row(FetchSamples.shared.key($0))), FetchSamples.shared)
    }
    for (first, second) in zip(subjects, subjects.dropFirst()) {
      #expect(try !prepared.precedes(second, first))
      if try !prepared.precedes(first, second) { #expect(first.row.key < second.row.key) }
    }
    for limit in 1...names.count {
      request.fetchLimit = limit
      #expect(try FetchSamples.found(request) == names.prefix(limit).joined(separator: " "))
    }
  }

  /// Strings in the order of a comparison. Equal strings are in one line.
  static let texts: [(FetchRequest.SortComparison, [[String]])] = [
    (
      .compare,
      [
        [""], ["10"], ["9"], ["A"], ["Ab"], ["Z"], ["a"], ["abcdefgh"], ["abcdefgha"], ["abcdefghb"],
        ["e\u{301}", "é"], ["ﬁ"],
      ]
    ),
    (
      .caseInsensitive,
      [
        [""], ["AB", "ab", "Ab"], ["abcdefghA", "abcdefgha"], ["e"], ["ez"], ["É", "é"], ["f"], ["STRASSE", "Straße"],
      ]
    ),
    (.localized, [["Ab"], ["ab"], ["áb"], ["abc"], ["B"], ["b"], ["Émile"], ["eze"]]),
    (.localizedCaseInsensitive, [["Ab", "ab", "AB"], ["áb", "Áb"], ["B", "b"], ["ez"]]),
    (
      .localizedStandard,
      [
        [""], ["0"], ["00 a"], ["9"], ["010"], ["10"], ["11"], ["A2"], ["a2"], ["a٣"], ["a10"], ["á10"],
        ["a" + String(repeating: "9", count: 300)], ["a1" + String(repeating: "0", count: 300)], ["ab"], ["Note 9 b"],
        ["note 10 a"],
      ]
    ),
  ]

  @Test(arguments: texts) func `string comparisons are the same on all platforms`(
    _ order: (comparison: FetchRequest.SortComparison, texts: [[String]])
  ) throws {
    let descriptor = Descriptor("name", comparison: order.comparison)
    let sorting = try FetchOrder([descriptor], PreparationContext())
    let all = order.texts.enumerated().flatMap { rank, texts in texts.map { (rank, $0) } }
    for (rank, text) in all {
      for (otherRank, other) in all {
        let expected = PredicateOrder(rank, otherRank)
        let (first, second): ([String: AttributeValue], [String: AttributeValue]) = (
          ["name": .string(text)], ["name": .string(other)]
        )
        #expect(try sorting.order(of: first, second) == expected, "\(order.comparison): \(text) and \(other)")
      }
    }
  }

  @Test func `strings sort as in Swift, and the sort is stable`() throws {
    var numbers = RandomNumbers(state: 3)
    let letters = ["a", "b", "A", "é", "e", "\u{301}", "z", "0", "ﬁ", "한", "😀", "\u{1112}", "\u{1161}"]
    let texts = (0..<3000).map { _ in
      (0..<Int.random(in: 0..<12, using: &numbers)).map { _ in letters.randomElement(using: &numbers)! }.joined()
    }
    let subject = { (text: (offset: Int, element: String)) -> [String: AttributeValue] in ["t": .string(text.element)] }
    let numbered = Array(texts.enumerated())
    let order = try FetchOrder([Descriptor("t")], PreparationContext())
    let sorted = try order.sorted(numbered, first: .max, by: subject)
    let expected = numbered.sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    #expect(sorted.map(\.offset) == expected.map(\.offset))
    let few = try order.sorted(numbered, first: 100, by: subject)
    #expect(few.map(\.offset) == expected.prefix(100).map(\.offset))
  }

  @Test(arguments: [0, 1, 4, 6, 9, .max], [0, 1, 2, 6, 9, .max])
  func `offset and limit select a range of the results`(_ offset: Int, _ limit: Int) throws {
    let all = ["Ann", "Bob", "Ève", "Dan", "Ida", "Leo"]
    let expected = all.dropFirst(offset).prefix(limit == 0 ? .max : limit)
    let model = FetchSamples.shared.model
    let entity = try #require(model["Person"])
    for predicate in [nil, try ManagedPredicate(format: "name != 'x'")] {
      for order in [[], [Descriptor(nil)]] {
        var request = FetchRequest("Person", where: predicate, sortedBy: order)
        request.fetchOffset = offset
        request.fetchLimit = limit
        #expect(try FetchSamples.found(request) == expected.joined(separator: " "))
        request.resultType = .objectIDs
        #expect(
          try request.execute(on: FetchSamples.shared, of: entity)
            == .keys(expected.map { FetchSamples.shared.key($0) }))
        request.resultType = .count
        #expect(try request.execute(on: FetchSamples.shared, of: entity) == .count(expected.count))
        request.resultType = .dictionaries
        request.propertiesToFetch = [.property("name")]
        guard case .dictionaries(let found) = try request.execute(on: FetchSamples.shared, of: entity) else {
          Issue.record("no dictionaries")
          continue
        }
        #expect(found.count == expected.count)
      }
    }
  }

  @Test func `a request excludes objects of subentities if includesSubentities is false`() throws {
    var request = FetchRequest("Note")
    #expect(try FetchSamples.found(request) == "n1 n2 n3 n4 t1 t2")
    request.includesSubentities = false
    #expect(try FetchSamples.found(request) == "n1 n2 n3 n4")
    #expect(try FetchSamples.found(FetchRequest("Task")) == "t1 t2")
    request.resultType = .count
    let entity = try #require(FetchSamples.shared.model["Note"])
    #expect(try request.execute(on: FetchSamples.shared, of: entity) == .count(4))
    request.predicate = try ManagedPredicate(format: "pages > 2")
    #expect(try request.execute(on: FetchSamples.shared, of: entity) == .count(2))
  }

  @Test func `predicates accept objects and object IDs as arguments`() throws {
    let samples = FetchSamples.shared
    let (ann, leo) = (samples.key("Ann"), samples.key("Leo"))
    let id = ManagedObjectID(ann, model: samples.model, storeIdentifier: "S")
    #expect(try FetchSamples.found("Note", "author == %@", ann) == "n1 n2")
    #expect(try FetchSamples.found("Note", "author == %@", id) == "n1 n2")
    #expect(try FetchSamples.found("Note", "author != %@", id) == "n3 n4 t1 t2")
    #expect(try FetchSamples.found("Note", "author IN %@", [id]) == "n1 n2")
    #expect(try FetchSamples.found("Person", "SELF == %@", leo) == "Leo")
    #expect(try FetchSamples.found("Person", "self IN %@", Set([ann, leo])) == "Ann Leo")
    #expect(try FetchSamples.found("Person", "objectID IN %@", [leo, ann]) == "Ann Leo")
    #expect(try FetchSamples.found("Person", "NOT SELF IN %@", [leo, ann]) == "Bob Ève Dan Ida")
    #expect(
      try FetchSamples.found("Person", "boss IN %@", [PredicateConstant.null, .object(leo)]) == "Ann Bob Ève Ida Leo")
    #expect(try FetchSamples.found("Person", "ANY reports == %@", ann) == "Leo")
    #expect(try FetchSamples.found("Group", "members CONTAINS %@", ann) == "Chess")
    #expect(try FetchSamples.found("Group", "ANY members IN %@", [ann]) == "Chess")
    #expect(try FetchSamples.found("Group", "SUBQUERY(members, $m, $m == %@).@count == 1", ann) == "Chess")
    // A path can start at an object, as in fetched properties.
    let predicate = try ManagedPredicate(format: "age == $FETCH_SOURCE.age AND boss.name == $FETCH_SOURCE.boss.name")
    #expect(
      try FetchSamples.found(FetchRequest("Person", where: predicate.substituting(["FETCH_SOURCE": ann]))) == "Ann")
  }

  @Test func `a request stored under a name is in the new model only and does not change version hashes`() throws {
    let model = FetchSamples.shared.model
    let request = FetchRequest("Person", where: try ManagedPredicate(format: "age >= $LEAST"))
    let changed = try model.settingFetchRequestTemplate(request, forName: "atLeast")
    #expect(
      try FetchSamples.found(changed.fetchRequest(fromTemplate: "atLeast", substituting: ["LEAST": 41]))
        == FetchSamples.found("Person", "age >= 41"))
    #expect(model.fetchRequestTemplates["atLeast"] == nil && changed != model)
    #expect(changed.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(changed.fetchRequestTemplates.count == model.fetchRequestTemplates.count + 1)
    var everybody = request
    everybody.predicate = nil
    let replaced = try changed.settingFetchRequestTemplate(everybody, forName: "atLeast")
    #expect(replaced.fetchRequestTemplates["atLeast"] == everybody)
    #expect(try replaced.settingFetchRequestTemplate(nil, forName: "atLeast") == model)
    let error = #expect(throws: ManagedObjectModelError.self) {
      try model.settingFetchRequestTemplate(FetchRequest("Ghost"), forName: "ghosts")
    }
    guard case .invalid(let defects)? = error else { return }
    #expect(defects.map(\.kind) == [.unknownName])
  }

  @Test func `a template returns a request with its variables substituted`() throws {
    let model = FetchSamples.shared.model
    #expect(try FetchSamples.found(model.fetchRequest(fromTemplate: "adults")) == "Ann Bob Ève Dan Leo")
    #expect(
      try FetchSamples.found(model.fetchRequest(fromTemplate: "byAge", substituting: ["LOW": 26, "HIGH": 41]))
        == "Ann Ève Dan")
    let ann = FetchSamples.shared.key("Ann")
    #expect(
      try FetchSamples.found(model.fetchRequest(fromTemplate: "notesOf", substituting: ["AUTHOR": ann])) == "n1 n2")
    for (name, variables, code, kind) in [
      ("nothing", [:], .undefinedKey, nil), ("byAge", ["LOW": 1], .unsupportedRequest, .unboundVariable),
      ("byAge", ["LOW": 1, "HIGH": "x"], .unsupportedRequest, .typeMismatch),
      ("notesOf", ["AUTHOR": 5], .unsupportedRequest, .typeMismatch),
    ] as [(String, [String: any PredicateArgument], ManagedObjectError.Code, ManagedPredicateError.Kind?)] {
      let error = #expect(throws: ManagedObjectError.self) {
        try model.fetchRequest(fromTemplate: name, substituting: variables)
      }
      #expect(error?.code == code && error?.predicateError?.kind == kind)
    }
  }

  private static func changed(_ entity: String, _ change: (inout FetchRequest) -> Void) -> FetchRequest {
    var request = FetchRequest(entity)
    change(&request)
    return request
  }

  /// Requests that cannot be executed, and the invalid key.
  static let defects: [(String, FetchRequest, ManagedObjectError.Code, String?)] = [
    ("unknown entity", FetchRequest("Nobody"), .undefinedKey, "Nobody"),
    ("limit", changed("Person") { $0.fetchLimit = -1 }, .unsupportedRequest, nil),
    ("offset", changed("Person") { $0.fetchOffset = -1 }, .unsupportedRequest, nil),
    ("unknown sort key", FetchRequest("Person", sortedBy: [Descriptor("nmae")]), .undefinedKey, "nmae"),
    (
      "to-many sort key", FetchRequest("Person", sortedBy: [Descriptor("notes.pages")]), .unsupportedRequest,
      "notes.pages"
    ),
    (
      "sort by to-many relationship", FetchRequest("Person", sortedBy: [Descriptor("notes")]), .unsupportedRequest,
      "notes"
    ),
    (
      "sort by sum", FetchRequest("Person", sortedBy: [Descriptor("notes.@sum.pages")]), .unsupportedRequest,
      "notes.@sum.pages"
    ),
    ("empty sort key", FetchRequest("Person", sortedBy: [Descriptor("")]), .unsupportedRequest, ""),
    (
      "unknown comparison", FetchRequest("Person", sortedBy: [Descriptor("name", comparison: .other("reverse:"))]),
      .unsupportedRequest,
      "name"
    ),
    (
      "text comparison of numbers",
      FetchRequest("Person", sortedBy: [Descriptor("age", comparison: .localized)]),
      .unsupportedRequest, "age"
    ),
    (
      "unknown relationship to prefetch", changed("Person") { $0.relationshipKeyPathsForPrefetching = ["notes.x"] },
      .undefinedKey, "notes.x"
    ),
    (
      "attribute to prefetch", changed("Person") { $0.relationshipKeyPathsForPrefetching = ["notes.title"] },
      .unsupportedRequest, "notes.title"
    ),
    ("groups of objects", changed("Person") { $0.propertiesToGroupBy = [.property("age")] }, .unsupportedRequest, nil),
    (
      "having condition on objects", changed("Person") { $0.havingPredicate = .constant(true) }, .unsupportedRequest,
      nil
    ),
  ]

  @Test(arguments: defects) func `an invalid request throws an error with the invalid key`(
    _ defect: (name: String, request: FetchRequest, code: ManagedObjectError.Code, key: String?)
  ) throws {
    let error = #expect(throws: ManagedObjectError.self, "\(defect.name)") {
      try defect.request.check(against: FetchSamples.shared.model)
    }
    #expect(error?.code == defect.code && error?.key == defect.key, "\(defect.name): \(String(describing: error))")
    let entity = try #require(FetchSamples.shared.model["Person"])
    if defect.request.entityName == "Person" {
      #expect(throws: ManagedObjectError.self) { try defect.request.execute(on: FetchSamples.shared, of: entity) }
    }
  }

  @Test func `prefetching accepts relationships of subentities and key paths of several steps`() throws {
    let request = Self.changed("Person") {
      $0.relationshipKeyPathsForPrefetching = ["notes", "notes.tags", "boss.groups", "notes.links.author"]
    }
    #expect(throws: Never.self) { try request.check(against: FetchSamples.shared.model) }
  }
}
