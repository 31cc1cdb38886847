@_spi(Archives) internal import PropertyLists

/// An object of a class that your program has no type for, with its class, keys and values as they are in the archive.
///
/// You name the classes that may be opaque. For example, to decode text with attributes of AppKit's classes:
///
/// ```swift
/// let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
/// unarchiver.setClass(OpaqueObject.self, forClassName: "NSFont")
/// let text = try unarchiver.decode(Archived.AttributedString.self, forKey: "root")
/// ```
///
/// An ``ArchivedValue`` can contain opaque objects, and you can decode an `OpaqueObject`. The objects that it leads to
/// are kept too. Their classes must be allowed to be opaque, or this package must have a type for them; any other class
/// is an error. The object is archived again with the same class, ancestors, keys and values. An object that several
/// opaque objects share is archived once. Opaque objects may refer to each other in cycles.
///
/// - Note: An opaque object keeps its source archive in memory.
public struct OpaqueObject: Sendable {
  let source: OpaqueSource
  let uid: UInt32

  /// The object in the archive from which this value was decoded.
  public var object: KeyedArchive.Object { source.archive.objects[PropertyList.UID(uid)] }

  /// The name of the class.
  public var className: String { object.className ?? "" }

  /// The name of the class, followed by the names of its ancestors, nearest first. Only names in the archive are
  /// included.
  public var classNames: [String] {
    guard let description = object.classDescription else { return [] }
    return description.classes.isEmpty ? [description.name] : description.classes
  }

  /// The keys, in the order of the archive.
  ///
  /// - Complexity: O(*k*), where *k* is the number of keys.
  public var keys: [String] { ((try? object.fields) ?? []).map(\.key) }

  /// Returns the value of a key, or nil if the key has no value or the value is nil. Objects in the value can be opaque
  /// too.
  ///
  /// ```swift
  /// if case .string(let name) = try font.value(forKey: "NSName") { print(name) }  // "Helvetica"
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError`` for a value that cannot be an ``ArchivedValue``, such as an inline array. Use
  ///   ``object`` to inspect it.
  public func value(forKey key: String) throws -> ArchivedValue? {
    let coder = try KeyedUnarchiver(source.archive.document)
    coder.reads(within: source)
    return try coder.inside(coder.resolve(.uid(uid)), uid: uid) {
      try coder.decodeIfPresent(ArchivedValue.self, forKey: key)
    }
  }
}

/// Two opaque objects are equal if they are the same object of the same archive. Their contents are not compared,
/// because an object may contain itself.
extension OpaqueObject: Hashable {
  public static func == (first: OpaqueObject, second: OpaqueObject) -> Bool {
    first.uid == second.uid && first.source.archive.document === second.source.archive.document
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(source.archive.document))
    hasher.combine(uid)
  }
}

extension OpaqueObject: SecureCoding, AnyClassCoding {
  /// `NSObject`, because an `OpaqueObject` can represent objects of many classes. You choose these with
  /// ``KeyedUnarchiver/setClass(_:forClassName:)``.
  public static var archivedClass: ArchivedClass { ArchivedClass("NSObject", ancestors: []) }

  public init(coder: KeyedUnarchiver) throws {
    throw coder.failure(.typeMismatch, "an OpaqueObject can be decoded only as a whole, not from its contents")
  }

  /// Throws an error, because an opaque object is archived as a whole. Call `encode(_:forKey:)` of an archiver instead.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue``.
  public func encode(with coder: KeyedArchiver) throws {
    throw KeyedArchiveError(.invalidValue, "an OpaqueObject can be archived only as a whole, not by its contents")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> OpaqueObject {
    let object = try coder.resolve(reference.node)
    if coder.isNull(reference.node, object) { throw coder.nothing(insteadOf: OpaqueObject.self) }
    _ = try coder.type(of: object, behind: reference.node, among: [OpaqueObject.self])
    return try coder.opaqueObject(reference.node.uid)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(to: self) }
}
