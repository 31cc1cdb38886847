public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A store in a binary file format of this package. It is compact, and is read in one pass. Most programs describe it
/// with ``PersistentStoreDescription/binary(_:)``.
///
/// Core Data has a binary store, too (`NSBinaryStoreType`). Its format is not documented, so opening such a file throws
/// an error.
///
/// The file is a keyed archive with these top-level keys:
///
/// | key | value |
/// |---|---|
/// | `MOBinaryStoreVersion` | 1 |
/// | `metadata` | a binary property list with the metadata, as data |
/// | `lastNumber` | the highest primary key that an object has or had |
/// | `entities` | an array of `MOBinaryEntity`, one for each entity with objects, in the order of the model |
///
/// An entity without objects is included if a reference to a deleted object needs it. `MOBinaryEntity` contains the
/// `name` of the entity, the `count` of its objects, their `numbers` (the primary keys in ascending order, each as the
/// difference from the previous one), their `versions` (empty if all are 1), and the `columns`: a `MOBinaryColumn` for
/// each property that is not transient, sorted by slot.
///
/// A column contains the `name` of the property, its `type`, the `nulls` and the `values`. `nulls` has a bit for each
/// object, beginning with the lowest bit of the first byte. The bit is set if the object has no value. If all objects
/// have a value, `nulls` is empty. `values` contains the values, one after the other:
///
/// | type | value |
/// |---|---|
/// | 100, 200, 300: integers | a variable-length integer whose lowest bit is the sign (zigzag) |
/// | 800: Boolean | a byte, 0 or 1 |
/// | 500, 900: double, date (seconds since 2001) | 8 bytes of IEEE 754, the lowest first |
/// | 600: float | 4 bytes |
/// | 400, 700, 1200: decimal, string, URL | the length of the text, and the text in UTF-8 |
/// | 1000, 1800, 2100: data, transformable, composite | the length, and the bytes |
/// | 1100: UUID | 16 bytes |
/// | 0: without a type | a byte, which is the type of the value divided by 100, and the value |
/// | −1: to-one relationship | the object |
/// | −2: to-many relationship | the count, and the objects, sorted by entity and number |
/// | −3: ordered relationship | the count, and the objects in their order |
///
/// Lengths and numbers are variable-length integers: seven bits per byte, the lowest first, with the highest bit set in
/// all bytes but the last. An object is written as the index of its entity in `entities`, and its number. The same rows
/// and metadata always give the same bytes.
///
/// As in an ``XMLStore``, the file contains the references of a relationship and those of its inverse. If a reference
/// has no counterpart, the store adds it when it reads the file.
public final class BinaryStore: FileStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = "Binary"

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
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file; ``ManagedObjectError/Code/open``, with
  ///   the ``ManagedObjectError/fileError``, for a file that cannot be read.
  /// - Complexity: O(*n*) in the size of the file.
  public init(
    _ file: URL, model: ManagedObjectModel, configuration: String? = nil, isReadOnly: Bool = false,
    createsFile: Bool = true, ignoresModelVersion: Bool = false
  ) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(
        file, BinaryStoreFormat(ignoresModelVersion: ignoresModelVersion), model: model, configuration: configuration,
        isReadOnly: isReadOnly || ignoresModelVersion, createsFile: createsFile)
    }
  }

  /// Creates a store without objects. The first save creates its file. The file must not exist before.
  package init(
    new file: URL, model: ManagedObjectModel, configuration: String? = nil
  ) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(new: file, BinaryStoreFormat(), model: model, configuration: configuration)
    }
  }

  /// Returns the metadata of a file without reading its objects.
  ///
  /// ```swift
  /// let metadata = try BinaryStore.metadata(ofFile: file)
  /// print(metadata[StoreMetadataKey.type]?.string ?? "")   // Binary
  /// ```
  ///
  /// - Throws: the errors of ``init(_:model:configuration:isReadOnly:createsFile:ignoresModelVersion:)``.
  public static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try StoreFile.metadata(of: file, BinaryStoreFormat.metadata).values
  }
}
