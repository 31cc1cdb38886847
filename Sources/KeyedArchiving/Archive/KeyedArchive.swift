public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// A keyed archive as it stands in its file: objects, classes and references, to be looked at.
///
/// Nothing is instantiated, so no type has to be known, and an archive of any origin can be opened safely.
///
/// ```swift
/// let archive = try KeyedArchive(contentsOf: url)
/// for object in archive.objects where object.className == "Invoice" { print(object.uid, try object.fields) }
/// ```
///
/// The module `ArchiveViews` adds its tree, JSON, graph and check.
///
/// Opening an archive looks at its four parts only; every object is read when it is asked for.
public struct KeyedArchive: Sendable {
  /// The archive as a property list.
  public let document: PropertyListDocument
  /// The class that the archive says it was written by: `NSKeyedArchiver` for Apple's archiver and for
  /// ``KeyedArchiver``.
  public let archiver: String
  package let topNode: PropertyListDocument.Node
  package let objectsNode: PropertyListDocument.Node

  /// Opens an archive of any format.
  ///
  /// - Parameters:
  ///   - data: the whole archive. It is kept, not copied, as long as the value lives.
  ///   - limits: how large the input may be, and how much larger what is made of it.
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` for bytes that are no property list,
  ///   ``KeyedArchiveError/Kind/notAnArchive``.
  /// - Complexity: O(1) for the binary format, O(*n*) for text formats.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(data, options: .archive(limits))))
  }

  /// Reads the archive in a file into memory and opens it.
  ///
  /// - Throws: as for bytes in memory, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be read.
  public init(contentsOf url: URL, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(contentsOf: url, options: .archive(limits))))
  }

  /// Opens an archive that has been read as a property list.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/notAnArchive``, ``KeyedArchiveError/Kind/propertyList(_:)`` for a part that
  ///   cannot be read. `check(_:)` of the module `ArchiveViews` tells all that is wrong with such a property list.
  public init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    self.document = document
    archiver = try ArchiveLayout(document).archiver
    guard let top = try translated(document.root.value(forKey: "$top")),
      let objects = try translated(document.root.value(forKey: "$objects"))
    else { throw KeyedArchiveError(PropertyListError(.noSuchValue, "the property list has no $top or no $objects")) }
    topNode = top
    objectsNode = objects
  }

  /// What was encoded outside of any object, in the order of the file: the key `root` of most archives, or any others.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` for what cannot be read.
  public var topLevelFields: [Field] {
    get throws(KeyedArchiveError) {
      var reader = ArchiveReader(self)
      return try reader.fields(of: topNode, isObject: false)
    }
  }

  /// All objects, by UID.
  public var objects: Objects { Objects(archive: self) }

  /// A key, and what an archive has under it.
  public struct Field: Sendable {
    /// The key as it was encoded. Keys that begin with `$` have one more in the file, which is taken off; `$0`, `$1`
    /// and so on were encoded without a key.
    public let key: String
    /// What stands under the key.
    public let value: Value
  }

  /// What stands under a key.
  public enum Value: Sendable {
    /// A reference to an object, or to nothing: UID 0 and all others whose object is of the kind ``Object/Kind/null``.
    case reference(PropertyList.UID)
    /// A value that stands there itself: a number, a truth value, bytes, or an array with references in it.
    case inline(PropertyListDocument.Node)
  }

  /// What an archive says of a class.
  public struct ClassDescription: Hashable, Sendable {
    /// Where it stands in the object table.
    public let uid: PropertyList.UID
    /// `$classname`.
    public let name: String
    /// `$classes`: the class and what it inherits from, the nearest first. Empty if the archive does not say, as for
    /// classes that were renamed when they were archived.
    public let classes: [String]
    /// `$classhints`: classes that a reader may take who does not know this one.
    public let hints: [String]
  }

  /// A class and how many objects are of it.
  public struct CountedClass: Hashable, Sendable {
    /// What the archive says of the class.
    public let description: ClassDescription
    /// How many objects say that they are of it.
    public let instanceCount: Int
  }

