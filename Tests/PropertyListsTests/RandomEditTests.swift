import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("Random edits") struct RandomEditTests {
  static let seeds = UInt64(
    ProcessInfo.processInfo.environment["PLIST_EDITS"].flatMap { Int($0) } ?? LongForm.size(400, or: 20))

  /// The encodings of a text.
  struct Encoding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The name of the encoding in an XML declaration.
    var name: String?
    let encode: @Sendable (String) -> Data
  }

  static let encodings = [
    Encoding(testDescription: "UTF-8") { Data($0.utf8) },
    Encoding(testDescription: "UTF-8 with a mark") { Data("\u{FEFF}\($0)".utf8) },
    Encoding(testDescription: "UTF-16") { Data([0xFF, 0xFE]) + $0.data(using: .utf16LittleEndian)! },
    Encoding(testDescription: "UTF-16, big-endian") { Data([0xFE, 0xFF]) + $0.data(using: .utf16BigEndian)! },
    Encoding(testDescription: "UTF-32") { Data([0xFF, 0xFE, 0, 0]) + $0.data(using: .utf32LittleEndian)! },
  ]

  static let latin = Encoding(testDescription: "Latin-1", name: "ISO-8859-1") { $0.data(using: .isoLatin1)! }

  @Test(
    "an edit gives the new value and keeps all other lines",
    arguments: [.xml, .openStep, .json] as [PropertyListFormat], [false, true])
  func giveTheNewValueAndKeepEveryLine(_ format: PropertyListFormat, manyAtOnce: Bool) throws {
    for seed in 0..<Self.seeds {
      var random = SeededGenerator(seed: seed ^ 0xE417)
      let encodings = Self.encodings + (format == .xml ? [Self.latin] : [])
      let encoding = encodings[Int(seed % UInt64(encodings.count))]
      let text = LaidOutText(format, encodingName: encoding.name, seed: seed)
      let reading = PropertyListReadingOptions(restoresCoercedValues: true)
      let document = try PropertyListDocument(encoding.encode(text.text), format: format, options: reading)
      var edit = RandomEdit(text, try PropertyList(document.root))
      for _ in 0..<(manyAtOnce ? 4 : 1) { edit.change(using: &random) }
      let options = PropertyListWritingOptions(coercion: .reversible)
      guard let data = try document.editedData(updatedTo: edit.value, options: options) else {
        Issue.record("seed \(seed): \(edit.log) was written anew, in\n\(text.text)")
        continue
      }
      #expect(try PropertyList(data, format: format, options: reading) == edit.value)
      #expect(data.starts(with: encoding.encode("")))
      guard let result = Self.decode(data, like: encoding) else {
        Issue.record("seed \(seed): another encoding")
        continue
      }
      #expect(data == encoding.encode(result))
      if let lost = edit.firstLineLost(in: result) {
        Issue.record("seed \(seed): \(edit.log) lost the line\n\(lost)\nof\n\(text.text)\nin\n\(result)")
      }
      if let lost = edit.firstCommentLost(in: result) {
        Issue.record("seed \(seed): \(edit.log) lost \(lost) of\n\(text.text)\nin\n\(result)")
      }
    }
  }

  private static func decode(_ data: Data, like encoding: Encoding) -> String? {
    let mark = encoding.encode("").count
    let body = Data(data.dropFirst(mark))
    switch encoding.testDescription {
    case "UTF-16": return String(data: body, encoding: .utf16LittleEndian)
    case "UTF-16, big-endian": return String(data: body, encoding: .utf16BigEndian)
    case "Latin-1": return String(data: body, encoding: .isoLatin1)
    case "UTF-32": return String(data: body, encoding: .utf32LittleEndian)
    default: return String(data: body, encoding: .utf8)
    }
  }
}

/// Changes of the value of a text, with the lines that they may change.
struct RandomEdit {
  private let text: LaidOutText
  private(set) var value: PropertyList
  private var touched: Set<Int> = []
  private var isReordered = false
  /// Comments that may be removed, because they are inside removed or replaced values.
  private var goneLines: Set<Int> = []
  private(set) var log = ""
  private var count = 0
  /// Values that were changed, and are not changed again.
  private var done: Set<ObjectIdentifier> = []

  init(_ text: LaidOutText, _ value: PropertyList) {
    self.text = text
    self.value = value
  }

