package import FoundationEssentials
internal import ObjectModels
internal import PropertyLists
internal import SystemFiles

/// A kind of file that is known by its first bytes, and that a store may be taken for.
package enum StoreFileKind: Sendable {
  case sqlite
  case coreDataBinary
  case binaryPropertyList
  case xml

  /// Nil for any other file.
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

  /// The number of bytes at the beginning of a file that determine its kind.
  package static let beginningLength = 4096

  /// Detects the kind of the file at a path. Returns nil for any other file, and for a file that cannot be read.
  package init?(ofFile path: String) {
    guard let beginning = FileSystem.beginning(of: path, count: Self.beginningLength) else { return nil }
    self.init(beginning)
  }

  /// The kind of file, for messages; nil for XML.
  package var name: String? {
    switch self {
    case .sqlite: "an SQLite store"
    case .coreDataBinary: "a binary store of Core Data"
    case .binaryPropertyList: "a binary property list"
    case .xml: nil
    }
  }

  /// The metadata of a store in XML or a binary store.
  package func metadata(of data: Data) throws(ManagedObjectError) -> StoreMetadata {
    self == .xml ? try XMLStoreFormat.metadata(of: data) : try BinaryStoreFormat.metadata(of: data)
  }

  /// The rows and metadata of a store in XML or a binary store. Defects of relationships go to `defects`.
  package func contents(
    of data: Data, model: ManagedObjectModel, configuration: String?, defects: StoreDefects
  ) throws(ManagedObjectError) -> StoreFileContents {
    let format: any StoreFileFormat = self == .xml ? try XMLStoreFormat(model) : BinaryStoreFormat()
    let table = RowTable(model: model, storeNumber: .next(), configuration: configuration)
    return try format.read(data, into: table, configuration: configuration, defects: defects)
  }
}
