public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// An error that occurred when an archive was written or read, with its position.
///
/// ```swift
/// do {
///   invoices = try KeyedUnarchiver.unarchivedObject(of: [Invoice].self, from: data)
/// } catch let error as KeyedArchiveError where error.kind == .classNotAllowed {
///   print(error)  // root[0]: expected Invoice, found an object of class "Note" (object 2, Note)
/// }
/// ```
public struct KeyedArchiveError: Error, Hashable, Sendable {
  /// The kind of error, for use in code. The text for people is ``KeyedArchiveError/message``.
  public enum Kind: Hashable, Sendable {
    /// The data is not a property list, a part of the property list cannot be read, or a file cannot be read or
    /// written.
    case propertyList(PropertyListError)
    /// The property list is not a keyed archive.
    case notAnArchive
    /// The archive breaks the rules of its format, for example with a UID beyond the end of the object table, or with
    /// an object without a class.
    case malformed
    /// A required key has no value.
    case valueNotFound
    /// The class of an object is not among the expected types.
    case classNotAllowed
    /// A value is not of the expected type, for example a string instead of a number.
    case typeMismatch
    /// The expected type cannot represent a number exactly.
    case numberOutOfRange
    /// The contents of an object are not valid for its type.
    case invalidContents
    /// An object or value contains itself. Only class instances that call ``KeyedUnarchiver/publish(_:)`` may do so.
    case circularReference
    /// Objects are nested deeper than the limit, or than the stack of the thread allows.
    case nestedTooDeeply
    /// Creating the value requires the data about languages, calendars and time zones in full Foundation, which this
    /// process is not linked with.
    case unavailable
    /// Decoding requires more work than the limits allow for an archive of this size. See `ParsingLimits`.
    case limitExceeded
    /// The value cannot be represented in an archive.
    case invalidValue
    /// A key was encoded twice in one object.
    case duplicateKey
    /// The archive is already complete, or cannot be completed while an object is being encoded.
    case finished
  }

  /// The kind of error.
  public var kind: Kind
  /// A description of the problem, in one line and without its position.
  public var message: String
  /// The path to the value that caused the error: a top-level key, then keys and indices.
  ///
  /// - Complexity: O(*n*) in the length of the path for errors that an unarchiver throws.
  public var path: PropertyListKeyPath? {
    get { storedPath.path }
    set { storedPath = StoredPath(newValue) }
  }
  private var storedPath: StoredPath
  /// The UID of the object that caused the error, or of the object that contains the value that caused it.
  public var uid: PropertyList.UID?
  /// The class name of the object with the ``uid``, as in the archive.
  public var className: String?

  /// Creates an error. Types that check their contents use ``KeyedUnarchiver/failure(_:_:)``, which adds the position.
  public init(
    _ kind: Kind, _ message: String, path: PropertyListKeyPath? = nil, uid: PropertyList.UID? = nil,
    className: String? = nil
  ) {
    self.init(kind, message, StoredPath(path), uid: uid, className: className)
  }

  /// Creates an error whose path shares its steps in memory with the paths of other errors.
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

  /// The path of an error. An unarchiver's path is stored as a linked list, and becomes an array only when it is read,
  /// because many errors are caught and never shown.
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

  /// The code of this error in `NSCocoaErrorDomain`: 3840 for data that is not an archive, 4864 for a corrupt archive,
  /// 4865 for a missing value, 4866 for a value that cannot be encoded (`FoundationErrors.h`).
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
  /// The position, the message and the object, for example
  /// `root.friends[3].born: no value for the key (object 12, Person)`.
  public var description: String {
    var text = path.map { Self.spelled($0).printable(limit: 300) + ": " } ?? ""
    text += message
    var object: [String] = []
    if let uid { object.append("object \(uid.value)") }
    if let className { object.append(className.printable(limit: 100)) }
    if !object.isEmpty { text += " (\(object.joined(separator: ", ")))" }
    return text
  }

  /// Returns a path as text, for example `root.friends[3].born`. The middle of a long path is left out.
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
  /// The same text as ``description``.
  public var errorDescription: String? { description }

  package init(_ error: PropertyListError) { self.init(.propertyList(error), error.description) }

  /// Returns the error with this UID, or unchanged if it already has a UID.
  package func at(_ uid: PropertyList.UID) -> KeyedArchiveError {
    guard self.uid == nil else { return self }
    var error = self
    error.uid = uid
    return error
  }
}

/// Returns the result of an expression. If it throws a `PropertyListError`, throws that error as a
/// ``KeyedArchiveError``.
@inline(__always)
package func translated<T>(_ body: @autoclosure () throws(PropertyListError) -> T) throws(KeyedArchiveError) -> T {
  do { return try body() } catch { throw KeyedArchiveError(error) }
}

/// The path from the top of an archive to a value, as a linked list from the last step to the first. Paths with the
/// same first steps share them in memory.
///
/// Unchecked `Sendable` is safe: only `deinit` changes `before`, after all other references have been released.
final class DecodingTrail: @unchecked Sendable {
  let step: PropertyListKeyPath.Component
  private var before: DecodingTrail?

  private init(_ before: DecodingTrail?, _ step: PropertyListKeyPath.Component) {
    self.before = before
    self.step = step
  }

  /// Returns the path `before` with one more step, or `before` itself if the step is nil.
  static func adding(_ step: PropertyListKeyPath.Component?, to before: DecodingTrail?) -> DecodingTrail? {
    step.map { DecodingTrail(before, $0) } ?? before
  }

  /// Releases the steps in a loop. Recursion over a long path could overflow the stack.
  deinit {
    var next = before.take()
    while next != nil, isKnownUniquelyReferenced(&next) {
      let further = next?.before.take()
      next = further
    }
  }

  /// The steps from the first to the last.
  ///
  /// - Complexity: O(*n*) in the number of steps.
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
