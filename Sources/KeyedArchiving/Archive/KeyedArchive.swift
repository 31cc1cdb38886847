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
}
