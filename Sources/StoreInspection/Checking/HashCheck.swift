internal import FoundationEssentials
internal import ManagedObjects
internal import ObjectModels
internal import PropertyLists

/// Functions that check version hashes.
extension FindingLog {
  /// Compares the version hashes in the metadata of a store with a model, and reports differences.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the store.
  ///   - model: The model that the store is read with.
  ///   - own: The model that the store embeds; nil if it embeds none. If the hash of an entity is not certain, the
  ///     entity in `model` is compared with the entity in `own` instead.
  ///   - configuration: The configuration whose entities the store has; nil for all entities.
  func checkHashes(
    _ metadata: StoreMetadata, _ model: ManagedObjectModel, own: ManagedObjectModel?, configuration: String?
  ) {
    guard let hashes = hashes(metadata) else { return }
    for name in model.entitiesThatDiffer(from: hashes, configuration: configuration) {
      let entity = model.entity(named: name)
      if let entity, hashes[name] != nil, !entity.hasCertainVersionHash {
        if own.map({ $0 === model || $0.entity(named: name)?.isSame(as: entity) == true }) == true { continue }
      }
      let message =
        entity == nil
        ? "the store has a version hash for this entity, but the model does not have the entity"
        : hashes[name] == nil
          ? "the store has no version hash for this entity" : "the store was made with another version of this entity"
      report(.hashMismatch, message) { $0.entity = name }
    }
    if let own, own !== model {
      for name in own.entitiesThatDiffer(from: hashes, configuration: configuration)
      where own.entity(named: name)?.hasCertainVersionHash != false {
        report(.cachedModelMismatch, "the model in the store and the metadata have different versions of this entity") {
          $0.entity = name
        }
      }
    }
    let sums = [
      (StoreMetadataKey.versionHashesDigest, ManagedObjectModel.versionHashesDigest(of: hashes)),
      (StoreMetadataKey.versionChecksum, ManagedObjectModel.versionChecksum(of: hashes)),
    ]
    for (key, sum) in sums {
      guard let found = metadata.values[key], found.string != sum else { continue }
      report(.digestMismatch, "\(key) does not match the version hashes")
    }
  }

  private func hashes(_ metadata: StoreMetadata) -> [String: Data]? {
    guard let value = metadata.values[StoreMetadataKey.versionHashes] else {
      report(.missingHashes, "the metadata has no version hashes, so it is unknown whether the model fits")
      return nil
    }
    guard let list = value.dictionary else {
      report(.unreadableMetadata, "the version hashes are not a dictionary")
      return nil
    }
    var hashes: [String: Data] = [:]
    for (name, hash) in list {
      guard let hash = hash.data else {
        report(.unreadableMetadata, "the version hash is not data") { $0.entity = name }
        return nil
      }
      hashes[name] = hash
    }
    return hashes
  }
}
