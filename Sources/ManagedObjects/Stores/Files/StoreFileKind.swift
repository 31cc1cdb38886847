package import FoundationEssentials
internal import ObjectModels
internal import PropertyLists
internal import SystemFiles

/// A kind of file, recognized by its first bytes: a kind of store, or of property list, which can be mistaken for a
/// store.
package enum StoreFileKind: Sendable {
  case sqlite
  case coreDataBinary
  case binaryPropertyList
  case xml

  /// Recognizes a file by its contents. Returns nil for other kinds of files.
  package init?(_ data: Data) {
    let bytes = data.bytes
    if bytes.starts(with: "SQLite format 3\0") {
      self = .sqlite
    } else if bytes.starts(with: "CoreData") {
      self = .coreDataBinary
    } else if bytes.starts(with: "bplist") {
      self = .binaryPropertyList
    } else if PropertyListFormat(detecting: bytes) == .xml {
      self = .xml
    } else {
      return nil
    }
  }

  /// The number of bytes that are read to recognize the kind of a file.
  package static let beginningLength = 4096

  /// Recognizes the file at a path. Returns nil for other kinds of files, and for a file that cannot be read.
  package init?(ofFile path: String) {
    guard let beginning = FileSystem.beginning(of: path, count: Self.beginningLength) else { return nil }
    self.init(beginning)
  }

  /// The name of the kind for error messages; nil for XML.
  package var name: String? {
    switch self {
    case .sqlite: "an SQLite store"
    case .coreDataBinary: "a Core Data binary store"
    case .binaryPropertyList: "a binary property list"
    case .xml: nil
    }
  }

  /// Returns the metadata of a file of this kind, which must be an XML or binary store.
  package func metadata(of data: Data) throws(ManagedObjectError) -> StoreMetadata {
    self == .xml ? try XMLStoreFormat.metadata(of: data) : try BinaryStoreFormat.metadata(of: data)
  }

  /// Returns the rows and metadata of an XML or binary store. Reports invalid references of relationships to `defects`.
  package func contents(
    of data: Data, model: ManagedObjectModel, configuration: String?, defects: StoreDefects
  ) throws(ManagedObjectError) -> StoreFileContents {
    let format: any StoreFileFormat = self == .xml ? try XMLStoreFormat(model) : BinaryStoreFormat()
    let table = RowTable(model: model, storeNumber: .next(), configuration: configuration)
    return try format.read(data, into: table, configuration: configuration, defects: defects)
  }
}
