public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// A keyed archive as it is stored: objects, classes and references, for inspection.
///
/// No object is instantiated. You need no types for the objects, and can safely open an archive from any source.
///
/// ```swift
/// let archive = try KeyedArchive(contentsOf: url)
/// for object in archive.objects where object.className == "Invoice" { print(object.uid, try object.fields) }
/// ```
///
/// The module `ArchiveViews` adds a tree, JSON, a graph and a check.
///
/// Opening an archive reads only `$archiver`, `$version`, `$top` and `$objects`. An object is read when you access it.
public struct KeyedArchive: Sendable {
  /// The archive as a property list.
  public let document: PropertyListDocument
  /// The name of the class that wrote the archive, from the archive's `$archiver`: `NSKeyedArchiver` for Apple's
  /// archiver and for ``KeyedArchiver``.
  public let archiver: String
  package let topNode: PropertyListDocument.Node
  package let objectsNode: PropertyListDocument.Node

  /// Opens an archive of any format.
  ///
  /// - Parameters:
  ///   - data: the whole archive. It is kept without a copy as long as this value exists.
  ///   - limits: the limits for the size of the input and of what is read from it; see `ParsingLimits`.
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if the data is not a property list,
  ///   ``KeyedArchiveError/Kind/notAnArchive`` if the property list is not a keyed archive.
  /// - Complexity: O(1) for the binary format, O(*n*) in the size of the data for text formats.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(data, options: .archive(limits))))
  }

  /// Reads the archive in a file into memory and opens it.
  ///
  /// - Throws: The errors of ``init(_:limits:)``, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be
  ///   read.
  public init(contentsOf url: URL, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    try self.init(translated(PropertyListDocument(contentsOf: url, options: .archive(limits))))
  }

  /// Opens an archive that has been read as a property list.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/notAnArchive`` if the property list is not a keyed archive,
  ///   ``KeyedArchiveError/Kind/propertyList(_:)`` if one of its parts cannot be read. `check(_:)` of the module
  ///   `ArchiveViews` reports all defects of such a property list.
  public init(_ document: PropertyListDocument) throws(KeyedArchiveError) {
    self.document = document
    archiver = try ArchiveLayout(document).archiver
    guard let top = try translated(document.root.value(forKey: "$top")),
      let objects = try translated(document.root.value(forKey: "$objects"))
    else { throw KeyedArchiveError(PropertyListError(.noSuchValue, "the property list has no $top or no $objects")) }
    topNode = top
    objectsNode = objects
  }

  /// The top-level keys and values, in the order of the file. Most archives have only the key `root`.
  ///
  /// ```swift
  /// for field in try archive.topLevelFields {
  ///   if case .reference(let uid) = field.value { print(field.key, archive.objects[uid].className ?? "nil") }
  /// }
  /// // root Note
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if a key or value cannot be read.
  public var topLevelFields: [Field] {
    get throws(KeyedArchiveError) {
      var reader = ArchiveReader(self)
      return try reader.fields(of: topNode, isObject: false)
    }
  }

  /// All objects, by UID.
  public var objects: Objects { Objects(archive: self) }

  /// A key and its value.
  public struct Field: Sendable {
    /// The key as it was encoded. If it begins with `$`, the file has a second `$`, which is not part of this property.
    /// The keys `$0`, `$1` and so on are those of values that were encoded without a key.
    public let key: String
    /// The value of the key.
    public let value: Value
  }

  /// The value of a key.
  ///
  /// ```swift
  /// switch field.value {
  /// case .reference(let uid): print(field.key, archive.objects[uid].kind)
  /// case .inline(let node): print(field.key, node.kind)
  /// }
  /// ```
  public enum Value: Sendable {
    /// A reference to an object, by its UID. UID 0 represents nil, and so does any UID whose object has the kind
    /// ``Object/Kind/null``.
    case reference(PropertyList.UID)
    /// A value that is stored inline: a number, a Boolean, bytes, or an array that may contain references.
    case inline(PropertyListDocument.Node)
  }

  /// The description of a class in an archive.
  public struct ClassDescription: Hashable, Sendable {
    /// The UID of the class description.
    public let uid: PropertyList.UID
    /// The name of the class: `$classname`.
    public let name: String
    /// The class and its ancestors, nearest first: `$classes`. Empty if the archive does not have them, for example for
    /// a class that was renamed when it was archived.
    public let classes: [String]
    /// The classes that a reader may use instead if it does not know this one: `$classhints`.
    public let hints: [String]
  }

  /// A class and the number of its instances.
  public struct CountedClass: Hashable, Sendable {
    /// The description of the class in the archive.
    public let description: ClassDescription
    /// The number of objects whose `$class` is the description.
    public let instanceCount: Int
  }

  /// All classes that the archive describes, in the order of the object table.
  ///
  /// ```swift
  /// for entry in try archive.classes { print(entry.description.name, entry.instanceCount) }
  /// // NSArray 1
  /// // Note 12
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError`` if an object cannot be read, ``KeyedArchiveError/Kind/limitExceeded`` if objects
  ///   of a binary file overlap too much.
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

  /// A defect or peculiarity of an archive.
  public struct Finding: Hashable, Sendable {
    /// The kind of finding, for use in code. The text for people is ``message``.
    public let kind: Kind
    /// A description of the problem, in one line and without its position.
    public let message: String
    /// The UID of the object with the problem, or of the object that contains the value with the problem. Nil if the
    /// finding is about the archive as a whole.
    public let uid: PropertyList.UID?
    /// The path to the value with the problem, from the object ``uid``, or from the root of the property list if that
    /// is nil. Empty if the finding is about the object itself.
    public let path: PropertyListKeyPath

    /// The kinds of finding.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The root of the property list is not a dictionary.
      case root
      /// `$archiver` is missing, or is not a string.
      case archiver
      /// `$archiver` is not `NSKeyedArchiver`.
      case otherArchiver
      /// `$version` is missing, or is not 100000.
      case version
      /// `$top` is missing, or is not a dictionary.
      case top
      /// `$objects` is missing, or is not an array.
      case objectTable
      /// The first object is not `$null`.
      case firstObject
      /// A value or a key cannot be read, because its bytes are not valid in the format, or because it contains itself.
      case unreadableValue
      /// A key occurs twice in a dictionary.
      case duplicateKey
      /// A UID is beyond the end of the object table.
      case danglingReference
      /// A reference to an object leads to a class description.
      case referenceToClass
      /// A value of the object table cannot be an object, for example a UID.
      case invalidObject
      /// An object is a dictionary without a `$class`.
      case missingClass
      /// The `$class` of an object does not lead to a class description.
      case invalidClass
      /// A dictionary that is not in the object table has a `$class`.
      case inlineObject
      /// A class description has no name, has `$classes` or `$classhints` that are not arrays of strings, or has
      /// `$classes` that do not contain its name.
      case classDescription
      /// A class has two class descriptions.
      case classDescribedTwice
      /// An object of a Foundation class has no value for a key that its class requires, or an invalid value.
      case invalidContents
      /// An immutable array, set or dictionary contains itself.
      case circularCollection
      /// An object cannot be reached from any top-level key.
      case unreachableObject
      /// The check ended early, because objects of a binary file overlap or expand too much.
      case limitExceeded
    }

    /// The severity of a finding.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
      /// Some readers cannot decode the archive, or a part of it.
      case error
      /// The archive can be decoded, but some readers refuse it.
      case warning
      /// All readers can decode the archive.
      case note
    }

    /// The severity of findings of this ``kind``.
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
  /// The position and the message, for example
  /// `object 12, friends[3]: the UID 99 is outside the object table, which has 20 objects`.
  public var description: String {
    var location: [String] = []
    if let uid { location.append("object \(uid.value)") }
    if !path.components.isEmpty { location.append(KeyedArchiveError.spelled(path).printable(limit: 300)) }
    return (location.isEmpty ? "" : location.joined(separator: ", ") + ": ") + message
  }
}
