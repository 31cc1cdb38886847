internal import PropertyLists

/// The name of a preferences domain: the identifier of an application, such as `com.example.notes`, or the name of a
/// suite.
///
/// A valid name contains no path separators, so the file `NAME.plist` of a domain is always in the folder for
/// preferences.
///
/// ```swift
/// let preferences = UserPreferences(suiteName: "com.example.notes")   // a literal
/// let tenant = UserPreferences(suiteName: try DomainName(name))       // any text
/// ```
public struct DomainName: Sendable {
  /// The name. For ``global``, this is Apple's name `NSGlobalDomain`.
  public let rawValue: String

  /// The greatest length of a name, in bytes of UTF-8. File systems allow 255 bytes for a file name, which also has
  /// suffixes.
  public static let greatestLength = 180

  /// The domain that all applications of the user share.
  public static let global = DomainName(unchecked: "NSGlobalDomain")

  /// Names that have another meaning for `UserDefaults`, or whose file does not belong to an application.
  private static let reserved = ["NSGlobalDomain", "NSArgumentDomain", "NSRegistrationDomain", ".GlobalPreferences"]

  /// Creates the name of an application or a suite.
  ///
  /// - Throws: ``PreferencesError/invalidName(_:reason:)`` if the name is empty, is `.` or `..`, contains a path
  ///   separator (`/` or `\`) or a control character, is longer than ``greatestLength``, or is a reserved name.
  public init(_ name: String) throws(PreferencesError) {
    if let reason = Self.error(in: name) { throw .invalidName(name, reason: reason) }
    self.init(unchecked: name)
  }

  private init(unchecked name: String) { rawValue = name }

  private static func error(in name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name == "." || name == ".." { return "it names a folder" }
    if name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
      return "it contains a path separator"
    }
    if name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      return "it contains a control character"
    }
    if name.utf8.count > greatestLength { return "it has more than \(greatestLength) bytes" }
    if reserved.contains(name) { return "it is reserved" }
    return nil
  }

  /// Creates a valid name that is similar to a text, such as the name of a process.
  init(nearestTo text: String) {
    // Nearly all names are valid.
    guard Self.error(in: text) != nil else {
      rawValue = text
      return
    }
    var name = String(text.unicodeScalars.map { Self.error(in: String($0)) == nil || $0 == "." ? Character($0) : "_" })
    while name.utf8.count > Self.greatestLength { name.removeLast() }
    rawValue = Self.error(in: name) == nil ? name : "_" + name
  }

  /// Returns the name of the domain's file, without the folder.
  func fileName(host: String?) -> String {
    let stem = self == .global ? ".GlobalPreferences" : rawValue
    return host.map { "\(stem).\($0).plist" } ?? "\(stem).plist"
  }

  /// Creates the name of the domain that a file belongs to; nil if the file does not belong to a domain.
  ///
  /// - Parameter host: the name of the computer in the file name; nil for the files of domains for any host.
  init?(fileName: String, host: String? = nil) {
    let suffix = host.map { ".\($0).plist" } ?? ".plist"
    guard fileName.hasSuffix(suffix) else { return nil }
    let stem = String(fileName.dropLast(suffix.count))
    if stem == ".GlobalPreferences" {
      self = .global
    } else if let name = try? DomainName(stem), !stem.hasPrefix(".") {
      self = name
    } else {
      return nil
    }
  }
}

/// Names are equal if their bytes are equal, like file names.
extension DomainName: Hashable, Comparable {
  public static func == (lhs: DomainName, rhs: DomainName) -> Bool {
    lhs.rawValue.utf8.elementsEqual(rhs.rawValue.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in rawValue.utf8 { hasher.combine(byte) }
  }

  public static func < (lhs: DomainName, rhs: DomainName) -> Bool {
    lhs.rawValue.utf8.lexicographicallyPrecedes(rhs.rawValue.utf8)
  }
}

/// A name as a literal in the source code.
extension DomainName: ExpressibleByStringLiteral {
  /// Creates a name from a literal.
  ///
  /// - Precondition: The literal is a name, by the rules of ``init(_:)-(String)``. Only text in the program's source
  ///   can be passed, because the parameter is a `StaticString`.
  public init(stringLiteral name: StaticString) {
    let name = name.description
    let error = Self.error(in: name)
    precondition(error == nil, "\(name.quoted) is not a valid domain name: \(error ?? "")")
    self.init(unchecked: name)
  }
}

extension DomainName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

/// The computers that a value applies to: one computer, or all computers that share the user's folder.
public enum PreferencesHost: Hashable, Sendable, CaseIterable {
  /// Only this computer. Its values take precedence over those for any host.
  case current
  /// Every computer.
  case any
}

/// A domain of the user, whose values are in a file.
public struct PersistentDomain: Hashable, Sendable {
  /// The name of the domain.
  public var name: DomainName
  /// The computers that the values are for.
  public var host: PreferencesHost

  /// Creates the domain of an application or a suite, or the global one with ``DomainName/global``.
  public init(_ name: DomainName, host: PreferencesHost = .any) {
    self.name = name
    self.host = host
  }

  /// The domain that all applications of the user share on every computer.
  public static let global = PersistentDomain(.global)
}
