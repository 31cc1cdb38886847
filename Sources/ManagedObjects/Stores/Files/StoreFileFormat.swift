internal import FoundationEssentials

/// The layout of a store in a file that is read and written as a whole.
protocol StoreFileFormat: Sendable {
  /// The value of ``StoreMetadataKey/type``.
  var type: String { get }
  /// The highest number that no object of a new file has.
  var firstLastNumber: Int64 { get }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - table: a table without rows, which gets those of the file.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - defects: gets relationships that are wrong, which the rows lack then; the version hashes are not compared with
  ///     the model. Nil if all that is an error.
  /// - Throws: ``ManagedObjectError/Code/storeTypeMismatch`` for another kind of file,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash``, ``ManagedObjectError/Code/open`` for anything else.
  func read(
    _ data: Data, into table: RowTable, configuration: String?, defects: StoreDefects?
  ) throws(ManagedObjectError) -> StoreFileContents

  /// The bytes of a file, and how they are laid out if that is to be known.
  ///
  /// - Parameters:
  ///   - contents: what is to be written. Its layout is that of `old`.
  ///   - old: the file as it is.
  ///   - changed: the numbers of the rows that the old file does not have, or has with other values.
  func write(
    _ contents: StoreFileContents, old: Data?, changed: Set<Int64>
  ) throws(ManagedObjectError) -> (data: Data, layout: XMLFileLayout?)
}

/// The contents of the file of a store.
package struct StoreFileContents: Sendable {
  package var table: RowTable
  package var metadata: StoreMetadata
  /// The highest number that an object of the file has or had.
  package var lastNumber: Int64
  /// The highest number as the file has it; nil if it does not say.
  package var counter: Int64?
  /// The byte ranges of the objects in the file.
  var layout: XMLFileLayout?
}

extension StoreFileFormat {
  /// Reads a file, of which every defect is an error.
  func read(
    _ data: Data, into table: RowTable, configuration: String?
  ) throws(ManagedObjectError) -> StoreFileContents {
    try read(data, into: table, configuration: configuration, defects: nil)
  }
}
