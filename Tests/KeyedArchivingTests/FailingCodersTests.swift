import Foundation
import KeyedArchiving
import PropertyLists
import Testing

/// A custom error.
private struct Refusal: Error, Equatable {
  let reason: String
}

/// A type that refuses some of its values when they are encoded or decoded.
private final class Picky: SecureCoding {
  static let archivedClass = ArchivedClass("Picky")

  let text: String
  var parts: [Picky] = []

  init(_ text: String, _ parts: [Picky] = []) {
    self.text = text
    self.parts = parts
  }

  init(coder: KeyedUnarchiver) throws {
    text = try coder.decode(String.self, forKey: "text")
    coder.publish(self)
    parts = try coder.decode([Picky].self, forKey: "parts")
    if text == "not decoded" { throw Refusal(reason: "decoding") }
    if text == "invalid" { throw coder.failure(.invalidContents, "a text that is not valid") }
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(text, forKey: "text")
    if text == "not encoded" { throw Refusal(reason: "encoding") }
    try coder.encode(parts, forKey: "parts")
  }
}

/// A type that continues after errors.
private final class Stubborn: SecureCoding {
  static let archivedClass = ArchivedClass("Stubborn")

  let parts: [Picky]
  let other: Picky?

  init(_ parts: [Picky]) {
    self.parts = parts
    other = nil
  }

  init(coder: KeyedUnarchiver) throws {
    parts = (try? coder.decode([Picky].self, forKey: "parts")) ?? []
    other = try? coder.decode(Picky.self, forKey: "first")
  }

  func encode(with coder: KeyedArchiver) throws {
    for part in parts { try? coder.encode(part, forKey: part.text) }
  }
}

@Suite("Errors of types that use the coders") struct FailingCodersTests {
  @Test func `a type's own error is thrown by the decoding call, and the unarchiver can be used again`() throws {
    let archiver = KeyedArchiver()
    let good = Picky("good")
    try archiver.encode(Picky("outer", [good, Picky("not decoded", [good]), good]), forKey: "bad")
    try archiver.encode(good, forKey: "good")
    try archiver.encode([Picky("invalid")], forKey: "invalid")
    try archiver.encode(5, forKey: "number")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    for _ in 0..<3 {
      #expect(throws: Refusal(reason: "decoding")) { try unarchiver.decode(Picky.self, forKey: "bad") }
      #expect(throws: Refusal(reason: "decoding")) { try unarchiver.decodeIfPresent(Picky.self, forKey: "bad") }
      #expect(throws: Refusal(reason: "decoding")) { try unarchiver.decode(of: [Picky.self], forKey: "bad") }
      #expect(throws: Refusal(reason: "decoding")) { try unarchiver.decodeTopLevelObject(Picky.self, forKey: "bad") }
      let error = archiveError { _ = try unarchiver.decode([Picky].self, forKey: "invalid") }
      #expect(error?.description.hasPrefix("invalid[0].parts: a text that is not valid (object ") == true)
      #expect(try unarchiver.decode(Picky.self, forKey: "good").text == "good")
      #expect(try unarchiver.decode(Int.self, forKey: "number") == 5)
    }
  }

  @Test func `a later reference does not lead to a refused object`() throws {
    // The part publishes itself, is refused, and is requested again.
    let unarchiver = try HandmadeArchive.unarchiver {
      let text = $0.add("not decoded")
      let empty = $0.addArray([])
      let picky = $0.addObject("Picky", ["text": text, "parts": empty])
      return $0.addObject("Stubborn", ["parts": $0.addArray([picky]), "first": picky])
    }
    let stubborn = try unarchiver.decode(Stubborn.self, forKey: "root")
    #expect(stubborn.parts.isEmpty && stubborn.other == nil)
  }

  @Test func `a failed archiver throws the error again, and returns no archive`() throws {
    for format in PropertyListFormat.allCases {
      let archiver = KeyedArchiver(outputFormat: format)
      try archiver.encode(Picky("good"), forKey: "good")
      let bad = Picky("outer", [Picky("good"), Picky("not encoded")])
      #expect(throws: Refusal(reason: "encoding")) { try archiver.encode(bad, forKey: "bad") }
      #expect(throws: Refusal(reason: "encoding")) { try archiver.encode(5, forKey: "number") }
      #expect(throws: Refusal(reason: "encoding")) { try archiver.encode(Picky("good"), forKey: "more") }
      #expect(throws: Refusal(reason: "encoding")) { try archiver.encodedData() }
    }
    #expect(throws: Refusal(reason: "encoding")) {
      try KeyedArchiver.archivedData(withRootObject: Picky("not encoded"))
    }
  }

  @Test func `a failed archiver returns no archive, even if a type has caught the error`() throws {
    let archiver = KeyedArchiver()
    let stubborn = Stubborn([Picky("a"), Picky("not encoded"), Picky("b")])
    #expect(throws: Refusal(reason: "encoding")) { try archiver.encode(stubborn, forKey: "root") }
    #expect(throws: Refusal(reason: "encoding")) { try archiver.encodedData() }
  }

  @Test func `a key that is encoded twice is an error with the key`() throws {
    struct Twice: SecureCoding {
      init() {}
      init(coder: KeyedUnarchiver) {}
      func encode(with coder: KeyedArchiver) throws {
        try coder.encode(1, forKey: "a")
        try coder.encode("b", forKey: "b")
        try coder.encode(2, forKey: "a")
      }
    }
    let archiver = KeyedArchiver()
    let error = archiveError { try archiver.encode([Twice()], forKey: "root") }
    #expect(error?.kind == .duplicateKey && error?.code == 4866)
    #expect(error?.description == "root[0].a: the key \"a\" was encoded twice in one object")
    #expect(archiveError { _ = try archiver.encodedData() }?.kind == .duplicateKey)
    let top = KeyedArchiver()
    try top.encode(1, forKey: "a")
    try top.encode(1, forKey: "a")
    #expect(archiveError { _ = try top.encodedData() }?.kind == .duplicateKey)
  }

  @Test func `an archive is finished once, and not by an encoded value`() throws {
    struct Impatient: SecureCoding {
      init() {}
      init(coder: KeyedUnarchiver) {}
      func encode(with coder: KeyedArchiver) throws {
        #expect(archiveError { _ = try coder.encodedData() }?.kind == .finished)
      }
    }
    let archiver = KeyedArchiver()
    try archiver.encode(Impatient(), forKey: "root")
    #expect(try archiver.encodedData().isEmpty == false)
    #expect(archiveError { _ = try archiver.encodedData() }?.kind == .finished)
    #expect(archiveError { try archiver.encode(1, forKey: "late") }?.kind == .finished)
  }

  @Test func `values without a form are refused`() throws {
    let archiver = KeyedArchiver()
    let error = archiveError { try archiver.encode(propertyList: [["uid": .reference(1)]], forKey: "list") }
    #expect(error?.kind == .invalidValue && error?.code == 4866)
    #expect(archiveError { _ = try archiver.encodedData() }?.kind == .invalidValue)

    struct Other: SecureCoding {
      static let archivedClass = ArchivedClass("Picky", superclass: ArchivedClass("Base"))
      init() {}
      init(coder: KeyedUnarchiver) {}
      func encode(with coder: KeyedArchiver) {}
    }
    let two = KeyedArchiver()
    try two.encode(Picky("a"), forKey: "a")
    #expect(archiveError { try two.encode(Other(), forKey: "b") }?.kind == .invalidValue)
  }
}

