public import FoundationEssentials
internal import Predicates

/// Version hashes: by them a store tells whether a model is the one that it was made with.
///
/// The rules were found by comparing compiled models of many programs with their stores; no document of Apple has them.
extension ManagedObjectModel {
  /// The version hashes of all entities, 32 bytes each.
  ///
  /// Those of entities with some derived or composite attributes, inherited ones included, may not be Apple's: see
  /// ``Entity/hasKnownVersionHash``.
  ///
  /// - Complexity: O(*n*) in the number of properties, inherited ones counted for each entity; afterwards O(1).
  public var entityVersionHashesByName: [String: Data] {
    computedHashes.withLock { known in
      let hashes = known ?? makeVersionHashes()
      known = hashes
      return hashes
    }
  }

  /// The version hashes of the entities whose ``Entity/hasKnownVersionHash`` is true. Others are written nowhere: they
  /// would be taken for those of Core Data.
  package var knownVersionHashesByName: [String: Data] {
    entityVersionHashesByName.filter { self[$0.key]?.hasKnownVersionHash == true }
  }

  private func makeVersionHashes() -> [String: Data] {
    var hashes: [Data] = []
    for entity in entities {
      hashes.append(entity.versionHash(superentity: entity.record.superentity.map { hashes[$0] }))
    }
    return Dictionary(uniqueKeysWithValues: zip(records.map(\.definition.name), hashes))
  }

  /// SHA-512 of the names and hashes of all entities, in base64: `NSStoreModelVersionHashesDigest` of a store.
  public var versionHashesDigest: String { Self.versionHashesDigest(of: entityVersionHashesByName) }

  /// SHA-256 of the hashes of all entities, in base64: `NSStoreModelVersionChecksumKey` of a store.
  public var versionChecksum: String { Self.versionChecksum(of: entityVersionHashesByName) }

  /// SHA-512 of names and hashes of entities, in base64, in the order of the names.
  public static func versionHashesDigest(of hashes: [String: Data]) -> String {
    SHA2.sha512(inOrder(hashes).flatMap { Array($0.utf8) + $1 }).base64EncodedString()
  }

  /// SHA-256 of hashes of entities, in base64, in the order of the names.
  public static func versionChecksum(of hashes: [String: Data]) -> String {
    SHA2.sha256(inOrder(hashes).flatMap { Array($1) }).base64EncodedString()
  }

  private static func inOrder(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
    hashes.sorted { $0.key.precedes($1.key) }
  }

  /// The entities whose version hashes are others than those of a store, or that the store does not have, or that only
  /// the store has; by name, in order. Nothing for a store of this model.
  ///
  /// Stores that this package makes have no hash of an entity without a known one: see ``Entity/hasKnownVersionHash``.
  /// It does not differ.
  ///
  /// - Parameters:
  ///   - hashes: the version hashes of the store.
  ///   - configuration: the configuration that the store has objects of; nil for all entities.
  public func entitiesThatDiffer(from hashes: [String: Data], configuration: String? = nil) -> [String] {
    let own = entityVersionHashesByName
    let members = Set((entities(ofConfiguration: configuration) ?? entities).map(\.name))
    return Set(hashes.keys).union(members).filter { name in
      guard members.contains(name) else { return true }
      if hashes[name] == nil, self[name]?.hasKnownVersionHash == false { return false }
      return hashes[name] != own[name]
    }.sorted { $0.precedes($1) }
  }
}

extension ManagedObjectModel.Entity {
  /// The version hash, 32 bytes.
  ///
  /// - Complexity: O(*n*) in the number of properties of the entity and those it inherits from.
  public var versionHash: Data {
    var way = [self]
    while let superentity = way[way.count - 1].superentity { way.append(superentity) }
    return way.reversed().reduce(nil) { (hash: Data?, entity) in entity.versionHash(superentity: hash) } ?? Data()
  }

  /// True if ``versionHash`` is the one that Core Data computes.
  ///
  /// False if the rule for an attribute is not known: a derivation other than the `@count` of a relationship, or one
  /// with a filter, and a composite attribute in another one. Then take the hash from the model's `VersionInfo.plist`,
  /// or from a store.
  public var hasKnownVersionHash: Bool { attributesWithUnknownVersionHash.isEmpty }

  /// The names of the attributes that make ``hasKnownVersionHash`` false.
  package var attributesWithUnknownVersionHash: [String] {
    record.attributes.filter { !$0.isTransient && !$0.definition.hasKnownVersionHash }.map(\.name)
  }

