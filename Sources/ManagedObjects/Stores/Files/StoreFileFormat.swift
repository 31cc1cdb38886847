internal import FoundationEssentials

/// The format of a ``StoreFile``: XML or binary.
protocol StoreFileFormat: Sendable {
  /// The value of ``StoreMetadataKey/type``.
  var type: String { get }
  /// The primary key before that of the first object in a new file: 101 in Apple's XML, 0 in binary files.
  var firstLastNumber: Int64 { get }
  /// True to read files that were made with another version of the model: see ``StoreFileContents/mismatches``.
  var ignoresModelVersion: Bool { get }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - table: a table without rows, to which the file's rows are added.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - defects: receives the invalid references of relationships; if nil, the first one is thrown. With a receiver,
  ///     the rows may still contain invalid references, and the version hashes are not compared with the model.
  /// - Throws: ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file;
  ///   ``ManagedObjectError/Code/incompatibleVersionHash``; ``ManagedObjectError/Code/open`` for other errors.
  func read(
    _ data: Data, into table: RowTable, configuration: String?, defects: StoreDefects?
  ) throws(ManagedObjectError) -> StoreFileContents

  /// Returns the bytes of a file, and their layout if the format uses one.
  ///
  /// - Parameters:
  ///   - contents: the contents to write, with the layout of `old`.
  ///   - old: the current bytes of the file; nil for a new file.
  ///   - changed: the primary keys of the rows that are new or differ from those in `old`.
  func write(
    _ contents: StoreFileContents, old: Data?, changed: Set<Int64>
  ) throws(ManagedObjectError) -> (data: Data, layout: XMLFileLayout?)
}

/// The contents of a store file.
package struct StoreFileContents: Sendable {
  package var table: RowTable
  package var metadata: StoreMetadata
  /// The highest primary key that an object of the file has or had.
  package var lastNumber: Int64
  /// The highest primary key according to the file; nil if the file does not contain it.
  package var counter: Int64?
  /// The byte ranges of the objects in an XML file; nil for a binary file, and before the first save of a new file.
  var layout: XMLFileLayout?
  /// The differences from the model, if the format ignores its version.
  var mismatches: [ModelMismatch] = []
}

extension StoreFileFormat {
  /// Reads a file, and throws the first defect.
  func read(
    _ data: Data, into table: RowTable, configuration: String?
  ) throws(ManagedObjectError) -> StoreFileContents {
    try read(data, into: table, configuration: configuration, defects: nil)
  }
}