/// An object that must not appear in an archive.
private final class Secret: SecureCoding {
  static let archivedClass = ArchivedClass("Secret")

  let replacement: (any SecureCoding)?
  var askedCount = 0

  init(_ replacement: (any SecureCoding)?) { self.replacement = replacement }

  init(coder: KeyedUnarchiver) { replacement = nil }

  func encode(with coder: KeyedArchiver) throws {}

  func replacementObject(for coder: KeyedArchiver) -> (any SecureCoding)? {
    askedCount += 1
    return replacement
  }
}

/// Calls an archiver while its class name is requested.
private struct Inquisitive: SecureCoding {
  nonisolated(unsafe) static var archiver: KeyedArchiver?

  static var archivedClass: ArchivedClass { ArchivedClass(archiver?.className(for: Inquisitive.self) ?? "Inquisitive") }

  init() {}
  init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

@Suite("A type that uses the archiver in its class name", .serialized) struct InquisitiveTests {
  @Test func `the type is archived like any other`() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Other", for: Data.self)
    Inquisitive.archiver = archiver
    defer { Inquisitive.archiver = nil }
    try archiver.encode(Inquisitive(), forKey: "root")
    #expect(try KeyedArchive(archiver.encodedData()).classes.map(\.description.name) == ["Inquisitive"])
  }
}

@Suite("Objects with replacements") struct ReplacementTests {
  /// The kinds of references to an object, in order.
  static let orders: [[Bool]] = [
    [false], [false, false], [true, false], [false, true], [true, true, false, true], [true], [true, true],
  ]

  /// Archives references to an object whose replacement is requested once. The object itself is not in the archive.
  private func archived(
    _ secret: Secret, _ conditional: [Bool], with archiver: KeyedArchiver
  ) throws -> KeyedUnarchiver {
    for (index, isConditional) in conditional.enumerated() {
      if isConditional {
        try archiver.encodeConditionalObject(secret, forKey: "\(index)")
      } else {
        try archiver.encode(secret, forKey: "\(index)")
      }
    }
    let data = try archiver.encodedData()
    #expect(secret.askedCount == 1)
    #expect(data.firstRange(of: Data("Secret".utf8)) == nil)
    return try KeyedUnarchiver(forReadingFrom: data)
  }

  @Test(arguments: orders)
  func `all references lead to the replacement, which is requested once`(_ conditional: [Bool]) throws {
    let secret = Secret(Picky("public"))
    let unarchiver = try archived(secret, conditional, with: KeyedArchiver())
    let decoded = try conditional.indices.map { try unarchiver.decodeIfPresent(Picky.self, forKey: "\($0)") }
    let isArchived = conditional.contains(false)
    #expect(decoded.map { $0?.text } == conditional.map { _ in isArchived ? "public" : nil })
    #expect(decoded.allSatisfy { $0 === decoded[0] })
  }

  @Test(arguments: orders)
  func `the replacement can be a value, or an object that is also archived itself`(_ conditional: [Bool]) throws {
    let known = Picky("known")
    let replacements: [(any SecureCoding, String)] = [
      ("text", "text"), (5, "5"), (["a", "b"], #"["a", "b"]"#), (known, ""), (Int?.none, "nil"),
    ]
    for (replacement, description) in replacements {
      let secret = Secret(replacement)
      let archiver = KeyedArchiver()
      try archiver.encode(known, forKey: "known")
      let unarchiver = try archived(secret, conditional, with: archiver)
      let types: [any SecureCoding.Type] = [String.self, Int.self, [String].self, Picky.self]
      for index in conditional.indices {
        let decoded = try unarchiver.decodeIfPresent(of: types, forKey: "\(index)")
        if replacement is Picky {
          #expect(decoded as? Picky === (try unarchiver.decode(Picky.self, forKey: "known")))
        } else {
          #expect(decoded.map { "\($0)" } ?? "nil" == (conditional.contains(false) ? description : "nil"))
        }
      }
    }
  }
}
