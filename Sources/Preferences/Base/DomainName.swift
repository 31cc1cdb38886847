internal import PropertyLists

/// The name of a domain of preferences: an application's identifier such as `com.example.notes`, or a suite's.
///
/// A name is a file's name without `.plist`, so a value of this type cannot lead out of the folder of preferences.
///
/// ```swift
/// let preferences = UserPreferences(suiteName: "com.example.notes")   // a literal
/// let tenant = UserPreferences(suiteName: try DomainName(name))       // any text
/// ```
public struct DomainName: Sendable {
  /// The name; for ``global`` the one Apple gives it, `NSGlobalDomain`.
  public let rawValue: String

  /// How many bytes of UTF-8 a name may have. File systems allow 255 for a file's name, of which suffixes take a part.
  public static let greatestLength = 180

  /// What all applications of the user share.
  public static let global = DomainName(unchecked: "NSGlobalDomain")

  /// Names that mean something else to `UserDefaults`, or a file that is not an application's.
  private static let reserved = ["NSGlobalDomain", "NSArgumentDomain", "NSRegistrationDomain", ".GlobalPreferences"]

  /// A name of an application or a suite.
  ///
  /// - Throws: ``PreferencesError/invalidName(_:reason:)`` if the name is empty, is `.` or `..`, has a separator of
  ///   paths (`/` or `\`) or a control character, is longer than ``greatestLength``, or is one of the names that stand
  ///   for something else.
  public init(_ name: String) throws(PreferencesError) {
    if let reason = Self.error(in: name) { throw .invalidName(name, reason: reason) }
    self.init(unchecked: name)
  }

  private init(unchecked name: String) { rawValue = name }

  private static func error(in name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name == "." || name == ".." { return "it names a folder" }
    if name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
      return "it has a separator of paths"
    }
    if name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      return "it has a control character"
    }
    if name.utf8.count > greatestLength { return "it has more than \(greatestLength) bytes" }
    if reserved.contains(name) { return "it stands for another domain" }
    return nil
  }

  /// The nearest name to a text that may not be one, for the names of processes.
  init(nearestTo text: String) {
    // As nearly all are.
    guard Self.error(in: text) != nil else {
      rawValue = text
      return
    }
    var name = String(text.unicodeScalars.map { Self.error(in: String($0)) == nil || $0 == "." ? Character($0) : "_" })
    while name.utf8.count > Self.greatestLength { name.removeLast() }
    rawValue = Self.error(in: name) == nil ? name : "_" + name
  }

  /// The name of the domain's file, without the folder.
  func fileName(host: String?) -> String {
    let stem = self == .global ? ".GlobalPreferences" : rawValue
    return host.map { "\(stem).\($0).plist" } ?? "\(stem).plist"
  }

  /// The domain whose values for any host, or for one of this name, are in a file of this name; nil if no domain's are.
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

/// Names are equal when their bytes are, as those of files.
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

/// A name that stands in the program itself.
extension DomainName: ExpressibleByStringLiteral {
  /// A name from a literal.
  ///
  /// - Precondition: The literal is a name, by the rules of ``init(_:)-(String)``. Text that isn't in the program's
  ///   source can't get here: the literal is a `StaticString`.
  public init(stringLiteral name: StaticString) {
    let name = name.description
    let error = Self.error(in: name)
    precondition(error == nil, "\(name.quoted) is no name of a domain: \(error ?? "")")
    self.init(unchecked: name)
  }
}

extension DomainName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

/// Whether values are for one computer or for all that share the user's folder.
public enum PreferencesHost: Hashable, Sendable, CaseIterable {
  /// This computer only. Its values come before those of any host.
  case current
  /// Every computer.
  case any
}

/// A domain of the user whose values are in a file.
public struct PersistentDomain: Hashable, Sendable {
  /// Whose values they are.
  public var name: DomainName
  /// Where they count.
  public var host: PreferencesHost

  /// The domain of an application or a suite, or ``DomainName/global``.
  public init(_ name: DomainName, host: PreferencesHost = .any) {
    self.name = name
    self.host = host
  }

  /// What all applications of the user share, on every computer.
  public static let global = PersistentDomain(.global)
}
