/// A key press.
enum Key: Hashable, Sendable {
  case character(Character)
  /// A key pressed together with Control: `control("c")`.
  case control(Character)
  case up, down, left, right, home, end, pageUp, pageDown, delete, tab, backTab, enter, backspace, escape
  /// Pasted text, which never contains commands.
  case pasted(String)
  /// A key without a function in this program.
  case unknown

  /// Returns the keys for bytes from a terminal, and removes these bytes. An incomplete character or paste remains.
  static func keys(in bytes: inout [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let byte = rest.first {
      if rest.starts(with: pasteStart) {
        guard let end = rest.firstRange(of: pasteEnd) else {
          bytes = Array(rest)
          return keys
        }
        let text = rest[..<end.lowerBound].dropFirst(pasteStart.count)
        keys.append(.pasted(String(decoding: text, as: UTF8.self)))
        rest = rest[end.upperBound...]
      } else if byte == 0x1B {
        keys.append(sequence(&rest))
      } else if byte < 0x20 || byte == 0x7F {
        rest.removeFirst()
        keys.append(control(byte))
      } else {
        let text = rest.prefix { $0 >= 0x20 && $0 != 0x7F }
        let whole = text.dropLast(unfinished(text))
        keys += String(decoding: whole, as: UTF8.self).map { .character($0) }
        rest = rest.dropFirst(text.count)
        guard rest.isEmpty else { continue }
        bytes = Array(text.suffix(text.count - whole.count))
        return keys
      }
    }
    bytes = []
    return keys
  }

  /// The start and end marks of pasted text (xterm, bracketed paste mode).
  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private static func control(_ byte: UInt8) -> Key {
    switch byte {
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    default: .control(Character(Unicode.Scalar(byte | 0x60)))
    }
  }

  /// Reads and removes a control sequence. An escape byte without any byte after it is the Escape key.
  private static func sequence(_ rest: inout ArraySlice<UInt8>) -> Key {
    rest.removeFirst()
    guard let kind = rest.popFirst() else { return .escape }
    // A key pressed together with Alt.
    guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return .unknown }
    // Parameter bytes, then the final byte: ECMA-48, 5.4.
    let parameters = rest.prefix { (0x20...0x3F).contains($0) }
    rest = rest.dropFirst(parameters.count)
    guard let end = rest.popFirst() else { return .unknown }
    switch end {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "Z"): return .backTab
    default:
      switch String(decoding: parameters, as: UTF8.self) {
      case "1", "7": return .home
      case "4", "8": return .end
      case "3": return .delete
      case "5": return .pageUp
      case "6": return .pageDown
      default: return .unknown
      }
    }
  }

  /// Returns the number of bytes at the end that belong to an incomplete character.
  private static func unfinished(_ bytes: ArraySlice<UInt8>) -> Int {
    for (distance, byte) in bytes.reversed().prefix(4).enumerated() where byte & 0xC0 != 0x80 {
      let length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      return length > distance + 1 ? distance + 1 : 0
    }
    return 0
  }
}
