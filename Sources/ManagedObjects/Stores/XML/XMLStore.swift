public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A store in Apple's XML format (`NSXMLStoreType`).
///
/// ```xml
/// <object type="NOTE" id="z102">
///     <attribute name="content" type="string">Milk</attribute>
///     <relationship name="author" type="0/1" destination="PERSON" idrefs="z103"></relationship>
/// </object>
/// ```
///
/// The format follows files that Apple's framework wrote; it is not documented. A save writes changed objects, and
/// copies everything else from the file: white space, comments, the order of properties, and the spelling of values.
/// New objects have their properties in the same order as other objects of the entity.
///
/// The metadata of an existing file keep its framework version. The digest and checksum of the version hashes are
/// written if the file has them, or if its framework version wrote them. A new file has the metadata of a recent
/// framework.
///
/// Rules for cases that do not occur in known files of Apple's framework:
///
/// * Entity names are in upper case in the file, property names in lower case. If two names of a model become equal,
///   the model cannot have an XML store: ``ManagedObjectError/Code/incompatibleSchema``.
/// * UUIDs and URLs are text of the types `uuid` and `uri`. Transformable and composite values are base64 of the types
///   `transformable` and `composite`. Numbers and dates have the fewest digits that are read back as the same number.
///   Dates are seconds since 2001. Special values are `nan`, `inf` and `-inf`.
/// * A character that XML does not allow is written as a backslash, `u` and four hexadecimal digits: `\u0001`. A
///   backslash is written as `\u005c` if `u` and four digits of such a character follow it. When a file is read, these
///   escapes are decoded for the backslash, control characters, U+FFFE and U+FFFF. Any other backslash is kept, as in
///   `C:\temp` or `\u0041`.
/// * A file contains both sides of a relationship and its inverse. If one is missing, it is added in memory, and is
///   written with the next change of the object. If it contradicts the other object's reference, opening the file
///   throws.
/// * The file has no row versions: each is 1 when it is read.
public final class XMLStore: FileStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = "XML"

  /// The file of the store, with the rows that were read from it.
  public let file: StoreFile

  /// Opens a store. If the file does not exist, creates it without objects, and creates missing folders.
  ///
  /// - Parameters:
  ///   - file: the URL of the file.
  ///   - model: the model of the store.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - isReadOnly: true to open the store without writing; the file must exist.
  ///   - createsFile: false to throw if the file does not exist.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` for a missing file that must not be created;
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` for a store of another model;
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file;
  ///   ``ManagedObjectError/Code/incompatibleSchema``; ``ManagedObjectError/Code/open``, with the position in
  ///   ``ManagedObjectError/fileError``, for a file that cannot be read.
  /// - Complexity: O(*n*) in the size of the file.
  public init(
    _ file: URL, model: ManagedObjectModel, configuration: String? = nil, isReadOnly: Bool = false,
    createsFile: Bool = true
  ) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(
        file, XMLStoreFormat(model), model: model, configuration: configuration, isReadOnly: isReadOnly,
        createsFile: createsFile)
    }
  }

  /// Creates a store without objects. The first save creates its file, which must not exist before.
  package init(new file: URL, model: ManagedObjectModel) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(new: file, XMLStoreFormat(model), model: model)
    }
  }

  /// Returns the metadata of a file without reading its objects.
  ///
  /// - Throws: the errors of ``init(_:model:configuration:isReadOnly:createsFile:)``.
  public static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try StoreFile.metadata(of: file, XMLStoreFormat.metadata).values
  }
}
