public import FoundationEssentials

/// An error in reading, writing or changing a property list, with the location of the error.
///
/// ```swift
/// do {
///   settings = try PropertyList(contentsOf: url)
/// } catch where error.kind == .inputOutput(errno: ENOENT) {
///   settings = [:]   // The file does not exist yet.
/// } catch {
///   print("\(url.lastPathComponent):\(error)")
///   // Settings.plist:5:2: expected a 64-bit integer in <integer>, found "80x" (in port)
/// }
/// ```
public struct PropertyListError: Error, Hashable, Sendable {
  /// The category of an error. Use it to decide what to do; ``message`` is for people.
  public enum Kind: Hashable, Sendable {
    /// The operating system reported an error, with this value of `errno`.
    case inputOutput(errno: Int32)
    /// The input does not begin like any supported format.
    case unknownFormat
    /// An unsupported version of the format, such as `bplist15`.
    case unsupportedVersion
    /// The input violates the rules of its format.
    case malformed
    /// A dictionary has the same key twice.
    case duplicateKey
    /// Containers are nested deeper than a limit allows, such as ``ParsingLimits/depth``.
    case nestedTooDeeply
    /// A container contains itself.
    case circularReference
    /// The input, or the expansion of its shared references, is larger than ``ParsingLimits`` allow.
    case limitExceeded
    /// The requested format cannot represent the value.
    case notRepresentable
    /// The key path leads to no value.
    case noSuchValue
    /// A value exists already at the key path of an insertion.
    case valueExists
    /// The value at the key path is of another kind than requested.
    case wrongKind
    /// A value differs from the one that a change expects, or two changes of a value contradict each other.
    case conflict
  }

  /// The category of the error.
  public var kind: Kind
  /// A description of the error in one line, without the location.
  public var message: String
  /// The offset of the error in the input, in bytes from 0, if it is known.
  public var byteOffset: Int?
  /// The line and column of the error in a text that was read; nil for other errors.
  public var position: TextPosition?
  /// The path from the root to the value with the error, if it is known.
  public var keyPath: PropertyListKeyPath?

  /// Creates an error. Code that builds on this package can throw its own errors of this type.
  ///
  /// ```swift
  /// let path = try PropertyListKeyPath("theme.background")
  /// throw PropertyListError(.wrongKind, "expected a color", keyPath: path)   // expected a color (in theme.background)
  /// ```
  public init(
    _ kind: Kind, _ message: String, byteOffset: Int? = nil, position: TextPosition? = nil,
    keyPath: PropertyListKeyPath? = nil
  ) {
    self.kind = kind
    self.message = message
    self.byteOffset = byteOffset
    self.position = position
    self.keyPath = keyPath
  }

  /// Returns the error with a key path. If the error has a key path already, it is returned unchanged.
  func located(at components: some Sequence<PropertyListKeyPath.Component>) -> PropertyListError {
    guard keyPath == nil else { return self }
    var error = self
    error.keyPath = PropertyListKeyPath(Array(components))
    return error
  }

  /// Returns the error with `components` prepended to its key path.
  package func below(_ components: [PropertyListKeyPath.Component]) -> PropertyListError {
    var error = self
    error.keyPath = PropertyListKeyPath(components + (keyPath?.components ?? []))
    return error
  }

  /// Returns an error of kind ``Kind/malformed``.
  static func malformed(_ message: String, at byteOffset: Int) -> PropertyListError {
    PropertyListError(.malformed, message, byteOffset: byteOffset)
  }

  /// A position in a text.
  public struct TextPosition: Hashable, Sendable {
    /// The line, from 1. Lines end with LF, CR or CR LF.
    public var line: Int
    /// The column, from 1, in Unicode scalars.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }
}

extension PropertyListError: CustomStringConvertible {
  /// The location followed by the message: `3:17: no value for the key "a" (in items.0)`, `byte 12: …`.
  public var description: String {
    var text = ""
    if let position {
      text += "\(position.line):\(position.column): "
    } else if let byteOffset {
      text += "byte \(byteOffset): "
    }
    return text + detail
  }

  /// The message and the key path, for callers that print the location themselves.
  public var detail: String { message + keyPathText }

  /// The key path in parentheses, after a space; empty for the root and for an unknown key path.
  package var keyPathText: String {
    // Long enough to find the value, short enough for one line. Programs should use ``keyPath``.
    guard let components = keyPath?.components, !components.isEmpty else { return "" }
    guard components.count > 20 else {
      return " (in \(PropertyListKeyPath(components).description.printable(limit: 300)))"
    }
    let head = PropertyListKeyPath(Array(components.prefix(10))).description.printable(limit: 200)
    let tail = PropertyListKeyPath(Array(components.suffix(5))).description.printable(limit: 100)
    return " (in \(head) … \(tail), \(components.count) levels deep)"
  }
}

extension PropertyListError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}
