public import FoundationEssentials
public import OrderedCollections
internal import PropertyLists
internal import SystemFiles

/// The versions of a model: a compiled `.momd` folder, or its source, an `.xcdatamodeld` folder.
///
/// ```swift
/// let versions = try VersionedModel(contentsOf: URL(filePath: "Notes.xcdatamodeld"))
/// try versions.writeCompiled(to: URL(filePath: "Notes.momd"))
/// ```
public struct VersionedModel: Sendable {
  /// The model of each version, by the version's name. The names are sorted.
  public var models: OrderedDictionary<String, ManagedObjectModel>
  /// The name of the current version, which programs use.
  public var currentName: String
  /// The version hashes that the compiler wrote, by version and entity. They are needed for entities whose hash cannot
  /// be computed: see ``ManagedObjectModel/Entity/hasKnownVersionHash``.
  public var recordedHashes: [String: [String: Data]] = [:]

  /// Creates a versioned model.
  public init(models: OrderedDictionary<String, ManagedObjectModel>, currentName: String) {
    self.models = models
    self.currentName = currentName
  }

  /// The current version, which programs use; nil if ``models`` has no version named ``currentName``.
  public var current: ManagedObjectModel? { models[currentName] }

  /// Returns the version hashes of a version's entities: the hashes that the compiler wrote or, if they are not
  /// recorded, the computed hashes that are known to be correct. Returns nil for an unknown version.
  public func versionHashes(of name: String) -> [String: Data]? {
    recordedHashes[name] ?? models[name]?.knownVersionHashesByName
  }

  /// Returns the name of the version with which a store was created, by the version hashes of the store. Returns nil if
  /// no version matches.
  ///
  /// ```swift
  /// let versions = VersionedModel(models: ["Notes": first, "Notes 2": second], currentName: "Notes 2")
  /// let name = versions.name(ofVersionWith: first.entityVersionHashesByName)   // "Notes"
  /// ```
  ///
  /// - Parameter hashes: The version hashes of the store's entities, by entity name.
  public func name(ofVersionWith hashes: [String: Data]) -> String? {
    models.keys.first { versionHashes(of: $0) == hashes }
  }

  private static let compiledExtension = ".mom"
  private static let sourceExtension = ".xcdatamodel"
  private static let informationName = "VersionInfo.plist"
  private static let currentVersionName = ".xccurrentversion"
  private static let contentsName = "contents"

  private enum Key {
    static let current = "NSManagedObjectModel_CurrentVersionName"
    static let hashes = "NSManagedObjectModel_VersionHashes"
    static let checksums = "NSManagedObjectModel_VersionChecksums"
    static let sourceCurrent = "_XCCurrentVersionName"
  }

  /// Reads all versions of a model.
  ///
  /// - Parameter url: A `.momd` or `.xcdatamodeld` folder.
  /// - Throws: ``ManagedObjectModelError/file(_:)`` if a file cannot be read, the folder contains no model, or its
  ///   current version is missing; the errors of ``ManagedObjectModel/init(compiled:)`` and
  ///   ``ManagedObjectModel/init(source:)``.
  public init(contentsOf url: URL) throws(ManagedObjectModelError) {
    let names = try Self.names(in: url)
    let compiled = names.filter { $0.hasSuffix(Self.compiledExtension) }
    if !compiled.isEmpty || names.contains(Self.informationName) {
      try self.init(compiled: compiled, in: url, hasInformation: names.contains(Self.informationName))
    } else {
      try self.init(sources: names.filter { $0.hasSuffix(Self.sourceExtension) }, in: url, names)
    }
  }

  private init(compiled: [String], in url: URL, hasInformation: Bool) throws(ManagedObjectModelError) {
    models = [:]
    for name in compiled {
      models[String(name.dropLast(Self.compiledExtension.count))] =
        try ManagedObjectModel(compiled: Self.read(url.appending(path: name)))
    }
    var recorded: String?
    if hasInformation {
      let file = url.appending(path: Self.informationName)
      let information = try Self.propertyList(file)
      recorded = information[Key.current]?.string
      for (version, hashes) in information[Key.hashes]?.dictionary ?? [:] {
        recordedHashes[version] = hashes.dictionary.map { entries in
          Dictionary(uniqueKeysWithValues: entries.compactMap { name, hash in hash.data.map { (name, $0) } })
        }
      }
    }
    currentName = try Self.current(recorded, of: models.keys, in: url)
  }

