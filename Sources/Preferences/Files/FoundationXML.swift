internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists

/// XML as Foundation writes it: with characters as they are that XML does not have, such as controls, and with carriage
/// returns, which to XML are ends of lines. Foundation reads them back, so one text with such a character must not make
/// a domain unreadable here, nor lose it.
///
/// They are read by way of characters of private use that stand for them.
enum FoundationXML {
  /// How its files begin. Files that people wrote may have other ends of lines, and mean nothing by them.
  private static let beginning = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC".utf8)

  /// For the 32 controls, and for the two noncharacters at the end of the basic plane.
  private static let standIns: ClosedRange<UInt32> = 0x10FF00...0x10FF21

  /// The file with stand-ins; nil if it needs none, or has such characters already.
  static func withStandIns(_ data: Data) -> Data? {
    guard data.starts(with: beginning), mayNeedStandIns(data), let text = String(validating: data, as: UTF8.self)
    else { return nil }
    var scalars = String.UnicodeScalarView()
    var isNeeded = false
    for scalar in text.unicodeScalars {
      if standIns.contains(scalar.value) { return nil }
      let standIn = standIn(for: scalar)
      isNeeded = isNeeded || standIn != nil
      scalars.append(standIn ?? scalar)
    }
    return isNeeded ? Data(String(scalars).utf8) : nil
  }

  /// Whether there is a control character, or a byte that the two noncharacters begin with. Nearly every file has none.
  private static func mayNeedStandIns(_ data: Data) -> Bool {
    let bytes = data.span
    for index in bytes.indices {
      let byte = bytes[index]
      if byte < 0x20, byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\n") { return true }
      if byte == 0xEF { return true }
    }
    return false
  }

  private static func standIn(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\t", "\n": nil
    case "\0"..<" ": Unicode.Scalar(standIns.lowerBound + scalar.value)
    case "\u{FFFE}", "\u{FFFF}": Unicode.Scalar(standIns.upperBound - (0xFFFF - scalar.value))
    default: nil
    }
  }

  /// What was read, with the characters that the stand-ins stand for. The reader has seen to it that it is not too
  /// deep.
  static func withoutStandIns(_ value: PropertyList) -> PropertyList {
    switch value {
    case .string(let text): .string(withoutStandIns(text))
    case .array(let elements): .array(elements.map { withoutStandIns($0) })
    case .dictionary(let entries):
      .dictionary(
        OrderedDictionary(
          entries.map { (withoutStandIns($0.key), withoutStandIns($0.value)) }, uniquingKeysWith: { $1 }))
    default: value
    }
  }

  static func withoutStandIns(_ entries: DomainEntries) -> DomainEntries {
    DomainEntries(
      OrderedDictionary(
        entries.values.map { (TableKey(withoutStandIns($0.key.name)), withoutStandIns($0.value)) },
        uniquingKeysWith: { $1 }))
  }

  private static func withoutStandIns(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { standIns.contains($0.value) }) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard standIns.contains(scalar.value) else {
        scalars.append(scalar)
        continue
      }
      let index = scalar.value - standIns.lowerBound
      scalars.append(Unicode.Scalar(index < 0x20 ? index : 0xFFFE + index - 0x20) ?? scalar)
    }
    return String(scalars)
  }
}
