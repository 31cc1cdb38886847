import FoundationEssentials
import KeyedArchiving
import Predicates
import PropertyLists
import Testing

private let samples = ProcessInfo.processInfo.environment["CORE_DATA_SAMPLES"]

/// Real archives, if available: `CORE_DATA_SAMPLES=FOLDER` with `.cdm` and `.mom` files or inflated model caches.
@Suite("Predicates of real files", .enabled(if: samples != nil)) struct PredicateFileTests {
  /// Parts of key paths and functions have no meaning of their own.
  private func isPart(_ object: PropertyList, _ className: String) -> Bool {
    className == "NSKeyPathSpecifierExpression" || object.dictionary?["NSConstantValueClassName"] != nil
  }

  @Test func `predicates of real files are read, and written with the same keys`() throws {
    let folder = try #require(samples)
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      guard name.hasSuffix(".cdm") || name.hasSuffix(".mom") else { continue }
      let data = try Data(contentsOf: URL(filePath: folder).appending(path: name))
      guard var list = try? PropertyList(data) else { continue }
      guard let objects = list.dictionary?["$objects"]?.array else { continue }
      for (index, object) in objects.enumerated() {
        guard case .uid(let uid)? = object.dictionary?["$class"],
          let className = objects[Int(uid.value)].dictionary?["$classname"]?.string
        else { continue }
        let isPredicate = className.hasSuffix("Predicate")
        guard isPredicate || className.hasSuffix("Expression"), !isPart(object, className) else { continue }
        list.dictionary?["$top"] = .dictionary(["root": .uid(PropertyList.UID(UInt32(index)))])
        let unarchiver = try KeyedUnarchiver(forReadingFrom: list.data(format: .binary))
        let archiver = KeyedArchiver()
        if isPredicate {
          let predicate = try #require(try unarchiver.decodePredicateIfPresent(forKey: "root"))
          try archiver.encode(predicate, forKey: "root")
          #expect(try ManagedPredicate(format: predicate.formatText()) == predicate)
        } else {
          let expression = try #require(try unarchiver.decodeExpressionIfPresent(forKey: "root"))
          try archiver.encode(expression, forKey: "root")
        }
        let written = try PropertyList(archiver.encodedData())
        let writtenRoot = written.dictionary?["$top"]?.dictionary?["root"]
        if case .uid(let root)? = writtenRoot {
          let again = try #require(written.dictionary?["$objects"]?.array?[Int(root.value)].dictionary)
          #expect(Set(again.keys) == Set(object.dictionary?.keys.map { $0 } ?? []), "\(className)")
        }
        count += 1
      }
    }
    #expect(count > 0)
  }
}
