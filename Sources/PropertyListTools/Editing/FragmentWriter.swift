internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// A writer of values that are inserted into a text in the layout of that text.
struct FragmentWriter {
  let format: PropertyListFormat
  let options: PropertyListWritingOptions
  var layout: TextLayout

  /// Returns the text of a value.
  func value(_ value: PropertyList) throws(PropertyListError) -> [UInt8] { try fragment(value, isKey: false) }

  private func fragment(_ value: PropertyList, isKey: Bool) throws(PropertyListError) -> [UInt8] {
    guard let text = try format.fragment(value, isKey: isKey, options, layout) else { return [] }
    return layout.characterEscape.map { Self.escaped(text, $0) } ?? Array(text)
  }

  /// Returns the text of a key.
  func key(_ key: String) throws(PropertyListError) -> [UInt8] {
    var writer = self
    writer.layout.assignment = nil
    writer.layout.stringQuote = layout.keyQuote
    return try writer.fragment(.string(key), isKey: true)
  }

  /// Escapes all non-ASCII characters of a text. They occur only in strings.
  private static func escaped(_ text: Data, _ escape: StaticString) -> [UInt8] {
    var result: [UInt8] = []
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      guard !scalar.isASCII else {
        result.append(UInt8(truncatingIfNeeded: scalar.value))
        continue
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        let digits = String(unit, radix: 16)
        result += Array("\(escape)".utf8)
        result += Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count) + Array(digits.utf8)
      }
    }
    return result
  }
}
