import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import SystemFiles
import ToolSupport

/// A model with all its versions in a file or folder, or the model inside a store.
struct ModelFile {
  /// The versions of the model by name. A file that does not have versions counts as one version.
  let versions: VersionedModel

  init(_ path: String) throws {
    do { try self.init(contentsOf: path) } catch let error as ManagedObjectModelError {
      // An error of the file system names the path already.
      if case .file = error { throw error }
      throw ModelFileError(path: path, error: error)
    }
  }

  private init(contentsOf path: String) throws {
    let url = URL(filePath: path)
    if ["momd", "xcdatamodeld"].contains(Self.pathExtension(path)) {
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

  /// Returns true if a path leads to a model and not to a store.
  static func isModel(_ path: String) -> Bool {
    let url = URL(filePath: path)
    if extensions.contains(pathExtension(path)) { return true }
    guard let kind = try? StoreKind(path), kind != .sqlite else { return false }
    return (try? kind.metadata(url, writesNothing: true)) == nil && (try? ManagedObjectModel(contentsOf: url)) != nil
  }

  /// Searches the folder of a store for models that have the version hashes of the store. Returns the paths of model
  /// files, and of SQLite stores that contain a model.
  private static func paths(
    ofModelsBeside store: String, with metadata: OrderedDictionary<String, PropertyList>
  ) -> (models: [String], stores: [String]) {
    let hashes = Self.versionHashes(metadata)
    if hashes.isEmpty { return ([], []) }
    let folder = FileSystem.parent(of: store)
    let paths = FileSystem.names(in: folder).sorted().map { store.contains("/") ? "\(folder)/\($0)" : $0 }
    func fits(_ path: String) -> Bool { (try? ModelFile(path))?.versions.name(ofVersionWith: hashes) != nil }
    return (
      paths.filter { extensions.contains(pathExtension($0)) && fits($0) },
      paths.filter { pathExtension($0) == "sqlite" && $0 != store && fits($0) }
    )
  }

  /// Returns the path of one model that is in the folder of a store and has the version hashes of the store, as an
  /// example in a message. Returns nil if no such model is found.
  static func example(ofModelBeside store: String, with metadata: OrderedDictionary<String, PropertyList>) -> String? {
    let (models, stores) = paths(ofModelsBeside: store, with: metadata)
    return models.first ?? stores.first
  }

  /// Searches the folder of a store for model files that have the version hashes of the store. Returns the model if
  /// exactly one file has them, or else nil.
  static func model(
    beside store: String, with metadata: OrderedDictionary<String, PropertyList>
  ) -> (path: String, model: ManagedObjectModel)? {
    let models = paths(ofModelsBeside: store, with: metadata).models
    guard models.count == 1, let model = try? ModelFile(models[0]).version(of: metadata) else { return nil }
    return (models[0], model)
  }

  /// Does the same as ``model(beside:with:)``, and prints a note on standard error that names the model.
  static func toldModel(
    beside store: String, with metadata: OrderedDictionary<String, PropertyList>
  ) -> ManagedObjectModel? {
    guard let (path, model) = model(beside: store, with: metadata) else { return nil }
    note("note: \(store.printable()) does not contain its model; using \(path.printable())")
    return model
  }

  private static let extensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

  private static func pathExtension(_ path: String) -> String { URL(filePath: path).pathExtension.lowercased() }

  private static func versionHashes(_ metadata: OrderedDictionary<String, PropertyList>) -> [String: Data] {
    let hashes = (metadata[StoreMetadataKey.versionHashes]?.dictionary ?? [:]).compactMapValues(\.data)
    return Dictionary(uniqueKeysWithValues: hashes.map { ($0, $1) })
  }

  /// Returns the version with a name; without a name, the current version.
  func version(named name: String? = nil) throws -> ManagedObjectModel {
    if let model = name.map({ versions.models[$0] }) ?? versions.current { return model }
    let names = versions.models.keys.map { $0.printable() }.joined(separator: ", ")
    throw ManagedObjectError(.undefinedKey, "the model has no version \((name ?? "").quoted); it has \(names)")
  }

  /// Returns the version that a store was made with. If no version has the version hashes of the store, returns the
  /// current one. Opening the store then throws an error about this.
  func version(of metadata: OrderedDictionary<String, PropertyList>) throws -> ManagedObjectModel {
    try version(named: versions.name(ofVersionWith: Self.versionHashes(metadata)))
  }
}

/// An error about a file that does not contain a model, with its path.
struct ModelFileError: Error, CustomStringConvertible {
  let path: String
  let error: ManagedObjectModelError

  var description: String {
    error.description.split(separator: "\n").map { "\(path.printable()): \($0)" }.joined(separator: "\n")
  }
}
