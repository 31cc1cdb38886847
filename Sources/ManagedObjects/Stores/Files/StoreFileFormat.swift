internal import FoundationEssentials

/// The format of a store file that is read and written as a whole.
protocol StoreFileFormat: Sendable {
  /// The value of ``StoreMetadataKey/type``.
  var type: String { get }
  /// The number before that of a new file's first object: 101 in Apple's XML, 0 in binary files.
  var firstLastNumber: Int64 { get }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - table: a table without rows, to which the file's rows are added.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - defects: receives the defects of relationships, which are then left out of the rows. The version hashes are
  ///     not compared with the model. If nil, defects are thrown.
  /// - Throws: ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file;
  ///   ``ManagedObjectError/Code/incompatibleVersionHash``; ``ManagedObjectError/Code/open`` for other errors.
  func read(
    _ data: Data, into table: RowTable, configuration: String?, defects: StoreDefects?
  ) throws(ManagedObjectError) -> StoreFileContents

  /// Returns the bytes of a file, and their layout if the format uses one.
  ///
  /// - Parameters:
  ///   - contents: the contents to write. Their layout is that of `old`.
  ///   - old: the present file.
  ///   - changed: the numbers of the rows that are new or differ from the old file.
  func write(
    _ contents: StoreFileContents, old: Data?, changed: Set<Int64>
  ) throws(ManagedObjectError) -> (data: Data, layout: XMLFileLayout?)
}

/// The contents of a store file.
package struct StoreFileContents: Sendable {
  package var table: RowTable
  package var metadata: StoreMetadata
  /// The highest number that an object of the file has or had.
  package var lastNumber: Int64
  /// The highest number as recorded in the file; nil if it is missing.
  package var counter: Int64?
  /// The byte ranges of the objects in the file.
  var layout: XMLFileLayout?
}

extension StoreFileFormat {
  /// Reads a file, and throws for each kind of defect.
  func read(
    _ data: Data, into table: RowTable, configuration: String?
  ) throws(ManagedObjectError) -> StoreFileContents {
    try read(data, into: table, configuration: configuration, defects: nil)
  }
}
