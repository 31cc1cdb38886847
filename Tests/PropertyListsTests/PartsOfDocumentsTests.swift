import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Parts of documents") struct PartsOfDocumentsTests {
  /// A binary file of arrays and strings. Later objects can be referred to any number of times.
  static func sharing(_ random: inout SeededGenerator, objects count: Int) -> Data {
    var objects: [[UInt8]] = []
    for index in 0..<count {
      let rest = count - index - 1
      if rest == 0 || Int.random(in: 0..<3, using: &random) == 0 {
        objects.append([0x54, 0x74, 0x65, 0x78, 0x74])
      } else if Bool.random(using: &random) {
        // The last object is a string, so it can be a key.
        let value = Int.random(in: index + 1..<count, using: &random)
        objects.append([0xD1, UInt8(count - 1), UInt8(value)])
      } else {
        var object: [UInt8] = [0xA0 + UInt8.random(in: 0...4, using: &random)]
        for _ in 0..<object[0] & 0x0F { object.append(UInt8(Int.random(in: index + 1..<count, using: &random))) }
        objects.append(object)
      }
    }
    return PropertyListCodableHostileTests.file(objects)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a part has the same value as in the whole, also if objects are shared`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let document = try PropertyListDocument(Self.sharing(&random, objects: 40))
    let whole = try PropertyList(document.root)
    for (position, child) in document.root.children.enumerated() {
      let part = try PropertyList(child.get())
      #expect(part == (whole.dictionary?.values.elements ?? whole.array ?? [])[position])
    }
  }

  @Test(arguments: [true, false]) func `IndexedNumbers returns the same numbers for few and many indices`(
    _ expectsMany: Bool
  ) {
    var numbers = IndexedNumbers(count: 1000, expectsMany: expectsMany)
    for index in stride(from: 0, to: 1000, by: 3) {
      #expect(numbers[index] == 0)
      numbers[index] = UInt32(index + 1)
    }
    for index in 0..<1000 { #expect(numbers[index] == (index % 3 == 0 ? UInt32(index + 1) : 0)) }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `validation refuses the same documents as writing`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let data = Self.sharing(&random, objects: Int.random(in: 2...60, using: &random))
    for limit in [10, 50, 100, 200, 400, 1000, 5000, 1 << 19] {
      let limits = ParsingLimits(expandedSize: limit, expansionRatio: 1)
      let document = try PropertyListDocument(data, options: PropertyListReadingOptions(limits: limits))
      let written = error { () throws(PropertyListError) in _ = try document.root.data(format: .json) }
      let checked = error { () throws(PropertyListError) in try document.validateWhole() }
      #expect(written?.kind == checked?.kind)
      for sortsKeys in [true, false] {
        let sorted = error { () throws(PropertyListError) in
          _ = try document.root.data(format: .xml, options: .init(sortsKeys: sortsKeys))
        }
        #expect(sorted?.kind == checked?.kind)
      }
    }
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `a path gives the same value before and after many lookups`(_ format: PropertyListFormat) throws {
    var tree: PropertyList = ["list": [1, ["a": 2]], "é": "composed"]
    for index in 0..<100 { tree.dictionary?["key \(index)"] = ["inner": .string("\(index)")] }
    let data = try tree.data(format: format, options: .exact)
    let document = try PropertyListDocument(data, options: .exact)
    var paths = (0..<100).map { ["key \($0)", "inner"] } + [["é"], ["list", "1", "a"], ["list", "-1", "a"]]
    // Missing keys, among them another spelling of an existing one.
    paths += [["e\u{301}"], ["key 100"], ["key 1", "outer"], ["list", "7"], ["key 1", "inner", "x"]]
    for (number, components) in (paths + paths.reversed()).enumerated() {
      let path = PropertyListKeyPath(components.map { PropertyListKeyPath.Component($0) })
      func value(_ document: PropertyListDocument) -> Result<PropertyList, PropertyListError> {
        Result { () throws(PropertyListError) in try PropertyList(document.root.descendant(at: path)) }
      }
      let found = value(document)
      // The short form compares every fifth lookup with one in a new document.
      guard LongForm.isWanted || number % 5 == 0 else { continue }
      #expect(try found == value(PropertyListDocument(data, options: .exact)), "\(path)")
    }
  }

  @Test func `a long key that all entries share is not read for each of them`() throws {
    let (count, length) = (LongForm.size(60_000, or: 6_000), 60_000)
    func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
    let references = (0..<count).flatMap { _ in number(1) } + (0..<count).flatMap { _ in number(2) }
    let dictionary = [0xDF, 0x11] + number(count) + references
    let key = [0x5F, 0x11] + number(length) + [UInt8](repeating: 0x6B, count: length)
    var file = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in [dictionary, key, [0x09]] {
      offsets.append(file.count)
      file += object
    }
    let table = file.count
    for offset in offsets { file += [UInt8(offset >> 16)] + number(offset & 0xFFFF) }
    file += [0, 0, 0, 0, 0, 0, 3, 2] + [0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 8)
    file += [0, 0, 0, 0, 0, UInt8(table >> 16)] + number(table & 0xFFFF)
    let root = try PropertyListDocument(Data(file)).root
    for _ in 0..<20 { #expect(try root.value(forKey: "other") == nil) }
    #expect(try root.value(forKey: String(repeating: "k", count: length))?.boolean == true)
  }

  @Test func `an unreadable key is an error only if it is searched past`() throws {
    // 100 entries. The key of the 60th is not ASCII.
    let references = Array(1...100 as ClosedRange<UInt8>) + [UInt8](repeating: 101, count: 100)
    var objects: [[UInt8]] = [[0xDF, 0x10, 100] + references]
    for index in 0..<100 { objects.append([0x53] + Array("k\(index < 10 ? "0" : "")\(index)".utf8)) }
    objects.append([0x09])
    objects[60][1] = 0xFF
    let document = try PropertyListDocument(PropertyListCodableHostileTests.file(objects))
    for _ in 0..<3 {
      for index in [0, 10, 40, 58, 99] {
        let path = PropertyListKeyPath([.key("k\(index < 10 ? "0" : "")\(index)")])
        #expect(try document.root.descendant(at: path).boolean == true)
      }
    }
  }
}
