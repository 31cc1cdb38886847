package import FoundationEssentials
internal import PropertyLists

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

  /// The kind of file, for messages; nil for XML.
  package var name: String? {
    switch self {
    case .sqlite: "an SQLite store"
    case .coreDataBinary: "a binary store of Core Data"
    case .binaryPropertyList: "a binary property list"
    case .xml: nil
    }
  }
}
