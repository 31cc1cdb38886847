internal import FoundationEssentials
public import ObjectModels
public import OrderedCollections
public import PropertyLists

/// The metadata of a store: the keys that the store itself sets, such as its identifier, and the keys of programs.
///
/// ```swift
/// var metadata = StoreMetadata(identifier: identifier, type: "CSV", model: model, configuration: nil)
/// metadata.replace(with: ["title": "Letters"])
/// ```
public struct StoreMetadata: Sendable, Equatable {
  /// All keys and values.
  public private(set) var values: OrderedDictionary<String, PropertyList>

  /// The keys that the store itself sets. Programs cannot change them.
  static let ownKeys: Set<String> = [
    StoreMetadataKey.identifier, StoreMetadataKey.type, StoreMetadataKey.versionHashes,
    StoreMetadataKey.versionHashesVersion, StoreMetadataKey.versionIdentifiers, StoreMetadataKey.versionHashesDigest,
    StoreMetadataKey.versionChecksum, StoreMetadataKey.frameworkVersion, StoreMetadataKey.autoVacuumLevel,
    StoreMetadataKey.historyTracking, StoreMetadataKey.lastHistoryNumber,
  ]

  /// The version of Apple's framework in the metadata of new stores.
  private static let frameworkVersion: Int64 = 1344
  /// The first version of Apple's framework that wrote the digest of the version hashes. The digest is not added to
  /// files of older versions.
  private static let firstWithDigest: Int64 = 977
  /// The first version of Apple's framework that wrote the checksum of the version hashes. The checksum is not added to
  /// files of older versions.
  private static let firstWithChecksum: Int64 = 1344

  /// Creates the metadata of a store from those in its file.
  ///
  /// - Parameters:
  ///   - values: the metadata in the file; empty if it has none.
  ///   - identifier: the value of ``StoreMetadataKey/identifier``.
  ///   - type: the value of ``StoreMetadataKey/type``.
  public init(file values: OrderedDictionary<String, PropertyList>, identifier: String, type: String) {
    self.values = values
    self.values[StoreMetadataKey.identifier] = .string(identifier)
    self.values[StoreMetadataKey.type] = .string(type)
  }

  /// Creates the metadata of a new store, with the version hashes of the model.
  public init(identifier: String, type: String, model: ManagedObjectModel, configuration: String?) {
    self.init(file: [:], identifier: identifier, type: type)
    describe(model, configuration)
  }

  /// The identifier of the store.
  public var identifier: String { values[StoreMetadataKey.identifier]?.string ?? "" }

  /// The values to write as a property list, sorted by key, without the identifier and the type, which are elsewhere in
  /// the file.
  package var fileValues: OrderedDictionary<String, PropertyList> {
    var values = values
    values[StoreMetadataKey.identifier] = nil
    values[StoreMetadataKey.type] = nil
    values.sort { $0.key.precedes($1.key) }
    return values
  }

  /// Replaces the keys of programs. The store's own keys keep their values.
  public mutating func replace(with new: OrderedDictionary<String, PropertyList>) {
    var values = new.filter { !Self.ownKeys.contains($0.key) }
    for (key, value) in self.values where Self.ownKeys.contains(key) { values[key] = value }
    self.values = values
  }

  /// Sets one of the store's own keys, or removes it if the value is nil.
  package mutating func set(_ value: PropertyList?, for key: String) { values[key] = value }

  /// Sets the version hashes, their digest and checksum, and the version identifiers from a model.
  public mutating func describe(_ model: ManagedObjectModel, _ configuration: String?) {
    let own = model.entityVersionHashesByName
    let known = model.knownVersionHashesByName
    let names = (model.entities(ofConfiguration: configuration) ?? []).map(\.name).sorted { $0.precedes($1) }
    var hashes: [String: Data] = [:]
    var list: OrderedDictionary<String, PropertyList> = [:]
    for name in names {
      // A hash that may differ from that of Core Data is kept if the file already has it, but is not added.
      let stored = values[StoreMetadataKey.versionHashes]?[name]?.data
      hashes[name] = known[name] ?? (stored == own[name] ? stored : nil)
      list[name] = hashes[name].map { .data($0) }
    }
    let version: Int64
    if let known = values[StoreMetadataKey.frameworkVersion]?.integer.flatMap({ Int64(exactly: $0) }) {
      version = known
    } else {
      version = Self.frameworkVersion
      values[StoreMetadataKey.frameworkVersion] = .integer(PropertyList.Integer(version))
    }
    // If the hashes are unchanged, their order in the file is kept.
    if values[StoreMetadataKey.versionHashes]?.dictionary.map({ Dictionary(uniqueKeysWithValues: Array($0)) })
      != Dictionary(uniqueKeysWithValues: Array(list))
    {
      values[StoreMetadataKey.versionHashes] = .dictionary(list)
    }
    values[StoreMetadataKey.versionHashesVersion] = .integer(3)
    // Core Data writes one empty identifier if a model of Xcode has none.
    if values[StoreMetadataKey.versionIdentifiers] == nil || !model.versionIdentifiers.isEmpty {
      values[StoreMetadataKey.versionIdentifiers] = .array(model.versionIdentifiers.map { .string($0) })
    }
    // A digest or checksum of only some of the hashes would not match any model, so it is left out.
    let hasAll = hashes.count == names.count
    if version >= Self.firstWithDigest || values[StoreMetadataKey.versionHashesDigest] != nil {
      values[StoreMetadataKey.versionHashesDigest] =
        hasAll ? .string(ManagedObjectModel.versionHashesDigest(of: hashes)) : nil
    }
    if version >= Self.firstWithChecksum || values[StoreMetadataKey.versionChecksum] != nil {
      values[StoreMetadataKey.versionChecksum] = hasAll ? .string(ManagedObjectModel.versionChecksum(of: hashes)) : nil
    }
  }

  /// Checks that the version hashes are those of a model. Does nothing if there are no hashes, as in files of the first
  /// versions of Core Data.
  ///
  /// ```swift
  /// let metadata = StoreMetadata(file: values, identifier: identifier, type: "CSV")
  /// try metadata.check(model, nil)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` with the entities that differ;
  ///   ``ManagedObjectError/Code/open`` for hashes that are not data.
  public func check(_ model: ManagedObjectModel, _ configuration: String?) throws(ManagedObjectError) {
    guard let value = values[StoreMetadataKey.versionHashes] else { return }
    guard let list = value.dictionary else {
      throw ManagedObjectError(.open, "the version hashes of the store are not a dictionary")
    }
    var hashes: [String: Data] = [:]
    for (name, hash) in list {
      guard let hash = hash.data else {
        throw ManagedObjectError(.open, "the version hash of the entity \(name.quoted) is not data")
      }
      hashes[name] = hash
    }
    let names = model.entitiesThatDiffer(from: hashes, configuration: configuration)
    guard !names.isEmpty else { return }
    let shown = names.prefix(5).map { $0.printable(limit: 80) } + (names.count > 5 ? ["…"] : [])
    var error = ManagedObjectError(
      .incompatibleVersionHash,
      "the store was made with another version of the model; these entities differ: "
        + shown.joined(separator: ", "))
    error.differingEntities = names
    throw error
  }
}
