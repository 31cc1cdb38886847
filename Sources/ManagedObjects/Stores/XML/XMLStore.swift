public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A store in Apple's XML format (`NSXMLStoreType`). Most programs describe it with
/// ``PersistentStoreDescription/xml(_:)``.
///
/// ```xml
/// <object type="NOTE" id="z102">
///     <attribute name="content" type="string">Milk</attribute>
///     <relationship name="author" type="0/1" destination="PERSON" idrefs="z103"></relationship>
/// </object>
/// ```
///
/// The format is not documented. It was derived from files that Apple's framework wrote. A save writes changed objects,
/// and copies everything else from the file: white space, comments, the order of properties, and the spelling of
/// values. New objects have their properties in the same order as other objects of the entity.
///
/// A save keeps the framework version in the metadata of an existing file. It writes the digest and the checksum of the
/// version hashes if the file has them, or if that version of the framework wrote them. The metadata of a new file are
/// those of a recent framework version.
///
/// Rules for cases that do not occur in known files of Apple's framework:
///
/// * Entity names are in upper case in the file, property names in lower case. If two names of a model become equal,
///   the model cannot have an XML store: ``ManagedObjectError/Code/incompatibleSchema``.
/// * UUIDs and URLs are text with the types `uuid` and `uri`. Transformable and composite values are base64 text with
///   the types `transformable` and `composite`. Numbers and dates have the fewest digits that are read back as the same
///   number. Dates are seconds since 2001. Special values are `nan`, `inf` and `-inf`.
/// * A character that XML does not allow is written as a backslash, `u` and four hexadecimal digits: `\u0001`. A
///   backslash in a string is written as `\u005c` if the text after it would make it such an escape. When a file is
///   read, these escapes are decoded for the backslash, control characters, U+FFFE and U+FFFF. Any other backslash is
///   kept, as in `C:\temp` or `\u0041`.
/// * A file contains the references of a relationship and those of its inverse. If a reference has no counterpart, the
///   store adds the counterpart in memory, and writes it with the next save. If references contradict each other,
///   opening the file throws.
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
  ///   - isReadOnly: true to open the store only for reading. The file must exist.
  ///   - createsFile: false to throw if the file does not exist.
  ///   - ignoresModelVersion: true to open the store even if it was made with another version of the model. The store
  ///     is then read-only, and the file must exist. See ``PersistentStoreDescription/ignoresModelVersion``.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the file does not exist and must not be created;
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` for a store that was made with another version of the model;
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file;
  ///   ``ManagedObjectError/Code/incompatibleSchema`` for a model whose names XML cannot represent;
  ///   ``ManagedObjectError/Code/open``, with the position in ``ManagedObjectError/fileError``, for a file that cannot
  ///   be read.
  /// - Complexity: O(*n*) in the size of the file.
  public init(
    _ file: URL, model: ManagedObjectModel, configuration: String? = nil, isReadOnly: Bool = false,
    createsFile: Bool = true, ignoresModelVersion: Bool = false
  ) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(
        file, XMLStoreFormat(model, ignoresModelVersion: ignoresModelVersion), model: model,
        configuration: configuration,
        isReadOnly: isReadOnly || ignoresModelVersion, createsFile: createsFile)
    }
  }

  /// Creates a store without objects. The first save creates its file. The file must not exist before.
  package init(
    new file: URL, model: ManagedObjectModel, configuration: String? = nil
  ) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(new: file, XMLStoreFormat(model), model: model, configuration: configuration)
    }
  }

  /// Returns the metadata of a file without reading its objects.
  ///
  /// ```swift
  /// let metadata = try XMLStore.metadata(ofFile: file)
  /// print(metadata[StoreMetadataKey.type]?.string ?? "")   // XML
  /// ```
  ///
  /// - Throws: the errors of ``init(_:model:configuration:isReadOnly:createsFile:ignoresModelVersion:)``.
  public static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try StoreFile.metadata(of: file, XMLStoreFormat.metadata).values
  }
}
