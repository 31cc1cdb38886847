public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// Why an archive could not be written or read, and where.
public struct KeyedArchiveError: Error, Hashable, Sendable {
  /// What sort of failure it is. Programs decide by it; people read ``KeyedArchiveError/message``.
  public enum Kind: Hashable, Sendable {
    /// The bytes are no property list, a part of them cannot be read, or the file cannot be read or written.
    case propertyList(PropertyListError)
    /// A property list that is no keyed archive.
    case notAnArchive
    /// An archive that breaks the rules of its format: a UID that leads nowhere, an object without a class, a class
    /// description that contradicts itself.
    case malformed
    /// There is no value for a key that must have one.
    case valueNotFound
    /// An object of a class that was not among those asked for.
    case classNotAllowed
    /// A value of another kind than the one asked for.
    case typeMismatch
    /// A number that the type asked for cannot hold exactly.
    case numberOutOfRange
    /// The contents of an object are not those of a value of its type.
    case invalidContents
    /// An object that is needed to make itself, and was not published before.
    case circularReference
    /// Objects are nested deeper than the limit, or than the stack of the thread allows.
    case nestedTooDeeply
    /// A value that this process cannot make, because it is linked without full Foundation and its data about
    /// languages, calendars and time zones.
    case unavailable
    /// More work than an archive of this size can ask for; see `ParsingLimits`.
    case limitExceeded
    /// A value has no form in an archive.
    case invalidValue
    /// A key was encoded twice in one object.
    case duplicateKey
    /// The archiver has finished, or has failed before.
    case finished
  }

  /// What sort of failure it is.
  public var kind: Kind
  /// What is wrong, in one line without a position.
  public var message: String
  /// The way to the value that is wrong: a top-level key, then keys and indices.
  ///
  /// - Complexity: O(*n*) in its length for an error of an unarchiver.
  public var path: PropertyListKeyPath? {
    get { storedPath.path }
    set { storedPath = StoredPath(newValue) }
  }
  private var storedPath: StoredPath
  /// The UID of the object that is wrong, or that has the key that is.
  public var uid: PropertyList.UID?
  /// The class that the archive says that object is of.
  public var className: String?

  /// An error for types that check what they decode; its position is filled in by ``KeyedUnarchiver/failure(_:_:)``.
  public init(
    _ kind: Kind, _ message: String, path: PropertyListKeyPath? = nil, uid: PropertyList.UID? = nil,
    className: String? = nil
  ) {
    self.init(kind, message, StoredPath(path), uid: uid, className: className)
  }

  /// An error at the end of a path whose steps it shares with other errors.
  init(_ kind: Kind, _ message: String, trail: DecodingTrail?, uid: PropertyList.UID?, className: String?) {
    self.init(
      kind, message, trail.map { StoredPath.trail($0) } ?? .path(PropertyListKeyPath()), uid: uid, className: className)
  }

  private init(_ kind: Kind, _ message: String, _ storedPath: StoredPath, uid: PropertyList.UID?, className: String?) {
    self.kind = kind
    self.message = message
    self.storedPath = storedPath
    self.uid = uid
    self.className = className
  }

  /// The path of an error. Many errors are caught and never shown, so the steps of an unarchiver's are copied only when
  /// its path is read.
  private enum StoredPath: Hashable, Sendable {
    case none
    case path(PropertyListKeyPath)
    case trail(DecodingTrail)

    init(_ path: PropertyListKeyPath?) { self = path.map { .path($0) } ?? .none }

    var path: PropertyListKeyPath? {
      switch self {
      case .none: nil
      case .path(let path): path
      case .trail(let trail): trail.path
      }
    }

    static func == (first: StoredPath, second: StoredPath) -> Bool { first.path == second.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
  }

  /// The code that Cocoa has for this failure, in `NSCocoaErrorDomain`: 3840 for what is no archive at all, 4864 for a
  /// corrupt archive, 4865 for a missing value, 4866 for a value that cannot be encoded (`FoundationErrors.h`).
  public var code: Int {
    switch kind {
    case .propertyList, .notAnArchive: 3840
    case .malformed, .classNotAllowed, .typeMismatch, .numberOutOfRange, .invalidContents, .circularReference,
      .nestedTooDeeply, .limitExceeded, .unavailable:
      4864
    case .valueNotFound: 4865
    case .invalidValue, .duplicateKey, .finished: 4866
    }
  }

  /// The domain of ``code``.
  public static let domain = "NSCocoaErrorDomain"
}

extension KeyedArchiveError: CustomStringConvertible {
  /// The position, the message, the object: `root.friends[3].born: no value for the key (object 12, Person)`.
  public var description: String {
    var text = path.map { Self.spelled($0).printable(limit: 300) + ": " } ?? ""
    text += message
    var object: [String] = []
    if let uid { object.append("object \(uid.value)") }
    if let className { object.append(className.printable(limit: 100)) }
    if !object.isEmpty { text += " (\(object.joined(separator: ", ")))" }
    return text
  }

  /// `root.friends[3].born`, shortened in the middle if it is long.
  package static func spelled(_ path: PropertyListKeyPath) -> String {
    let components = path.components
    guard components.count > 20 else { return spelled(components[...]) }
    return "\(spelled(components.prefix(10))) … \(spelled(components.suffix(5))) (\(components.count) levels deep)"
  }

  private static func spelled(_ components: ArraySlice<PropertyListKeyPath.Component>) -> String {
    var text = ""
    for component in components {
      switch component {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

extension KeyedArchiveError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }

  package init(_ error: PropertyListError) { self.init(.propertyList(error), error.description) }

  /// The error with the object that it is about, unless it says one already.
  package func at(_ uid: PropertyList.UID) -> KeyedArchiveError {
    guard self.uid == nil else { return self }
    var error = self
    error.uid = uid
    return error
  }
}

/// What a part of the property list is read or written with; its error is one of the archive.
@inline(__always)
package func translated<T>(_ body: @autoclosure () throws(PropertyListError) -> T) throws(KeyedArchiveError) -> T {
  do { return try body() } catch { throw KeyedArchiveError(error) }
}

/// The path from the top of an archive to a value, as a linked list that begins with the last step. Paths that begin
/// alike share the steps that they have in common.
///
/// Sound: `before` is changed only by `deinit`, when no other reference is left.
final class DecodingTrail: @unchecked Sendable {
  let step: PropertyListKeyPath.Component
  private var before: DecodingTrail?

  private init(_ before: DecodingTrail?, _ step: PropertyListKeyPath.Component) {
    self.before = before
    self.step = step
  }

  /// Returns a path with one more step, or `before` if the step is nil.
  static func adding(_ step: PropertyListKeyPath.Component?, to before: DecodingTrail?) -> DecodingTrail? {
    step.map { DecodingTrail(before, $0) } ?? before
  }

  /// Releases the steps one after another: recursion over a long path would take more stack than a thread may have.
  deinit {
    var next = before.take()
    while next != nil, isKnownUniquelyReferenced(&next) {
      let further = next?.before.take()
      next = further
    }
  }

  /// The steps in their order.
  ///
  /// - Complexity: O(*n*) in their number.
  var path: PropertyListKeyPath {
    var steps: [PropertyListKeyPath.Component] = []
    var trail: DecodingTrail? = self
    while let current = trail {
      steps.append(current.step)
      trail = current.before
    }
    steps.reverse()
    return PropertyListKeyPath(steps)
  }
}
