import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore

/// A model in a file or a folder, with all its versions, or the one in a store.
struct ModelFile {
  /// The versions by name; one for a file that has no versions.
  let versions: VersionedModel

  init(_ path: String) throws {
    do {
      try self.init(contentsOf: path)
    } catch let error as ManagedObjectModelError {
      // An error of the file system has the path in it.
      if case .file = error { throw error }
      throw ModelFileError(path: path, error: error)
    }
  }

  private init(contentsOf path: String) throws {
    let url = URL(filePath: path)
    if ["momd", "xcdatamodeld"].contains(url.pathExtension.lowercased()) {
      versions = try VersionedModel(contentsOf: url)
    } else {
      let name = url.deletingPathExtension().lastPathComponent
      let kind = try? StoreKind(path)
      let model =
        try kind == .sqlite
        ? SQLiteStore.model(inFile: url, writesNothing: StoreKind.sqlite.isUnused(path))
        : ManagedObjectModel(contentsOf: url)
      versions = VersionedModel(models: [name: model], currentName: name)
    }
  }

  /// Whether a path is that of a model rather than a store.
  static func isModel(_ path: String) -> Bool {
    let url = URL(filePath: path)
    if ["momd", "mom", "xcdatamodeld", "xcdatamodel"].contains(url.pathExtension.lowercased()) { return true }
    guard let kind = try? StoreKind(path), kind != .sqlite else { return false }
    return (try? kind.metadata(url, writesNothing: true)) == nil && (try? ManagedObjectModel(contentsOf: url)) != nil
  }

  /// The version that programs use, or the one of a name.
  func version(named name: String? = nil) throws -> ManagedObjectModel {
    if let model = name.map({ versions.models[$0] }) ?? versions.current { return model }
    let names = versions.models.keys.map { $0.printable() }.joined(separator: ", ")
    throw ManagedObjectError(.undefinedKey, "the model has no version \((name ?? "").quoted); it has \(names)")
  }

  /// The version that a store was made with; the current one if none fits, so that opening the store says why.
  func version(of metadata: OrderedDictionary<String, PropertyList>) throws -> ManagedObjectModel {
    let hashes = (metadata[StoreMetadataKey.versionHashes]?.dictionary ?? [:]).compactMapValues(\.data)
    let name = versions.name(ofVersionWith: Dictionary(uniqueKeysWithValues: hashes.map { ($0, $1) }))
    return try version(named: name)
  }
}

/// Why there is no model in a file, with the path.
struct ModelFileError: Error, CustomStringConvertible {
  let path: String
  let error: ManagedObjectModelError

  var description: String {
    error.description.split(separator: "\n").map { "\(path.printable()): \($0)" }.joined(separator: "\n")
  }
}
