public import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// A string is decoded from an `NSString` or an inline string of any type.
extension String: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSString", "NSMutableString"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let position = try groups.nextPosition()
    self = try groups.unarchiver.text(at: position)
    groups.cursor.advance(groups.unarchiver.tables)
    try groups.finish()
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> String {
    switch unarchiver.tables.nodes[position.node].kind {
    case .string, .cString, .sharedString: try unarchiver.text(at: position)
    default: try unarchiver.value(String.self, at: position)
    }
  }
}

extension TypedstreamUnarchiver {
  /// Returns the text of an inline string: UTF-8, or the character set of NeXTSTEP in streams from before Mac OS X.
  func text(at position: TypedstreamPosition) throws(TypedstreamError) -> String {
    let node = tables.nodes[position.node]
    let range: Range<Int>
    switch node.kind {
    case .string: range = node.range
    case .sharedString: range = tables.strings[node.slot].range
    case .cString: range = tables.strings[Int(tables.slots[node.slot].content)].range
    case .null: throw failure(.valueNotFound, "expected a string, found nil", at: position)
    default: throw failure(.typeMismatch, "expected a string, found \(description(of: node))", at: position)
    }
    try spend(range.count)
    let bytes = tables.bytes
    let text = bytes.rawBytes.extracting(range)
    if text.isASCII { return String(knownUTF8: text, isASCII: true) }
    if stream.systemVersion < TypedstreamHead.currentSystemVersion {
      if let text = NeXTSTEPEncoding.text(bytes[range]) { return text }
      throw failure(
        .invalidContents, "a string contains bytes that are not characters of the NeXTSTEP encoding", at: position)
    }
    guard text.isValidUTF8 else { throw failure(.invalidContents, "a string is not valid UTF-8", at: position) }
    return String(knownUTF8: text, isASCII: false)
  }
}

/// Data is decoded from an `NSData` or an inline array of bytes.
extension Data: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSData", "NSMutableData"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let count = try groups.decode(Int.self)
    let position = try groups.nextPosition()
    self = try groups.unarchiver.data(at: position)
    groups.cursor.advance(groups.unarchiver.tables)
    try groups.require(self.count == count, "expected \(count) bytes of data, found \(self.count)")
    try groups.finish()
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Data {
    unarchiver.tables.nodes[position.node].kind == .data
      ? try unarchiver.data(at: position) : try unarchiver.value(Data.self, at: position)
  }
}

extension TypedstreamUnarchiver {
  fileprivate func data(at position: TypedstreamPosition) throws(TypedstreamError) -> Data {
    let node = tables.nodes[position.node]
    guard node.kind == .data else {
      throw failure(.typeMismatch, "expected data, found \(description(of: node))", at: position)
    }
    try spend(node.range.count)
    return Data(tables.bytes[node.range])
  }
}

/// A date is decoded from an `NSDate`, which contains the seconds since 2001.
extension Date: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSDate"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let seconds = try groups.decode(Double.self)
    try groups.require(seconds.isFinite, "the number of seconds of a date must be finite, not \(seconds)")
    try groups.finish()
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

/// A URL is decoded from an `NSURL`: a flag for a base URL, the base URL if there is one, and the text.
extension URL: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSURL"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let base = try groups.decode(Bool.self) ? groups.decode(URL.self) : nil
    let text = try groups.decode(String.self)
    try groups.finish()
    // An empty text means the base URL, but `URL(string:)` does not accept it.
    let url = text.isEmpty && base != nil ? URLComponents().url(relativeTo: base) : URL(string: text, relativeTo: base)
    guard let url else { throw groups.failure(.invalidContents, "\(text.quoted) is not a valid URL") }
    // Charges a URL more than its text, because it takes work to parse it.
    try groups.unarchiver.spend(16 * text.utf8.count)
    self = url
  }
}

extension Archived.Null: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSNull"] }

  public init(from groups: inout TypedstreamGroups) throws {
    try groups.finish()
    self.init()
  }
}