  private init(sources: [String], in url: URL, _ names: [String]) throws(ManagedObjectModelError) {
    models = [:]
    for name in sources {
      let contents = url.appending(path: name).appending(path: Self.contentsName)
      models[String(name.dropLast(Self.sourceExtension.count))] = try ManagedObjectModel(source: Self.read(contents))
    }
    var recorded: String?
    if names.contains(Self.currentVersionName) {
      recorded = try Self.propertyList(url.appending(path: Self.currentVersionName))[Key.sourceCurrent]?.string
      if let name = recorded, name.hasSuffix(Self.sourceExtension) {
        recorded = String(name.dropLast(Self.sourceExtension.count))
      }
    }
    currentName = try Self.current(recorded, of: models.keys, in: url)
  }

  /// Returns the name of the current version: the recorded version or, if none is recorded, the only version or the
  /// version with the name of the folder.
  private static func current(
    _ recorded: String?, of names: OrderedSet<String>, in url: URL
  ) throws(ManagedObjectModelError) -> String {
    let path = url.path.printable(limit: 300)
    if let recorded {
      if names.contains(recorded) { return recorded }
      throw defect("the current version \(recorded.quoted) is missing in \(path)")
    }
    if names.count == 1, let name = names.first { return name }
    let name = url.deletingPathExtension().lastPathComponent
    if names.contains(name) { return name }
    throw defect(
      names.isEmpty ? "there is no model in \(path)" : "\(path) does not specify the current version")
  }

  private static func defect(_ message: String) -> ManagedObjectModelError {
    .file(PropertyListError(.noSuchValue, message))
  }

  private static func path(_ url: URL) throws(ManagedObjectModelError) -> String {
    guard url.isFileURL else { throw defect("\(url.absoluteString.quoted) is not a file URL") }
    return url.path
  }

  private static func names(in url: URL) throws(ManagedObjectModelError) -> [String] {
    let path = try path(url)
    do { return try FileSystem.contents(of: path).map { $0.name } } catch { throw .file(PropertyListError(error)) }
  }

  static func read(_ url: URL) throws(ManagedObjectModelError) -> Data {
    let path = try path(url)
    do throws(FileError) {
      guard let data = try FileSystem.readRegularFile(path, limit: ParsingLimits().inputSize)?.data else {
        throw FileError(2, "\(path) does not exist")
      }
      return data
    } catch {
      throw .file(PropertyListError(error))
    }
  }

  private static func propertyList(_ url: URL) throws(ManagedObjectModelError) -> PropertyList {
    let data = try read(url)
    do { return try PropertyList(data) } catch { throw .file(error) }
  }

  /// Writes all versions to a `.momd` folder, in the form of `momc`'s output. Each file is replaced atomically, the one
  /// with the current version last. Other files in the folder are kept. Version hashes that are neither known nor in
  /// ``recordedHashes`` are omitted.
  ///
  /// - Parameters:
  ///   - url: The folder.
  ///   - moduleName: See ``ManagedObjectModel/compiledData(moduleName:)``.
  /// - Throws: The errors of ``ManagedObjectModel/compiledData(moduleName:)``, and
  ///   ``ManagedObjectModelError/file(_:)`` if a file cannot be written. Nothing is written if a version cannot be
  ///   compiled.
  public func writeCompiled(to url: URL, moduleName: String? = nil) throws(ManagedObjectModelError) {
    var files: OrderedDictionary<String, Data> = [:]
    for (name, model) in models {
      files[name + Self.compiledExtension] = try model.compiledData(moduleName: moduleName)
    }
    files[Self.informationName] = try Self.data(information, .binary)
    try Self.write(files, to: url)
  }