  mutating func change(using random: inout SeededGenerator) {
    // The path to a value, and the values on it.
    var path: [LaidOutText.Element] = [text.root]
    while let child = path[path.count - 1].children.randomElement(using: &random),
      Int.random(in: 0..<4, using: &random) > 0
    {
      path.append(child)
    }
    guard !path.contains(where: { done.contains(ObjectIdentifier($0)) }) else { return }
    let element = path[path.count - 1]
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where path.count > 1: replace(path, using: &random)
    case 1 where path.count > 1: remove(path)
    case 2 where element.kind != .scalar: insert(path, using: &random)
    case 3 where element.kind == .dictionary && element.children.count > 1: reorder(path, using: &random)
    case 4 where path.count > 1 && element.key != nil: rename(path)
    case 5 where element.kind == .array && element.children.count > 1: reorder(path, using: &random)
    default: if element.kind != .scalar { insert(path, using: &random) } else { replace(path, using: &random) }
    }
  }

  private mutating func touch(_ lines: ClosedRange<Int>) { touched.formUnion(lines) }

  /// All lines of single-line containers that contain a change.
  private mutating func touchLines(around path: [LaidOutText.Element]) {
    for element in path where element.isOnOneLine { touch(element.lines) }
  }

  private mutating func replace(_ path: [LaidOutText.Element], using random: inout SeededGenerator) {
    let element = path[path.count - 1]
    log += "replace \(Self.name(path)); "
    touch(element.lines)
    goneLines.formUnion(element.lines)
    done.insert(ObjectIdentifier(element))
    touchLines(around: path)
    let new = newValue(using: &random)
    value = Self.replacing(path.dropFirst(), in: value, of: text.root) { _ in new }
  }

  private mutating func remove(_ path: [LaidOutText.Element]) {
    let element = path[path.count - 1]
    let parent = path[path.count - 2]
    // The value before it loses its comma, and an empty container all of its text.
    log += "remove \(Self.name(path)); "
    for element in path { done.insert(ObjectIdentifier(element)) }
    let position = parent.children.firstIndex { $0 === element }!
    if position > 0 { touch(parent.children[position - 1].lines) }
    if parent.children.count == 1 { touch(parent.lines) }
    touch(element.lines)
    if parent.kind == .array {
      // Of equal elements, it is not defined which one is removed.
      _ = Self.replacing(path.dropFirst().dropLast(), in: value, of: text.root) { old in
        if case .array(let elements) = old, position < elements.count {
          for (other, child) in zip(elements, parent.children) where other == elements[position] { touch(child.lines) }
        }
        return old
      }
    }
    goneLines.formUnion(element.lines)
    touchLines(around: path)
    value = Self.replacing(path.dropFirst(), in: value, of: text.root) { _ in nil }
  }

  private mutating func insert(_ path: [LaidOutText.Element], using random: inout SeededGenerator) {
    let element = path[path.count - 1]
    log += "insert in \(Self.name(path)); "
    for element in path { done.insert(ObjectIdentifier(element)) }
    let new = newValue(using: &random)
    let key = newKey()
    let position = Int.random(in: 0...element.children.count, using: &random)
    if position > 0 { touch(element.children[position - 1].lines) }
    if position == 0 { touch(element.opening...max(element.opening, 0) + (element.opening < 0 ? 0 : 0)) }
    if element.children.isEmpty { touch(element.lines) }
    touchLines(around: path)
    value = Self.replacing(path.dropFirst(), in: value, of: text.root) { old in
      switch old {
      case .dictionary(var entries):
        entries.updateValue(new, forKey: key, insertingAt: position)
        return .dictionary(entries)
      case .array(var elements):
        elements.insert(new, at: position)
        return .array(elements)
      default: return old
      }
    }
  }

  private mutating func reorder(_ path: [LaidOutText.Element], using random: inout SeededGenerator) {
    let element = path[path.count - 1]
    log += "reorder \(Self.name(path)); "
    for element in path { done.insert(ObjectIdentifier(element)) }
    isReordered = true
    // Commas are added and removed, and containers on one line are rewritten.
    for child in element.children { touch(child.lines.upperBound...child.lines.upperBound) }
    let lines = element.children.map(\.lines)
    for (first, second) in zip(lines, lines.dropFirst()) where first.upperBound == second.lowerBound {
      touch(first)
      touch(second)
    }
    touchLines(around: path)
    var generator = random
    value = Self.replacing(path.dropFirst(), in: value, of: text.root) { old in
      switch old {
      case .dictionary(var entries):
        entries.shuffle(using: &generator)
        return .dictionary(entries)
      case .array(let elements): return .array(elements.shuffled(using: &generator))
      default: return old
      }
    }
    random = generator
  }

  private mutating func rename(_ path: [LaidOutText.Element]) {
    let element = path[path.count - 1]
    log += "rename \(Self.name(path)); "
    for element in path { done.insert(ObjectIdentifier(element)) }
    touch(element.lines.lowerBound...element.lines.lowerBound)
    let key = newKey()
    value = Self.replacing(path.dropFirst().dropLast(), in: value, of: text.root) { old in
      guard case .dictionary(let entries) = old else { return old }
      return .dictionary(
        OrderedDictionary(uniqueKeysWithValues: entries.map { ($0.key == element.key ? key : $0.key, $0.value) }))
    }
  }

  private static func name(_ path: [LaidOutText.Element]) -> String {
    zip(path, path.dropFirst()).map { parent, child in
      child.key ?? String(parent.children.firstIndex { $0 === child }!)
    }.joined(separator: ".")
  }

  private mutating func newKey() -> String {
    count += 1
    return "new key \(count)"
  }

  private mutating func newValue(using random: inout SeededGenerator) -> PropertyList {
    count += 1
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .integer(.init(Int64(count)))
    case 1: return .boolean(true)
    case 2: return .array([.string("new \(count)"), [], 1.5])
    case 3: return .dictionary(["n": .string("new \(count)"), "m": [:]])
    case 4: return .data(Data(repeating: 7, count: 70))
    case 5: return .real(0.25)
    default: return .string("new {<;&'\"\n\(count)é😀")
    }
  }

  /// The value with another one, or none, at the end of a path.
  private static func replacing(
    _ path: ArraySlice<LaidOutText.Element>, in value: PropertyList, of element: LaidOutText.Element,
    _ change: (PropertyList) -> PropertyList?
  ) -> PropertyList {
    guard let next = path.first else { return change(value) ?? value }
    switch value {
    case .dictionary(var entries):
      guard let key = next.key, let old = entries[key] else { return value }
      if path.count == 1 {
        entries[key] = change(old)
      } else {
        entries[key] = replacing(path.dropFirst(), in: old, of: next, change)
      }
      return .dictionary(entries)
    case .array(var elements):
      guard let index = element.children.firstIndex(where: { $0 === next }), index < elements.count else {
        return value
      }
      if path.count > 1 {
        elements[index] = replacing(path.dropFirst(), in: elements[index], of: next, change)
      } else if let new = change(elements[index]) {
        elements[index] = new
      } else {
        elements.remove(at: index)
      }
      return .array(elements)
    default: return value
    }
  }
}