  /// All classes that the archive describes, in the order of the object table.
  ///
  /// - Throws: ``KeyedArchiveError`` for an object that cannot be read; ``KeyedArchiveError/Kind/limitExceeded`` where
  ///   objects of a binary file overlap.
  /// - Complexity: O(*n*) in the size of the archive.
  public var classes: [CountedClass] {
    get throws(KeyedArchiveError) {
      var reader = ArchiveReader(forAllOf: self)
      var counts: [UInt32: Int] = [:]
      var described: [UInt32] = []
      for object in objects.startIndex.value..<objects.endIndex.value {
        do {
          let node = try reader.object(object)
          guard node.kind == .dictionary else { continue }
          let keys = try reader.keyPositions(of: node)
          if let position = keys.classReference {
            let reference = try reader.value(ofEntry: position, of: node)
            if reference.kind == .uid { counts[reference.uid, default: 0] += 1 }
          } else if keys.className != nil {
            described.append(object)
          }
        } catch {
          throw error.at(PropertyList.UID(object))
        }
      }
      var classes: [CountedClass] = []
      for uid in described {
        guard let description = try reader.classDescription(uid) else { continue }
        classes.append(CountedClass(description: description, instanceCount: counts[uid] ?? 0))
      }
      return classes
    }
  }

  /// Something that is wrong with an archive.
  public struct Finding: Hashable, Sendable {
    /// What sort of finding it is. Programs decide by it; people read ``message``.
    public let kind: Kind
    /// What is wrong, in one line without a position.
    public let message: String
    /// The object that is wrong, or that has the value that is; nil for the archive as a whole.
    public let uid: PropertyList.UID?
    /// The way from that object, or else from the root of the property list, to the value that is wrong. Empty if it is
    /// the object itself.
    public let path: PropertyListKeyPath

    /// The sorts of finding.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The root of the property list is no dictionary.
      case root
      /// There is no `$archiver`, or it is no text.
      case archiver
      /// The `$archiver` is another than `NSKeyedArchiver`.
      case otherArchiver
      /// There is no `$version`, or it is another than 100000.
      case version
      /// There is no `$top`, or it is no dictionary.
      case top
      /// There is no `$objects`, or it is no array.
      case objectTable
      /// The first object is not `$null`.
      case firstObject
      /// A value or a key cannot be read: its bytes break the rules of the format, or it contains itself.
      case unreadableValue
      /// A key stands twice in a dictionary.
      case duplicateKey
      /// A UID leads out of the object table.
      case danglingReference
      /// A reference to an object leads to the description of a class.
      case referenceToClass
      /// An object is something that no object can be, such as a UID.
      case invalidObject
      /// An object is a dictionary without a `$class`.
      case missingClass
      /// The `$class` of an object is no class description.
      case invalidClass
      /// A dictionary that is no object has a `$class`.
      case inlineObject
      /// A class description has no name, or contradicts itself.
      case classDescription
      /// A class is described twice.
      case classDescribedTwice
      /// An object of one of Foundation's classes has not what Apple's reader needs to make it.
      case invalidContents
      /// An array, set or dictionary that cannot be changed once it is made contains itself.
      case circularCollection
      /// No top-level key leads to an object, or to an object of a class.
      case unreachableObject
      /// Objects overlap, or expand so far that the rest was not looked at.
      case limitExceeded
    }

    /// How bad a finding is.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
      /// Some readers cannot decode the archive, or a part of it.
      case error
      /// The archive can be decoded, but there are readers that refuse it.
      case warning
      /// Every reader can decode the archive.
      case note
    }

    /// How bad the finding is: that of its ``kind``.
    public var severity: Severity {
      switch kind {
      case .unreachableObject: .note
      case .otherArchiver: .warning
      default: .error
      }
    }

    package init(_ kind: Kind, _ message: String, uid: UInt32? = nil, path: PropertyListKeyPath = PropertyListKeyPath())
    {
      self.kind = kind
      self.message = message
      self.uid = uid.map { PropertyList.UID($0) }
      self.path = path
    }
  }
}

extension KeyedArchive.Finding: CustomStringConvertible {
  /// The position and the message: `object 12, friends[3]: the UID 99 leads out of the object table, which has 20
  /// objects`.
  public var description: String {
    var location: [String] = []
    if let uid { location.append("object \(uid.value)") }
    if !path.components.isEmpty { location.append(KeyedArchiveError.spelled(path).printable(limit: 300)) }
    return (location.isEmpty ? "" : location.joined(separator: ", ") + ": ") + message
  }
}
