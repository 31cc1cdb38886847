internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Writes JSON (RFC 8259): the caller says what is in it, this what stands between it.
///
/// Characters that could deceive a terminal or a reader are escaped.
struct JSONText {
  private var bytes: [UInt8] = []
  private let isIndented: Bool
  /// The containers that are open.
  private var open: [Container] = []
  private var followsKey = false

  private struct Container {
    let isArray: Bool
    var isEmpty = true
  }

  /// - Parameter isIndented: whether each value gets a line; if not, there is no white space.
  init(isIndented: Bool) { self.isIndented = isIndented }

  /// How many containers are open.
  var depth: Int { open.count }

  /// The text, once every container is closed.
  consuming func finish() -> Data {
    if isIndented { bytes.append(UInt8(ascii: "\n")) }
    return Data(bytes)
  }
}

/// Values.
extension JSONText {
  mutating func null() {
    beginValue()
    append("null")
  }

  mutating func boolean(_ value: Bool) {
    beginValue()
    append(value ? "true" : "false")
  }

  /// - Parameter digits: those of an integer of any size.
  mutating func integer(_ digits: some CustomStringConvertible) {
    beginValue()
    append(digits.description)
  }

  /// The shortest number that is read as the same value, with a point or an exponent in it.
  ///
  /// - Parameter value: finite; there is nothing in JSON for other values, so they become null.
  mutating func real(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
    guard value.isFinite else { return null() }
    beginValue()
    append(value.description)
  }

  mutating func string(_ text: String) {
    beginValue()
    appendQuoted(text)
  }
}

/// Containers.
extension JSONText {
  mutating func beginArray() { begin(isArray: true) }
  mutating func endArray() { end(isArray: true) }
  mutating func beginObject() { begin(isArray: false) }
  mutating func endObject() { end(isArray: false) }

  /// The key of the value that comes next.
  mutating func key(_ text: String) {
    beginValue()
    appendQuoted(text)
    append(isIndented ? ": " : ":")
    followsKey = true
  }

  private mutating func begin(isArray: Bool) {
    beginValue()
    append(isArray ? "[" : "{")
    open.append(Container(isArray: isArray))
  }

  /// Closes the innermost container.
  private mutating func end(isArray: Bool) {
    guard let container = open.popLast() else { return }
    if !container.isEmpty { beginLine() }
    append(container.isArray ? "]" : "}")
  }
}

/// What stands between values.
extension JSONText {
  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func beginLine() {
    guard isIndented else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * open.count))
  }

  private mutating func beginValue() {
    if followsKey {
      followsKey = false
      return
    }
    guard let container = open.last else { return }
    if !container.isEmpty { bytes.append(UInt8(ascii: ",")) }
    open[open.count - 1].isEmpty = false
    beginLine()
  }

  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" || scalar.isHidden(after: previous) {
        append(scalar.escapedForJSON)
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
      previous = scalar
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
