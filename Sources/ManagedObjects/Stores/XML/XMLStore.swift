public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A store in Apple's XML (`NSXMLStoreType`).
///
/// ```xml
/// <object type="NOTE" id="z102">
///     <attribute name="content" type="string">Milk</attribute>
///     <relationship name="author" type="0/1" destination="PERSON" idrefs="z103"></relationship>
/// </object>
/// ```
///
/// The layout is that of files that Apple's framework wrote; no document describes it. A save writes anew what it
/// changes, and copies all else from the file as it is: white space, comments, the order of properties, and the way in
/// which values are written. New objects have their properties in the order that others of the entity have them.
///
/// Metadata stay those of the file, with its framework version. The version hashes' digest and checksum are written if
/// the file has them, or if its framework did; the metadata of a new file are those of a new framework.
///
/// Rules for cases that no file of Apple's shows:
///
/// * Names of entities are in upper case in the file and names of properties in lower case. A model in which two become
///   one has no store in XML: ``ManagedObjectError/Code/incompatibleSchema``.
/// * UUIDs and URLs are text, of the types `uuid` and `uri`; values of transformable and composite attributes are
///   base64, of the types `transformable` and `composite`. Numbers and dates have the fewest digits that are read back
///   as the same number; dates are seconds since 2001. What is no number is `nan`, `inf` or `-inf`.
/// * A character of a string that XML cannot have is written as a backslash, `u` and four hexadecimal digits: `\u0001`.
///   So is the backslash itself, as `\u005c`, where `u` and four digits of such a character follow it. When a file is
///   read, the backslash, control characters, U+FFFE and U+FFFF are taken from this form; any other backslash is one,
///   as in `C:\temp` or `\u0041`.
/// * A file has both sides of a relationship and its inverse. If it has one, the other is added in memory, and written
///   with the next change of the object. If that contradicts what the other object refers to, the file is not read.
/// * Rows have no versions in the file: each is 1 when it is read.
public final class XMLStore: FileStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = "XML"

  /// The file of the store, with the rows that were read from it.
  public let file: StoreFile

  /// Opens a store, or makes a file without objects if there is none, and the folders that are missing for it.
  ///
  /// - Parameters:
  ///   - file: where the store is.
  ///   - model: what its objects consist of.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - isReadOnly: true to save nothing, and to make no file.
  ///   - createsFile: false if a file that is not there is an error.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` for a file that is not there and is not to be made,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` for a store of another model,
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file,
  ///   ``ManagedObjectError/Code/incompatibleSchema``, and ``ManagedObjectError/Code/open`` for a file that cannot be
  ///   read, with what is wrong and where in ``ManagedObjectError/fileError``.
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

  /// A new store without objects. Its file is made by the first save, with all that is in it, and must not be there.
  package init(new file: URL, model: ManagedObjectModel) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(new: file, XMLStoreFormat(model), model: model)
    }
  }

  /// The metadata of a file, without its objects.
  ///
  /// - Throws: as ``init(_:model:configuration:isReadOnly:)``.
  public static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try StoreFile.metadata(of: file, XMLStoreFormat.metadata).values
  }
}
