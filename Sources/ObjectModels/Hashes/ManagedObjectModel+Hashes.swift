public import FoundationEssentials
internal import Predicates

/// Properties and functions that compute version hashes. A store contains the version hashes of its model, which
/// identify that model.
///
/// The rules are not documented by Apple. They were found by comparing compiled models of many programs with their
/// stores.
extension ManagedObjectModel {
  /// The version hashes of all entities, by entity name, 32 bytes each.
  ///
  /// The hash of an entity that has certain derived or composite attributes can differ from Apple's: see
  /// ``Entity/hasKnownVersionHash`` and ``Entity/hasInferredVersionHash``.
  ///
  /// - Complexity: O(*n*) in the number of properties, inherited ones counted for each entity; afterwards O(1).
  public var entityVersionHashesByName: [String: Data] {
    computedHashes.withLock { known in
      let hashes = known ?? makeVersionHashes()
      known = hashes
      return hashes
    }
  }

  /// The version hashes of the entities whose ``Entity/hasKnownVersionHash`` is true. Other hashes are never written to
  /// files, because Core Data would expect its own.
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

  /// Returns the SHA-512 of the names and hashes of entities, sorted by name, in base64.
  public static func versionHashesDigest(of hashes: [String: Data]) -> String {
    SHA2.sha512(inOrder(hashes).flatMap { Array($0.utf8) + $1 }).base64EncodedString()
  }

  /// Returns the SHA-256 of the hashes of entities, sorted by name, in base64.
  public static func versionChecksum(of hashes: [String: Data]) -> String {
    SHA2.sha256(inOrder(hashes).flatMap { Array($1) }).base64EncodedString()
  }

  private static func inOrder(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
    hashes.sorted { $0.key.precedes($1.key) }
  }

  /// Returns the names of the entities whose version hashes differ between the model and a store, including those that
  /// only one of the two has. Sorted by name; empty for a store of this model.
  ///
  /// ```swift
  /// let names = newModel.entitiesThatDiffer(from: oldModel.entityVersionHashesByName)
  /// if !names.isEmpty { print("changed:", names.joined(separator: ", ")) }   // changed: Note, Tag
  /// ```
  ///
  /// Stores created by this library can lack the hash of an entity whose hash is not known, or is inferred: see
  /// ``Entity/hasKnownVersionHash``. Such an entity is not included.
  ///
  /// - Parameters:
  ///   - hashes: The version hashes of the store.
  ///   - configuration: The configuration of the store; nil for all entities.
  public func entitiesThatDiffer(from hashes: [String: Data], configuration: String? = nil) -> [String] {
    let own = entityVersionHashesByName
    let members = Set((entities(ofConfiguration: configuration) ?? entities).map(\.name))
    return Set(hashes.keys).union(members).filter { name in
      guard members.contains(name) else { return true }
      if hashes[name] == nil, self[name]?.hasCertainVersionHash == false { return false }
      return hashes[name] != own[name]
    }.sorted { $0.precedes($1) }
  }
}

extension ManagedObjectModel.Entity {
  /// The version hash, 32 bytes.
  ///
  /// - Complexity: O(*n*) in the number of properties, including inherited ones.
  public var versionHash: Data {
    var way = [self]
    while let superentity = way[way.count - 1].superentity { way.append(superentity) }
    return way.reversed().reduce(nil) { (hash: Data?, entity) in entity.versionHash(superentity: hash) } ?? Data()
  }

  /// True if ``versionHash`` follows the rules of Core Data.
  ///
  /// False if the entity has an attribute for which Core Data's rule is not known: a derivation other than the `@count`
  /// of a relationship, a derivation with a filter, or a composite attribute that has no elements, or that has derived
  /// elements. In this case, take the hash from the model's `VersionInfo.plist` or from a store.
  ///
  /// One of the rules is inferred: see ``hasInferredVersionHash``.
  public var hasKnownVersionHash: Bool { attributesWithUnknownVersionHash.isEmpty }

  /// True if ``versionHash`` depends on a rule that was not compared with files of Core Data: the entity has a
  /// composite attribute with composite elements.
  ///
  /// The hash of a composite attribute is computed from the hashes of its elements. It is inferred that this also
  /// applies to an element that is composite itself. If a store has another hash for such an entity, the entity is
  /// compared with that of the model in the store.
  ///
  /// ```swift
  /// for entity in model.entities where entity.hasInferredVersionHash { print(entity.name) }
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of attributes.
  public var hasInferredVersionHash: Bool {
    record.attributes.contains { attribute in
      !attribute.isTransient && attribute.definition.elements.contains { $0.type == .composite }
    }
  }

  /// True if another hash in a file proves that the file has another version of the entity.
  package var hasCertainVersionHash: Bool { hasKnownVersionHash && !hasInferredVersionHash }

  /// The names of the attributes that make ``hasKnownVersionHash`` false; empty if it is true.
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
  /// The hash of an attribute, which is a part of its entity's hash. The type-specific part of the hash depends only on
  /// the elements of a composite attribute, and only on the expression of a derived attribute.
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
      return !elements.isEmpty && elements.allSatisfy { $0.derivation == nil && $0.hasKnownVersionHash }
    }
    return derivation.map { $0.filter == nil && $0.countedPath != nil } ?? true
  }
}

extension AttributeDescription.Derivation {
  /// The path of the relationship whose objects the derivation counts; nil for other derivations.
  package var countedPath: String? {
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

  /// The text of the derivation's expression, in the form of `NSExpression`: `count:(pages)`. The hash is computed from
  /// this text. Apple's form is known only for counts.
  fileprivate var versionText: String {
    if let countedPath { return "\(PredicateFunction.count.rawValue)(\(countedPath))" }
    if case .function(let function, let arguments) = expression {
      return "\(function.rawValue)(\(arguments.map(\.description).joined(separator: ", ")))"
    }
    return expression.description
  }
}

extension ManagedObjectModel.Entity {
  /// Returns true if two entities have the same version hash, and the same derived and composite attributes.
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
  /// The hash of a relationship, which is a part of its entity's hash.
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

/// Returns the four bytes of a number, least significant first.
private func littleEndian(_ number: Int) -> [UInt8] {
  let number = Int32(truncatingIfNeeded: number)
  return (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
