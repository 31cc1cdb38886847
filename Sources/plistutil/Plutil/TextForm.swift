import FoundationEssentials
import PropertyLists

/// A text form of a property list with one entry per line, for people or as source code.
protocol TextForm {
  associatedtype Failure: Error

  /// The number of spaces for each level.
  var indent: Int { get }
  /// True to sort the keys of dictionaries as Apple's tool does (``NaturalOrder``); false to keep the order of the
  /// file.
  var sortsKeys: Bool { get }
  /// The text between two entries.
  var separator: String { get }
  /// The text after each entry.
  var terminator: String { get }
  /// The text after the last entry, before the line of the closing bracket.
  var lineEnd: String { get }

  func opening(_ container: PropertyList) -> String
  func closing(_ container: PropertyList, isRoot: Bool) -> String
  /// Returns the text before the value of an entry.
  func entry(key: String) -> String
  func entry(index: Int) -> String
  func scalar(_ value: PropertyList) throws(Failure) -> String
}

extension TextForm {
  var separator: String { "" }
  var lineEnd: String { "" }
  func opening(_ container: PropertyList) -> String { container.kind == .array ? "[\n" : "{\n" }
  func closing(_ container: PropertyList, isRoot: Bool) -> String { container.kind == .array ? "]" : "}" }
  func entry(index: Int) -> String { "" }

  /// Returns the text of a value. Does not recurse, so that a deeply nested value cannot overflow the stack.
  func text(of value: PropertyList) throws(Failure) -> Data {
    var text = Data()
    var open: [OpenContainer] = []
    try append(value, to: &text, &open)
    while let container = open.last {
      let position = container.next
      guard position < container.values.count else {
        open.removeLast()
        append(lineEnd, to: &text)
        append(closing(container.value, isRoot: open.isEmpty), level: open.count, to: &text)
        if !open.isEmpty { append(terminator, to: &text) }
        continue
      }
      if position > 0 { append(separator, to: &text) }
      open[open.count - 1].next += 1
      let prefix = container.keys.isEmpty ? entry(index: position) : entry(key: container.keys[position])
      append(prefix, level: open.count, to: &text)
      let depth = open.count
      try append(container.values[position], to: &text, &open)
      if open.count == depth { append(terminator, to: &text) }
    }
    return text
  }

  private func append(_ value: PropertyList, to text: inout Data, _ open: inout [OpenContainer]) throws(Failure) {
    switch value {
    case .array(let elements): open.append(OpenContainer(value: value, keys: [], values: elements))
    case .dictionary(var entries):
      if sortsKeys { entries.sort { NaturalOrder.precedes($0.key, $1.key) } }
      open.append(OpenContainer(value: value, keys: entries.keys.elements, values: entries.values.elements))
    default: return append(try scalar(value), to: &text)
    }
    append(opening(value), to: &text)
  }

  private func append(_ string: String, level: Int = 0, to text: inout Data) {
    text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * level))
    text.append(contentsOf: string.utf8)
  }
}

/// A container whose closing bracket has not been written yet.
private struct OpenContainer {
  let value: PropertyList
  /// The keys of a dictionary; empty for an array.
  let keys: [String]
  let values: [PropertyList]
  var next = 0
}

/// JSON in the form of plutil's `-r`: on several lines, with spaces around colons and sorted keys.
struct ReadableJSON: TextForm {
  let indent = 2
  let sortsKeys = true
  let separator = ",\n"
  let terminator = ""
  let lineEnd = "\n"
  let options: PropertyListWritingOptions

  func entry(key: String) -> String { "\((try? scalar(.string(key))) ?? "") : " }

  /// Returns a scalar as the library writes it. Values that JSON cannot represent have already been refused.
  func scalar(_ value: PropertyList) throws(PropertyListError) -> String {
    String(decoding: try value.data(format: .json, options: options).dropLast(), as: UTF8.self)
  }
}
