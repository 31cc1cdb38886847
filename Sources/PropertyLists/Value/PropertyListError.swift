public import FoundationEssentials

/// Why a property list could not be read or written, and where.
public struct PropertyListError: Error, Hashable, Sendable {
  /// What sort of failure it is. Programs decide by it; people read ``message``.
  public enum Kind: Hashable, Sendable {
    /// The operating system refused, with this value of `errno`.
    case inputOutput(errno: Int32)
    /// The bytes begin like no format that is known here.
    case unknownFormat
    /// A version of the format that is not read here, such as `bplist15`.
    case unsupportedVersion
    /// The bytes break the rules of their format.
    case malformed
    /// A dictionary has the same key twice.
    case duplicateKey
    /// Containers are nested deeper than ``ParsingLimits/depth``.
    case nestedTooDeeply
    /// A container contains itself.
    case circularReference
    /// The input, or what its shared references expand to, is larger than ``ParsingLimits`` allow.
    case limitExceeded
    /// The value has no form in the format it was to be written in.
    case notRepresentable
    /// There is no value at the key path that was asked for.
    case noSuchValue
    /// There is a value already at the key path where one was to be inserted.
    case valueExists
    /// The value at the key path is of another kind than was asked for.
    case wrongKind
    /// A value is not what a change was made for, or two changes of it exclude each other.
    case conflict
  }

  /// What sort of failure it is.
  public var kind: Kind
  /// What is wrong, in one line without the position.
  public var message: String
  /// Where it is wrong in the input, counted in bytes from 0.
  public var byteOffset: Int?
  /// In text formats: where it is wrong in the input.
  public var position: TextPosition?
  /// The value that is wrong, as far as it is known: from the root to it.
  public var keyPath: PropertyListKeyPath?

  /// An error for code that builds on this package; what the package itself throws, it makes here too.
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

  /// The error with the key path of the value it is about, if it has none yet.
  func located(at components: some Sequence<PropertyListKeyPath.Component>) -> PropertyListError {
    guard keyPath == nil else { return self }
    var error = self
    error.keyPath = PropertyListKeyPath(Array(components))
    return error
  }

  /// The error of a value that the components lead to, and its own path from there.
  package func below(_ components: [PropertyListKeyPath.Component]) -> PropertyListError {
    var error = self
    error.keyPath = PropertyListKeyPath(components + (keyPath?.components ?? []))
    return error
  }

  /// An error of ``Kind/malformed`` bytes.
  static func malformed(_ message: String, at byteOffset: Int) -> PropertyListError {
    PropertyListError(.malformed, message, byteOffset: byteOffset)
  }

  /// A position in a text.
  public struct TextPosition: Hashable, Sendable {
    /// Counted from 1. Lines end with LF, CR or CR LF.
    public var line: Int
    /// Counted from 1, in Unicode scalars.
    public var column: Int

    /// A position; both numbers count from 1.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }
}

extension PropertyListError: CustomStringConvertible {
  /// The location, then the message: `3:17: no value for the key "a" (in items.0)`, `byte 12: …`.
  public var description: String {
    var text = ""
    if let position {
      text += "\(position.line):\(position.column): "
    } else if let byteOffset {
      text += "byte \(byteOffset): "
    }
    return text + detail
  }

  /// The message and the key path, for callers that print the location in a form of their own.
  public var detail: String { message + keyPathText }

  /// The key path in brackets, after a space; nothing without one.
  package var keyPathText: String {
    // Long enough for people to find the value, short enough for one line; programs have ``keyPath``.
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
