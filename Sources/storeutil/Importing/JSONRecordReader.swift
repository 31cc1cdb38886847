import FoundationEssentials
import PropertyLists
import ToolSupport

/// Reads objects from JSON one at a time: the elements of an array, objects on separate lines, or the arrays of an
/// object whose keys are entities.
struct JSONRecordReader: RecordReader {
  private let input: TextInput
  private let hasEntities: Bool
  private var state = State.start
  /// The entity whose array is being read.
  private var entity: String?
  private var entities: Set<String> = []

  private enum State {
    case start
    /// Before a key of the object whose keys are entities.
    case key(isFirst: Bool)
    /// Inside an array.
    case element(isFirst: Bool)
    /// Between objects that are not in an array.
    case lines
    case end
  }

  /// - Parameter hasEntities: true for an object with an array for each entity.
  init(_ input: TextInput, hasEntities: Bool = false) {
    self.input = input
    self.hasEntities = hasEntities
  }

  mutating func next() throws(PropertyListError) -> ImportRecord? {
    while true {
      switch state {
      case .start: try start()
      case .key(let isFirst): try takeKey(isFirst: isFirst)
      case .element(let isFirst): if try !endArray(isFirst: isFirst) { return try record() }
      case .lines:
        try input.skipWhitespace()
        if try input.peek() != nil { return try record() }
        state = .end
      case .end:
        try input.skipWhitespace()
        if try input.peek() != nil { throw input.failure("expected the end of the file") }
        return nil
      }
    }
  }

  private mutating func start() throws(PropertyListError) {
    try input.takeByteOrderMark()
    try input.skipWhitespace()
    switch try input.peek() {
    case nil: throw input.failure("the file is empty: expected \(hasEntities ? "an object" : "objects")")
    case _ where hasEntities:
      try take("{", "expected an object with an array for each entity")
      state = .key(isFirst: true)
    case UInt8(ascii: "["):
      _ = try input.next()
      state = .element(isFirst: true)
    default: state = .lines
    }
  }

  private mutating func takeKey(isFirst: Bool) throws(PropertyListError) {
    try input.skipWhitespace()
    if try input.peek() == UInt8(ascii: "}") {
      _ = try input.next()
      state = .end
      return
    }
    if !isFirst { try take(",", "expected a comma or \"}\"") }
    try input.skipWhitespace()
    let position = input.position
    var bytes = Array("[".utf8)
    guard try input.peek() == UInt8(ascii: "\"") else { throw input.failure("expected the name of an entity") }
    try takeString(into: &bytes, from: position)
    bytes.append(UInt8(ascii: "]"))
    guard let name = try value(bytes, at: position)[0]?.string else {
      throw input.failure("expected the name of an entity", at: position)
    }
    guard entities.insert(name).inserted else {
      throw input.failure("the entity \(name.quoted) occurs twice", at: position)
    }
    entity = name
    try take(":", "expected a colon")
    try take("[", "expected an array of objects")
    state = .element(isFirst: true)
  }

  /// Skips the comma before the next element, or the bracket at the end of the array.
  ///
  /// - Returns: true at the end of the array.
  private mutating func endArray(isFirst: Bool) throws(PropertyListError) -> Bool {
    try input.skipWhitespace()
    if try input.peek() == UInt8(ascii: "]") {
      _ = try input.next()
      state = hasEntities ? .key(isFirst: false) : .end
      return true
    }
    if !isFirst { try take(",", "expected a comma or \"]\"") }
    state = .element(isFirst: false)
    return false
  }

  private func take(_ character: Unicode.Scalar, _ message: String) throws(PropertyListError) {
    try input.skipWhitespace()
    guard try input.peek() == UInt8(ascii: character) else { throw input.failure(message) }
    _ = try input.next()
  }

  private func record() throws(PropertyListError) -> ImportRecord {
    try input.skipWhitespace()
    let position = input.position
    guard try input.peek() == UInt8(ascii: "{") else { throw input.failure("expected an object") }
    var bytes: [UInt8] = []
    var depth = 0
    repeat {
      if try input.peek() == UInt8(ascii: "\"") {
        try takeString(into: &bytes, from: position)
        continue
      }
      guard let byte = try input.next() else { throw unfinished(position) }
      bytes.append(byte)
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    } while depth > 0
    guard case .dictionary(let entries) = try value(bytes, at: position) else {
      throw input.failure("expected an object", at: position)
    }
    let fields = entries.map { ImportRecord.Field(column: $0, value: .value($1), position: position) }
    return ImportRecord(position: position, entity: entity, fields: fields)
  }

  /// Reads a string with its quotation marks.
  private func takeString(
    into bytes: inout [UInt8], from position: PropertyListError.TextPosition
  ) throws(PropertyListError) {
    var isEscaped = false
    var isFirst = true
    while let byte = try input.next() {
      bytes.append(byte)
      if byte == UInt8(ascii: "\""), !isEscaped, !isFirst { return }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      isFirst = false
    }
    throw unfinished(position)
  }

  private func unfinished(_ position: PropertyListError.TextPosition) -> PropertyListError {
    input.failure("the file ends within the value that begins here", at: position)
  }

  /// Parses a part of the file. The position of an error is its position in the file.
  private func value(
    _ bytes: [UInt8], at position: PropertyListError.TextPosition
  ) throws(PropertyListError) -> PropertyList {
    do { return try PropertyList(importedJSON: Data(bytes)) } catch {
      var error = error
      let inner = error.position ?? PropertyListError.TextPosition(line: 1, column: 1)
      error.position = PropertyListError.TextPosition(
        line: position.line + inner.line - 1,
        column: inner.line == 1 ? position.column + inner.column - 1 : inner.column)
      error.byteOffset = nil
      throw error
    }
  }
}
