import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import SystemFiles
import ToolSupport

/// An output form of a model.
enum ModelForm: String, ExpressibleByArgument, CaseIterable {
  case text, json, dot, sql, swift, xcdatamodel, mom
}

struct ModelVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "model",
    abstract: "Print the model of a store or a model file.",
    discussion: """
      Formats: text is an outline, json is for programs in other languages, dot is a graph for Graphviz, and sql \
      creates the tables of a store with the model. swift is code with a class for each entity; with -o, and unless the \
      name ends in .swift, it is a folder with a file for each class. xcdatamodel and mom are files for Xcode; with -o, \
      xcdatamodel is a folder.

      Examples:
        storeutil model Notes.sqlite
        storeutil model Notes.momd --format swift > Notes.swift
        storeutil model Notes.sqlite --format xcdatamodel -o Notes.xcdatamodel
      """)

  @Argument(file: "The file of a store or a model.", "file")
  var file: String

  @Option(help: ArgumentHelp("The version to use of a model with several versions.", valueName: "name"))
  var version: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("The format to print.", valueName: "format"))
  var format = ModelForm.text

  @Flag(name: .customLong("public"), help: "Make public classes, with swift.")
  var isPublic = false

  @Option(file: "Write to FILE.", "file", name: .shortAndLong)
  var outfile: String?

  @OptionGroup var opening: OpeningArguments

  func validate() throws {
    if isPublic, format != .swift { throw ValidationError("--public works only with --format swift.") }
  }

  func run() throws {
    let model = try NamedModel(file, version: version, opening).model
    if let outfile, outfile != "-" {
      if format == .xcdatamodel { return try write(["contents": source(of: model)], toFolder: outfile) }
      if format == .swift, !outfile.hasSuffix(".swift") {
        let files = model.swiftFiles(named: modelName, isPublic: isPublic) { note("note: \($0.withoutCommands)") }
        return try write(files.mapValues { Data($0.utf8) }, toFolder: outfile)
      }
    }
    let data: Data =
      switch format {
      case .text: Data((model.description + "\n").utf8)
      case .json: try model.jsonData()
      case .dot: Data(model.graph().utf8)
      case .sql: Data((try SQLiteStore.schemaStatements(of: model).joined(separator: ";\n") + ";\n").utf8)
      case .swift:
        Data(model.swiftSource(named: modelName, isPublic: isPublic) { note("note: \($0.withoutCommands)") }.utf8)
      case .xcdatamodel: try source(of: model)
      case .mom: try model.compiledData()
      }
    if format == .mom, outfile == nil { try Console.refuseBinary() }
    try write(data, to: outfile)
  }

  private func source(of model: ManagedObjectModel) throws(ManagedObjectModelError) -> Data {
    try model.sourceData { note("note: \($0.withoutCommands)") }
  }

  /// The name of the model: the name of its file, with a capital letter at the beginning.
  private var modelName: String {
    let name = URL(filePath: file).deletingPathExtension().lastPathComponent
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Writes the files of a model into a folder. If writing fails, and the folder is new and empty, removes it again.
  private func write(_ files: OrderedDictionary<String, Data>, toFolder folder: String) throws {
    let isNew = !FileSystem.existsItself(folder)
    do {
      try PropertyListError.converting(FileSystem.makeFolder(folder, below: nil, permissions: 0o777))
      for (name, data) in files { try write(data, to: folder + "/" + name) }
    } catch {
      if isNew { FileSystem.removeEmptyFolder(folder) }
      throw error
    }
  }

  private func write(_ data: Data, to path: String?) throws(PropertyListError) {
    guard let path, path != "-" else {
      // Escapes control characters if the model is shown on a terminal.
      let isShown = FileSystem.isTerminal(1) && format != .mom
      return try output(isShown ? Data(String(decoding: data, as: UTF8.self).withoutCommands.utf8) : data)
    }
    try PropertyListError.converting(FileSystem.replace(path, with: data))
  }
}

/// The model at a path: a model file, or the model of a store.
struct NamedModel {
  let model: ManagedObjectModel
  /// The version hashes in the file; nil if they must be computed.
  private let recordedHashes: [String: Data]?

  init(_ path: String, version: String? = nil, _ opening: OpeningArguments) throws {
    if ModelFile.isModel(path) {
      let file = try ModelFile(path)
      model = try file.version(named: version)
      recordedHashes = file.versions.recordedHashes[version ?? file.versions.currentName]
    } else {
      if version != nil { throw ValidationError("--version works only with model files.") }
      let kind = try StoreKind(path)
      let metadata = try kind.metadata(URL(filePath: path), writesNothing: opening.writesNothing(path))
      model = try opening.open(path).model
      let stored = metadata[StoreMetadataKey.versionHashes]?.dictionary ?? [:]
      recordedHashes = Dictionary(
        uniqueKeysWithValues: stored.compactMap { name, hash in hash.data.map { (name, $0) } })
    }
  }

  /// Returns the version hashes of the entities.
  ///
  /// - Throws: ``ManagedObjectError`` if the file has no hashes, and they cannot be computed because the rule for some
  ///   attributes is not known. The error has the names of these attributes.
  func hashes() throws(ManagedObjectError) -> [String: Data] {
    if let recordedHashes { return recordedHashes }
    let unknown = model.entities.flatMap { entity in
      entity.attributesWithUnknownVersionHash.map { "\(entity.name).\($0)".printable(limit: 100) }
    }
    guard unknown.isEmpty else {
      throw ManagedObjectError(
        .unsupportedRequest,
        "the version hashes cannot be computed, because Core Data's rule for these attributes is not known: "
          + unknown.prefix(5).joined(separator: ", ") + (unknown.count > 5 ? ", …" : "")
          + "; the hashes are in VersionInfo.plist of the compiled model, and in stores of the model")
    }
    return model.entityVersionHashesByName
  }
}
