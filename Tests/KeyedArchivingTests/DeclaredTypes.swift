import ArchiveViews
import FoundationEssentials
import KeyedArchiving
import OrderedCollections
import PropertyLists

/// A type for decoding archives.
struct DeclaredType: Sendable {
  let name: String
  /// Decodes the root, archives the result, and repeats both.
  let read: @Sendable (PropertyListDocument) throws -> Void
  /// Decodes the root like a server that compares, hashes and stores the result.
  let use: @Sendable (PropertyListDocument) throws -> Void

  /// Any error here, except of decoding, is a defect of this package.
  struct Unstable: Error {
    let description: String
  }

  init<T: SecureCoding>(_ type: T.Type) {
    name = "\(type)"
    use = { document in
      try Self.use { try KeyedUnarchiver(document).decode(type, forKey: KeyedArchiver.rootObjectKey) }
    }
    read = { document in
      let value = try KeyedUnarchiver(document).decode(type, forKey: KeyedArchiver.rootObjectKey)
      let again: Data
      do {
        again = try KeyedArchiver.archivedData(withRootObject: value)
      } catch let error as KeyedArchiveError where error.kind == .invalidValue || error.kind == .nestedTooDeeply {
        // Apple's classes can have contents that cannot be written.
        return
      }
      do {
        let copy = try KeyedUnarchiver.unarchivedObject(of: type, from: again)
        guard try KeyedArchiver.archivedData(withRootObject: copy) == again else {
          throw Unstable(description: "\(type) is archived in another way when it was decoded again")
        }
      } catch let error as KeyedArchiveError {
        throw Unstable(description: "\(type) is archived so that it cannot be decoded: \(error)")
      }
    }
  }

  /// Decodes the root twice; then compares, hashes and archives the results.
  private static func use<T: SecureCoding>(_ decode: () throws -> T) throws {
    let value = try decode()
    if let first = value as? any Hashable {
      let second = try decode()
      _ = first.hashValue
      func isSame<H: Hashable>(_ first: H) -> Bool { (second as? H).map { $0 == first } ?? false }
      _ = isSame(first)
    }
    do {
      _ = try KeyedArchiver.archivedData(withRootObject: value)
    } catch let error as KeyedArchiveError where error.kind == .invalidValue || error.kind == .nestedTooDeeply {}
  }

  /// Not a type: the description of the archive.
  init() {
    name = "no type"
    use = { document in _ = try KeyedArchive(document).classes }
    read = { document in
      _ = KeyedArchive.check(document)
      let archive = try KeyedArchive(document)
      _ = try archive.classes
      _ = try archive.tree()
      _ = try archive.jsonData()
    }
  }

  /// A value of any type, and of these types.
  init(anyOf types: @escaping @Sendable () -> [any SecureCoding.Type]) {
    name = "ArchivedValue of further types"
    use = { document in
      let unarchiver = try KeyedUnarchiver(document)
      unarchiver.additionalTypes = types()
      _ = try unarchiver.decode(ArchivedValue.self, forKey: KeyedArchiver.rootObjectKey).hashValue
    }
    read = { document in
      let unarchiver = try KeyedUnarchiver(document)
      unarchiver.additionalTypes = types()
      _ = try unarchiver.decode(ArchivedValue.self, forKey: KeyedArchiver.rootObjectKey)
    }
  }
}

/// Opaque objects.
extension DeclaredType {
  /// A type, with classes whose objects can be opaque; nil for all classes of the archive.
  init<T: SecureCoding>(_ type: T.Type, opaque classNames: [String]?) {
    @Sendable func decode(_ document: PropertyListDocument, _ names: [String]) throws -> T {
      let unarchiver = try KeyedUnarchiver(document)
      for name in names { unarchiver.setClass(OpaqueObject.self, forClassName: name) }
      return try unarchiver.decode(type, forKey: KeyedArchiver.rootObjectKey)
    }
    @Sendable func names(_ document: PropertyListDocument) throws -> [String] {
      try classNames ?? KeyedArchive(document).classes.map(\.description.name)
    }
    name = "\(type) with opaque objects"
    use = { document in
      let names = try names(document)
      try Self.use { try decode(document, names) }
    }
    read = { document in
      let names = try names(document)
      let value = try decode(document, names)
      do {
        let again = try KeyedArchiver.archivedData(withRootObject: value)
        let copy = try decode(PropertyListDocument(again), names)
        guard try KeyedArchiver.archivedData(withRootObject: copy) == again else {
          throw Unstable(description: "\(type) is archived in another way when it was decoded again")
        }
      } catch let error as KeyedArchiveError where error.kind != .invalidValue && error.kind != .nestedTooDeeply {
        throw Unstable(description: "\(type) is archived so that it cannot be decoded: \(error)")
      }
    }
  }

