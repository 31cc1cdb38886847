/// A sequence of the words of an SQL statement, in upper case, and its punctuation marks.
///
/// Each string literal and each quoted name is represented by the element `"`, without its text. Comments are skipped.
struct StatementWords: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ statement: String) { rest = ArraySlice(statement.utf8) }

  mutating func next() -> String? {
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: " "), 0x09...0x0D: rest.removeFirst()
      case UInt8(ascii: "-") where rest.dropFirst().first == byte: skip(through: 0x0A)
      case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"): skipComment()
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        rest.removeFirst()
        skip(through: byte)
        return "\""
      case UInt8(ascii: "["):
        skip(through: UInt8(ascii: "]"))
        return "\""
      case let byte where Self.isPartOfWord(byte): return word()
      default:
        rest.removeFirst()
        return String(Unicode.Scalar(byte))
      }
    }
    return nil
  }

  /// Skips all bytes up to and including `end`. A quoted word that contains a doubled quotation mark counts as two
  /// quoted words.
  private mutating func skip(through end: UInt8) { rest = rest.firstIndex(of: end).map { rest[($0 + 1)...] } ?? [] }

  private mutating func skipComment() {
    rest.removeFirst(2)
    while let star = rest.firstIndex(of: UInt8(ascii: "*")) {
      rest = rest[(star + 1)...]
      if rest.first == UInt8(ascii: "/") {
        rest.removeFirst()
        return
      }
    }
    rest = []
  }

  private mutating func word() -> String {
    let end = rest.firstIndex { !Self.isPartOfWord($0) } ?? rest.endIndex
    defer { rest = rest[end...] }
    return String(decoding: rest[..<end], as: UTF8.self).uppercased()
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
