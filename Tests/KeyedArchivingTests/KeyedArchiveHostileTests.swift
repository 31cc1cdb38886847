import ArchiveViews
import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("Hostile keyed archives") struct KeyedArchiveHostileTests {
  /// A chain of objects.
  private func chain(_ count: UInt32, key: String, _ object: (PropertyList) -> PropertyList) throws -> KeyedArchive {
    var objects: [PropertyList] = []
    for uid in 1..<count { objects.append(object(.uid(uid + 1))) }
    objects.append("end")
    objects.append(.described(key))
    return try KeyedArchive(PropertyList.archive(objects: objects).data(format: .binary))
  }

  /// Calls every function of an archive.
  @discardableResult
  private func look(at archive: KeyedArchive) throws -> (tree: String, json: Data) {
    for object in archive.objects.prefix(1000) { _ = (object.kind, object.className, try? object.fields, object.value) }
    _ = try archive.classes
    _ = try archive.references()
    _ = try archive.graph()
    _ = try archive.graph(depth: 100)
    return (try archive.tree(), try archive.jsonData())
  }

  @Test func `a thread with 512 KB of stack shows thousands of nested objects`() throws {
    // Enough for a stack overflow if each level took 256 bytes of the stack.
    let many = UInt32(LongForm.size(30_000, or: 2_000))
    // Enough if each level took 512 bytes.
    let fewer = UInt32(LongForm.size(5_000, or: 1_000))
    let chains = [
      try chain(many, key: "Node") { ["next": $0, "$class": .uid(many + 1)] },
      try chain(fewer, key: "NSArray") { ["NS.objects": [$0], "$class": .uid(fewer + 1)] },
      try chain(fewer, key: "NSDictionary") { ["NS.keys": [$0], "NS.objects": [1], "$class": .uid(fewer + 1)] },
      try chain(fewer, key: "NSURL") { ["NS.relative": "x", "NS.base": $0, "$class": .uid(fewer + 1)] },
      try chain(fewer, key: "Unused") { $0 },
    ]
    let outcome = OnSmallStack.run {
      for (index, archive) in chains.enumerated() {
        let expected: Set<KeyedArchive.Finding.Kind> = index == 4 ? [.invalidObject, .unreachableObject] : []
        #expect(Set(archive.check().map(\.kind)) == expected)
        let (tree, json) = try self.look(at: archive)
        // Linear, not quadratic, in the input.
        let count = archive.objects.count
        #expect(tree.utf8.count < 400 * count && json.count < 800 * count)
        #expect(tree.contains("\"end\"") && String(decoding: json, as: UTF8.self).contains("\"end\""))
        _ = try JSONSerialization.jsonObject(with: json)
      }
    }
    #expect(outcome.error == nil && outcome.value != nil)
  }

  @Test func `objects that are too deep come after the others`() throws {
    let archive = try chain(150, key: "Node") { ["next": $0, "$class": .uid(151)] }
    let tree = try archive.tree().split(separator: "\n")
    #expect(tree.first == "root: Node")
    #expect(tree.filter { $0.hasPrefix("#") } == ["#65 Node", "#129 Node"])
    #expect(tree.filter { $0.hasSuffix("→ #65") }.count == 1)
    let json = try JSONDecoder().decode(JSONValue.self, from: archive.jsonData())
    #expect(json["$deep"]?.array?.count == 2)
    var matcher = JSONMatcher(archive)
    try matcher.match(json)
  }

  @Test func `overlapping objects are an error, quickly`() throws {
    let size = LongForm.size(2000, or: 300)
    let limits = LongForm.isWanted ? ParsingLimits() : ParsingLimits(expandedSize: 1 << 14, expansionRatio: 1)
    for file in [
      BinaryFile.sharedDictionary(entries: size, objects: size), BinaryFile.sharedTree(depth: 40),
      BinaryFile.overlappingKeys(count: 500),
    ] {
      let document = try PropertyListDocument(file.data, options: .init(limits: limits))
      let archive = try KeyedArchive(document)
      let duration = ThreadClock.measure {
        let error = #expect(throws: KeyedArchiveError.self) { try archive.tree() }
        #expect(error?.kind == .limitExceeded)
        #expect(throws: KeyedArchiveError.self) { try archive.jsonData() }
        #expect(KeyedArchive.check(document).last?.kind == .limitExceeded)
        _ = try? archive.classes
        _ = try? archive.references()
        for object in archive.objects.prefix(3) { _ = (object.className, try? object.fields) }
      }
      #expect(duration < ThreadClock.referenceSecond * LongForm.size(60, or: 10))
    }
  }

  /// The number of damaged archives. `PLIST_MUTATIONS=100000` selects the long form.
  static let mutations =
    ProcessInfo.processInfo.environment["PLIST_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(4000, or: 100)

  @Test(arguments: [1, 2] as [UInt64]) func `damaged archives never trap, and are read quickly`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var originals: [[UInt8]] = [Array(try Fixtures.data("archives/foo-ios.bplist"))]
    for url in Fixtures.archives { originals.append(Array(try Data(contentsOf: url))) }
    for format in PropertyListFormat.allCases {
      originals.append(Array(try twoFriends(format: format).document.root.data(format: format, options: .exact)))
    }
    for _ in 0..<20 { originals.append(Array(try PropertyList.randomArchive(using: &random).data(format: .binary))) }
    for _ in 0..<Self.mutations / 2 {
      var bytes = originals.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...6, using: &random) { bytes.damageArchive(using: &random) }
      let input = Data(bytes)
      let duration = ThreadClock.measure {
        guard let document = try? PropertyListDocument(input) else { return }
        let findings = KeyedArchive.check(document)
        guard let archive = try? KeyedArchive(document) else {
          #expect(!findings.isEmpty, "\(input.base64EncodedString())")
          return
        }
        let tree = try? archive.tree()
        let json = try? archive.jsonData()
        _ = try? look(at: archive)
        for object in archive.objects { _ = (object.kind, object.className, try? object.fields, object.value) }
        if findings.isEmpty {
          #expect(tree != nil && json != nil, "\(input.base64EncodedString())")
          #expect(tree?.contains("<unreadable") != true, "\(input.base64EncodedString())")
        }
        if let json {
          #expect(throws: Never.self, "\(input.base64EncodedString())") { try JSONSerialization.jsonObject(with: json) }
        }
        if let tree {
          #expect(!tree.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(input.base64EncodedString())")
        }
      }
      // Linear in the size, with a margin.
      let allowed = ThreadClock.referenceSecond * (4 + Double(input.count) / 1000)
      if duration > allowed { Issue.record("\(duration) for \(input.base64EncodedString())") }
    }
  }
}

extension [UInt8] {
  fileprivate mutating func damageArchive(using random: inout SeededGenerator) {
    guard count > 40 else { return }
    // Changes the trailer often, because its bytes have the largest effect.
    let offset =
      Int.random(in: 0..<6, using: &random) == 0
      ? count - Int.random(in: 1...32, using: &random) : Int.random(in: 8..<count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: self[offset] = UInt8.random(in: .min ... .max, using: &random)
    case 1: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    // References and UIDs are small numbers.
    case 2: self[offset] = UInt8.random(in: 0..<30, using: &random)
    case 3: self[offset] = [0x00, 0x08, 0x22, 0x80, 0xA1, 0xD1, 0xFF, 0x50, 0x5F].randomElement(using: &random)!
    default: swapAt(offset, Int.random(in: 8..<count, using: &random))
    }
  }
}