  /// The contents of the file `VersionInfo.plist`.
  private var information: PropertyList {
    var hashes: OrderedDictionary<String, PropertyList> = [:]
    var checksums: OrderedDictionary<String, PropertyList> = [:]
    for name in models.keys {
      let entities = versionHashes(of: name) ?? [:]
      let hasAll = recordedHashes[name] != nil || models[name].map { $0.entities.count == entities.count } == true
      let sorted = entities.sorted { $0.key.precedes($1.key) }.map { ($0.key, PropertyList.data($0.value)) }
      hashes[name] = .dictionary(OrderedDictionary(uniqueKeysWithValues: sorted))
      if hasAll { checksums[name] = .string(ManagedObjectModel.versionChecksum(of: entities)) }
    }
    return .dictionary([
      Key.current: .string(currentName), Key.checksums: .dictionary(checksums), Key.hashes: .dictionary(hashes),
    ])
  }

  /// Writes all versions to an `.xcdatamodeld` folder, as Xcode does. Each file is replaced atomically, the one with
  /// the current version last. Other files in the folder are kept.
  ///
  /// - Throws: The errors of ``ManagedObjectModel/sourceData(convertingUserInfo:)``,
  ///   ``ManagedObjectModelError/file(_:)`` if a file cannot be written. Nothing is written if a version has no source
  ///   form.
  public func writeSource(to url: URL) throws(ManagedObjectModelError) {
    var files: OrderedDictionary<String, Data> = [:]
    for (name, model) in models {
      files["\(name)\(Self.sourceExtension)/\(Self.contentsName)"] = try model.sourceData()
    }
    let current: PropertyList = .dictionary([Key.sourceCurrent: .string(currentName + Self.sourceExtension)])
    files[Self.currentVersionName] = try Self.data(current, .xml)
    try Self.write(files, to: url)
  }

  private static func data(
    _ value: PropertyList, _ format: PropertyListFormat
  ) throws(ManagedObjectModelError) -> Data {
    do { return try value.data(format: format) } catch { throw .file(error) }
  }

  private static func write(_ files: OrderedDictionary<String, Data>, to url: URL) throws(ManagedObjectModelError) {
    let folder = try path(url)
    for name in files.keys where name.hasPrefix("/") || name.split(separator: "/").contains("..") {
      throw defect("\(name.quoted) is not a valid name of a version")
    }
    let isNew = !FileSystem.existsItself(folder)
    do {
      for (name, data) in files {
        let path = "\(folder)/\(name)"
        try FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o755)
        try FileSystem.replace(path, with: data)
      }
    } catch {
      if isNew { remove(files.keys, of: folder) }
      throw .file(PropertyListError(error))
    }
  }

  /// Cleans up a folder that could not be written completely: removes its files, and then the folders that have become
  /// empty.
  private static func remove(_ names: OrderedSet<String>, of folder: String) {
    var folders: OrderedSet = [folder]
    for name in names {
      let path = "\(folder)/\(name)"
      FileSystem.removeFile(path)
      folders.append(FileSystem.parent(of: path))
    }
    for folder in folders.reversed() { FileSystem.removeEmptyFolder(folder) }
  }
}

extension ManagedObjectModel {
  /// Reads a model from a file or a folder: `.mom`, `.momd`, `.xcdatamodel`, `.xcdatamodeld`, or the `contents` file of
  /// a source model. If there are several versions, reads the current one.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: URL(filePath: "Notes.momd"))
  /// ```
  ///
  /// - Throws: The errors of ``VersionedModel/init(contentsOf:)``.
  public convenience init(contentsOf url: URL) throws(ManagedObjectModelError) { try self.init(Self.contents(of: url)) }

  private static func contents(of url: URL) throws(ManagedObjectModelError) -> Contents {
    switch url.pathExtension.lowercased() {
    case "momd", "xcdatamodeld":
      let versions = try VersionedModel(contentsOf: url)
      guard let model = versions.current else { return Contents(entities: []) }
      var contents = model.contents
      contents.allowsReservedNames = true
      return contents
    case "xcdatamodel": return try contents(ofSource: VersionedModel.read(url.appending(path: "contents")))
    default:
      let data = try VersionedModel.read(url)
      // Source files are XML, with or without an extension. A file in binary format is a keyed archive.
      return PropertyListFormat(detecting: data.bytes) == .binary || url.pathExtension.lowercased() == "mom"
        ? try contents(ofCompiled: data) : try contents(ofSource: data)
    }
  }
}