/// The expected contents of the result.
extension RandomEdit {
  private func lines(_ text: String, _ end: String) -> [String] {
    text.unicodeScalars.split(separator: end.unicodeScalars.last!, omittingEmptySubsequences: false).map(String.init)
  }

  /// An unchanged line that is missing, or in another order.
  func firstLineLost(in result: String) -> String? {
    let old = lines(text.text, text.lineEnd)
    let new = lines(result, text.lineEnd)
    if isReordered {
      var rest: [String: Int] = [:]
      for line in new { rest[line, default: 0] += 1 }
      for (number, line) in old.enumerated() where !touched.contains(number) && !Self.isBlank(line) {
        guard let count = rest[line], count > 0 else { return "\(number): \(line)" }
        rest[line] = count - 1
      }
      return nil
    }
    var newIndex = 0
    // An empty line before the last one, which has no line end, is not visible after that one is removed.
    for (number, line) in old.enumerated() where !touched.contains(number) && !Self.isBlank(line) {
      while newIndex < new.count, new[newIndex] != line { newIndex += 1 }
      guard newIndex < new.count else { return "\(number): \(line)" }
      newIndex += 1
    }
    return nil
  }

  private static func isBlank(_ line: String) -> Bool { line.unicodeScalars.allSatisfy { $0.properties.isWhitespace } }

  /// A missing comment that was not in a removed value.
  func firstCommentLost(in result: String) -> String? {
    let old = lines(text.text, text.lineEnd)
    return text.comments.first { comment in
      guard !result.contains(comment), let number = old.firstIndex(where: { $0.contains(comment) }) else {
        return false
      }
      return !goneLines.contains(number)
    }
  }
}
