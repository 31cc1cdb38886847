@_spi(Archives) internal import PropertyLists

/// An object of a class that the program has no type for, carried as it is: class, keys and values.
///
/// The program says by name which classes may be opaque. Text with attributes of AppKit's classes, say:
///
/// ```swift
/// let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
/// unarchiver.setClass(OpaqueObject.self, forClassName: "NSFont")
/// let text = try unarchiver.decode(Archived.AttributedString.self, forKey: "root")
/// ```
///
/// An opaque object may stand wherever an ``ArchivedValue`` may, and where an `OpaqueObject` is asked for. What it
/// leads to is carried with it: objects of classes that may be opaque too, and those of Foundation's that this package
/// has types for; any other class is an error. It is archived again with the same class, ancestors, keys and values,
/// and objects that several opaque objects of an archive lead to are one object again, in circles too.
///
/// - Note: It keeps the archive that it comes from in memory.
public struct OpaqueObject: Sendable {
  let source: OpaqueSource
  let uid: UInt32

  /// The object in the archive that it comes from.
  public var object: KeyedArchive.Object { source.archive.objects[PropertyList.UID(uid)] }

  /// The name of the class.
  public var className: String { object.className ?? "" }

  /// The names of the class and of what it inherits from, the nearest first, as far as the archive says.
  public var classNames: [String] {
    guard let description = object.classDescription else { return [] }
    return description.classes.isEmpty ? [description.name] : description.classes
  }

  /// The keys, in the order of the archive.
  ///
  /// - Complexity: O(*k*) in their number.
  public var keys: [String] { ((try? object.fields) ?? []).map(\.key) }

  /// The value of a key; nil if there is none, or if it is nil. What it leads to of unknown classes is opaque in its
  /// turn.
  ///
  /// - Throws: ``KeyedArchiveError`` for what no ``ArchivedValue`` can be, such as an array that stands in the object
  ///   itself; ``object`` shows it.
  public func value(forKey key: String) throws -> ArchivedValue? {
    let coder = try KeyedUnarchiver(source.archive.document)
    coder.reads(within: source)
    return try coder.inside(coder.resolve(.uid(uid)), uid: uid) {
      try coder.decodeIfPresent(ArchivedValue.self, forKey: key)
    }
  }
}

/// Opaque objects are equal when they are the same object of the same archive. What they consist of may lead back to
/// them, and has no end.
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
  /// That of any object. An archive's classes are opaque by ``KeyedUnarchiver/setClass(_:forClassName:)`` only.
  public static var archivedClass: ArchivedClass { ArchivedClass("NSObject", ancestors: []) }

  public init(coder: KeyedUnarchiver) throws {
    throw coder.failure(.typeMismatch, "an OpaqueObject is decoded as it is, not by its contents")
  }

  /// - Throws: ``KeyedArchiveError/Kind/invalidValue``: it has no contents of its own, but is archived as it is.
  public func encode(with coder: KeyedArchiver) throws {
    throw KeyedArchiveError(.invalidValue, "an OpaqueObject is archived as it is, not by its contents")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> OpaqueObject {
    let object = try coder.resolve(reference.node)
    if coder.isNull(reference.node, object) { throw coder.nothing(insteadOf: OpaqueObject.self) }
    _ = try coder.type(of: object, behind: reference.node, among: [OpaqueObject.self])
    return try coder.opaqueObject(reference.node.uid)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(to: self) }
}