  static let opaqueTypes: [DeclaredType] = [
    DeclaredType(OpaqueObject.self, opaque: nil), DeclaredType(ArchivedValue.self, opaque: nil),
    DeclaredType([OpaqueObject].self, opaque: ["TreeNode", "Foo", "NSUUID", "NSArray"]),
    DeclaredType(
      Archived.AttributedString.self,
      opaque: ["NSFont", "NSMutableParagraphStyle", "NSTextTab", "NSTextAttachment", "NSTextAttachmentCell"]),
  ]
}

/// Every type for decoding archives. To add a type, add a line.
extension DeclaredType {
  static let foundationTypes: [any SecureCoding.Type] = [
    Bool.self, Int.self, Int8.self, UInt64.self, Float.self, Double.self, String.self, Data.self, Date.self,
    Decimal.self, UUID.self, URL.self, Locale.self, TimeZone.self, Calendar.self, DateComponents.self,
    DateInterval.self, IndexPath.self,
  ]

  static let collectionTypes: [any SecureCoding.Type] = [
    [String].self, [Int?].self, [[ArchivedValue]].self, Set<String>.self, Set<[Double]>.self, OrderedSet<Int>.self,
    [String: Int].self, [UUID: [Date]].self, OrderedDictionary<String, ArchivedValue>.self, String?.self,
    Archived.CountedSet<String>.self, Archived.CountedSet<Int>.self, Set<Set<ArchivedValue>>.self,
    [ArchivedValue: ArchivedValue].self, [Archived.TextCheckingResult].self, [IndexPath].self,
  ]

  static let structureTypes: [any SecureCoding.Type] = [
    Archived.Null.self, Archived.IndexSet.self, Archived.Value.self, Archived.Point.self, Archived.Size.self,
    Archived.Rect.self, Archived.Range.self, Archived.EdgeInsets.self, Archived.CArray.self, Archived.Error.self,
    Archived.Exception.self, Archived.Notification.self, Archived.RegularExpression.self,
    Archived.TextCheckingResult.self, Archived.AttributedString.self, Archived.AffineTransform.self,
    Archived.CharacterSet.self, Archived.Measurement.self, Archived.Unit.self, Archived.UnitConverter.self,
    Archived.PersonNameComponents.self, Archived.SortDescriptor.self, Archived.URLQueryItem.self,
    Archived.ByteCountFormatter.self, Archived.DateIntervalFormatter.self, Archived.ISO8601DateFormatter.self,
    Archived.Locale.self, Archived.TimeZone.self, Archived.Calendar.self, Archived.Color.self,
    Archived.Color.ColorSpace.self, ArchivedValue.self,
  ]

  static let mutableTypes: [any SecureCoding.Type] = [
    Archived.Mutable<String>.self, Archived.Mutable<Data>.self, Archived.Mutable<[ArchivedValue]>.self,
    Archived.Mutable<Set<Int>>.self, Archived.Mutable<OrderedSet<Int>>.self, Archived.Mutable<[String: Int]>.self,
    Archived.Mutable<Archived.IndexSet>.self, Archived.Mutable<Archived.AttributedString>.self,
    Archived.Mutable<Archived.CharacterSet>.self,
  ]

  static let ownTypes: [any SecureCoding.Type] = [
    Foo.self, Point.self, ChainLink.self, Shape.self, Circle.self, [Square].self, Range<Int>.self,
    ClosedRange<Int>.self,
  ]

  static let all: [DeclaredType] =
    (foundationTypes + collectionTypes + structureTypes + mutableTypes + ownTypes).map { DeclaredType($0) } + [
      DeclaredType(anyOf: { [TreeNode.self] + ownTypes + structureTypes }),
      DeclaredType(anyOf: { mutableTypes + foundationTypes }),
      DeclaredType(),
    ] + opaqueTypes
}