  fileprivate func versionHash(superentity: Data?) -> Data {
    let entity = record.definition
    var bytes = Array(entity.name.utf8)
    bytes.append(entity.isAbstract ? 1 : 0)
    if let superentity { bytes += superentity }
    for property in allPropertyDescriptions where !property.isTransient {
      switch property {
      case .attribute(let attribute): bytes += attribute.versionHash
      case .relationship(let relationship): bytes += relationship.versionHash
      case .fetched: break
      }
    }
    for constraint in entity.uniquenessConstraints { bytes += Array(constraint.joined(separator: ".").utf8) }
    bytes += Array((entity.versionHashModifier ?? "").utf8)
    return SHA2.sha256(bytes)
  }
}

extension PropertyTraits {
  fileprivate var versionHash: Data {
    let flags: UInt8 = (isOptional ? 1 : 0) + (isTransient ? 2 : 0)
    return SHA2.sha256(Array(name.utf8) + [flags, 0] + Array((versionHashModifier ?? "").utf8))
  }
}

extension AttributeDescription {
  /// The part of an attribute in the hash of its entity: for a composite attribute only what its elements are, for a
  /// derived one only its expression.
  var versionHash: Data {
    if type == .composite {
      let elements = elements.sorted { $0.name.precedes($1.name) }
      return SHA2.sha256(elements.flatMap { Array($0.versionHash) })
    }
    if let derivation { return SHA2.sha256(Array(derivation.versionText.utf8)) }
    var bytes = Array(traits.versionHash) + littleEndian(type.rawValue)
    if allowsExternalBinaryDataStorage { bytes.append(1) }
    if preservesValueInHistoryOnDeletion { bytes.append(1) }
    return SHA2.sha256(bytes)
  }

  fileprivate var hasKnownVersionHash: Bool {
    if type == .composite {
      return !elements.isEmpty && elements.allSatisfy { $0.type != .composite && $0.derivation == nil }
    }
    return derivation.map { $0.filter == nil && $0.countedPath != nil } ?? true
  }
}

extension AttributeDescription.Derivation {
  /// The path of the relationship whose objects are counted; nil for other derivations.
  fileprivate var countedPath: String? {
    switch expression {
    case .function(.count, let arguments):
      guard arguments.count == 1, case .keyPath(let path, of: .evaluatedObject) = arguments[0] else { return nil }
      return path.keys.contains { $0.hasPrefix("@") } ? nil : path.description
    case .keyPath(let path, of: .evaluatedObject):
      let keys = path.keys.dropLast()
      guard path.keys.last == PredicateCollectionOperator.count.rawValue, !keys.isEmpty else { return nil }
      return keys.contains { $0.hasPrefix("@") } ? nil : keys.joined(separator: ".")
    default: return nil
    }
  }

  /// The text of the expression in the hash: that of `NSExpression`, as `count:(pages)`. It is known for counts only.
  fileprivate var versionText: String {
    if let countedPath { return "\(PredicateFunction.count.rawValue)(\(countedPath))" }
    if case .function(let function, let arguments) = expression {
      return "\(function.rawValue)(\(arguments.map(\.description).joined(separator: ", ")))"
    }
    return expression.description
  }
}

extension ManagedObjectModel.Entity {
  /// True for an entity with the same hash, as far as that is known, and the same derived and composite attributes.
  package func isSame(as other: ManagedObjectModel.Entity) -> Bool {
    versionHash == other.versionHash && attributes.count == other.attributes.count
      && attributes.allSatisfy { attribute in
        let definition = other.attribute(named: attribute.name)?.definition
        return definition?.derivation == attribute.definition.derivation
          && definition?.elements == attribute.definition.elements
      }
  }
}

extension RelationshipDescription {
  /// The part of a relationship in the hash of its entity.
  var versionHash: Data {
    var bytes = Array(traits.versionHash)
    bytes += Array(destination.utf8)
    bytes += Array((inverse ?? "").utf8)
    bytes += littleEndian(maximumCount)
    bytes += littleEndian(minimumCount)
    if isOrdered { bytes += [1, 0] }
    return SHA2.sha256(bytes)
  }
}

/// The four bytes of a number, the lowest first.
private func littleEndian(_ number: Int) -> [UInt8] {
  let number = Int32(truncatingIfNeeded: number)
  return (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
