public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
public import PropertyLists

/// A store in a binary file of this package's own: compact, and read in one pass.
///
/// Core Data has a binary store too (`NSBinaryStoreType`), whose layout is not known well enough to be written; such a
/// file is refused.
///
/// The file is a keyed archive with these keys at the top:
///
/// | key | value |
/// |---|---|
/// | `MOBinaryStoreVersion` | 1 |
/// | `metadata` | a binary property list with the metadata, as data |
/// | `lastNumber` | the highest number that an object has or had |
/// | `entities` | an array of `MOBinaryEntity`, one for each entity that has objects, in the order of the model |
///
/// `MOBinaryEntity` has the `name` of the entity, the `count` of its objects, their `numbers` in order, each as the
/// difference to the one before, their `versions` (none if all are 1), and the `columns`: `MOBinaryColumn`, one for
/// each property that is not transient, by slot. A column has the `name` of the property, its `type`, the `nulls` (a
/// bit for each object, the first in the lowest bit of the first byte, set where the value is missing; none if none is
/// set) and the `values` of all objects that have one, one after the other:
///
/// | type | value |
/// |---|---|
/// | 100, 200, 300: integers | a variable-length integer whose lowest bit is the sign (zigzag) |
/// | 800: truth value | a byte, 0 or 1 |
/// | 500, 900: double, date (seconds since 2001) | 8 bytes of IEEE 754, the lowest first |
/// | 600: float | 4 bytes |
/// | 400, 700, 1200: decimal, string, URL | the length of the text, and the text in UTF-8 |
/// | 1000, 1800, 2100: data, transformable, composite | the length, and the bytes |
/// | 1100: UUID | 16 bytes |
/// | 0: without a type | a byte, which is the type of the value divided by 100, and the value |
/// | −1: to-one relationship | the object |
/// | −2, −3: to-many relationship, ordered | how many objects, and the objects; without an order by entity and number |
///
/// Lengths and numbers are variable-length integers: seven bits a byte, the lowest first, with the highest bit set in
/// all bytes but the last. An object is the index of its entity in `entities`, and its number. The same rows and
/// metadata give the same bytes.
///
/// As in an ``XMLStore``, both sides of a relationship and its inverse are in the file; one that is missing is added in
/// memory.
public final class BinaryStore: FileStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = "Binary"

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
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file, and ``ManagedObjectError/Code/open`` for
  ///   a file that cannot be read, with what is wrong in ``ManagedObjectError/fileError``.
  /// - Complexity: O(*n*) in the size of the file.
  public init(
    _ file: URL, model: ManagedObjectModel, configuration: String? = nil, isReadOnly: Bool = false,
    createsFile: Bool = true
  ) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(
        file, BinaryStoreFormat(), model: model, configuration: configuration, isReadOnly: isReadOnly,
        createsFile: createsFile)
    }
  }

  /// A new store without objects. Its file is made by the first save, with all that is in it, and must not be there.
  package init(new file: URL, model: ManagedObjectModel) throws(ManagedObjectError) {
    self.file = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try StoreFile(new: file, BinaryStoreFormat(), model: model)
    }
  }

  /// The metadata of a file, without its objects.
  ///
  /// - Throws: as ``init(_:model:configuration:isReadOnly:)``.
  public static func metadata(ofFile file: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try StoreFile.metadata(of: file, BinaryStoreFormat.metadata).values
  }
}
