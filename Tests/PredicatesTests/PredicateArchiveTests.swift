import FoundationEssentials
import KeyedArchiving
import Predicates
import PredicatesSamples
import PropertyLists
import TestSupport
import Testing

@Suite("Archived predicates") struct PredicateArchiveTests {
  private func archived(_ predicate: ManagedPredicate) throws -> Data {
    let archiver = KeyedArchiver()
    try archiver.encode(predicate, forKey: "root")
    return try archiver.encodedData()
  }

  private func unarchived(_ data: Data) throws -> ManagedPredicate? {
    try KeyedUnarchiver(forReadingFrom: data).decodePredicateIfPresent(forKey: "root")
  }

  @Test(arguments: PredicateSearchTests.searches.map(\.0) + PredicateSearchTests.facts.map(\.0))
  func `an archived predicate is decoded to the same tree`(_ format: String) throws {
    guard !format.contains("'nan'") else { return }
    let predicate = try ManagedPredicate(format: format)
    if format.contains("UTI-") {
      #expect(throws: KeyedArchiveError.self) { try archived(predicate) }
    } else {
      #expect(try unarchived(archived(predicate)) == predicate)
    }
  }

  @Test func `archives have the classes and keys of Core Data's files`() throws {
    let predicate = try ManagedPredicate(format: "name CONTAINS[c] 'x' AND age <= 3 AND count($a.b) == 1")
    let archive = try KeyedArchive(archived(predicate))
    var classes: [String: Set<String>] = [:]
    for object in archive.objects {
      guard let name = object.className else { continue }
      classes[name, default: []].formUnion(try object.fields.map(\.key))
    }
    #expect(classes["NSComparisonPredicate"] == ["NSLeftExpression", "NSRightExpression", "NSPredicateOperator"])
    #expect(classes["NSCompoundPredicate"] == ["NSCompoundPredicateType", "NSSubpredicates"])
    #expect(classes["NSComparisonPredicateOperator"] == ["NSModifier", "NSVariant", "NSOptions", "NSOperatorType"])
    #expect(classes["NSEqualityPredicateOperator"] == ["NSModifier", "NSNegate", "NSOptions", "NSOperatorType"])
    #expect(classes["NSInPredicateOperator"] == ["NSModifier", "NSFlags", "NSOperatorType"])
    let call: Set = ["NSOperand", "NSSelectorName", "NSExpressionType", "NSArguments"]
    #expect(classes["NSKeyPathExpression"] == call && classes["NSFunctionExpression"] == call)
    #expect(classes["NSKeyPathSpecifierExpression"] == ["NSExpressionType", "NSKeyPath"])
    #expect(classes["NSVariableExpression"] == ["NSExpressionType", "NSVariable"])
    #expect(classes["NSSelfExpression"] == ["NSExpressionType"])
  }

  /// Returns the elements of a set in the archive of a predicate, in the order of the archive.
  private func archivedElements(ofSet constants: [PredicateConstant]) throws -> [PropertyList] {
    let predicate = ManagedPredicate.comparing(.evaluatedObject, .in, .constant(.set(Set(constants))))
    let objects = try #require(try PropertyList(archived(predicate))["$objects"]?.array)
    let sets = objects.filter { object in
      guard case .uid(let uid)? = object["$class"] else { return false }
      return objects[Int(uid.value)]["$classname"] == "NSSet"
    }
    #expect(sets.count == 1)
    return try #require(sets.first?["NS.objects"]?.array).map { element in
      guard case .uid(let uid) = element else { return element }
      return objects[Int(uid.value)]
    }
  }

  @Test func `the elements of a set are archived in sorted order`() throws {
    let names = (10..<30).map { "name \($0)" }
    #expect(try archivedElements(ofSet: names.map { .value(.string($0)) }) == names.map { .string($0) })
  }

  @Test func `elements of a set with the same text are archived in one order`() throws {
    let numbers: [PredicateConstant] = [1.5, 2.5, 3.5].flatMap { [.value(.double($0)), .value(.float(Float($0)))] }
    let expected: [PropertyList] = [.real(1.5), .float(1.5), .real(2.5), .float(2.5), .real(3.5), .float(3.5)]
    #expect(try archivedElements(ofSet: numbers) == expected)
    #expect(try archivedElements(ofSet: numbers.reversed()) == expected)
  }

  private struct Font: SecureCoding {
    static let archivedClass = ArchivedClass("Font")
    var size: Int

    init(size: Int) { self.size = size }
    init(coder: KeyedUnarchiver) throws { size = try coder.decode(Int.self, forKey: "size") }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(size, forKey: "size") }
  }

  @Test func `elements of a set that are objects of unknown classes keep their order`() throws {
    let sizes = Array(10..<30)
    let archiver = KeyedArchiver()
    try archiver.encode(sizes.map { Font(size: $0) }, forKey: "fonts")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    unarchiver.setClass(OpaqueObject.self, forClassName: "Font")
    let fonts = try unarchiver.decode([OpaqueObject].self, forKey: "fonts")
    #expect(try archivedElements(ofSet: fonts.map { .opaque($0) }).map { $0["size"]?.int } == sizes)
  }

  @Test func `other classes are refused, and nesting is limited`() throws {
    let strange = KeyedArchiver()
    try strange.encode("text", forKey: "root")
    #expect(throws: KeyedArchiveError.self) { try unarchived(strange.encodedData()) }
    var deep = ManagedPredicate.constant(true)
    for _ in 0..<200 { deep = .not(deep) }
    #expect(throws: KeyedArchiveError.self) { try unarchived(archived(deep)) }
  }

  @Test func `a damaged archive is an error or another predicate`() throws {
    var numbers = RandomNumbers(state: 3)
    let searches = PredicateSearchTests.searches.prefix(LongForm.size(200, or: 60))
    let samples = try searches.map { try archived(ManagedPredicate(format: $0.0)) }
    for _ in 0..<LongForm.size(5_000, or: 250) {
      var data = samples[Int.random(in: 0..<samples.count, using: &numbers)]
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        data[Int.random(in: 0..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      guard let predicate = try? unarchived(data) else { continue }
      _ = try? predicate.evaluate(with: PredicateSamples.people[0])
      _ = predicate.description
    }
  }
}
