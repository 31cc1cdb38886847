internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

// The classes of compiled mapping models, with the keys that Apple's compiler writes.

/// `NSMappingModel`.
final class ArchivedMappingModel: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSMappingModel")
  private static let keys: Set = ["NSEntityMappings", "NSEntityMappingsByName"]

  let model: MappingModel

  init(_ model: MappingModel) { self.model = model }

  init(coder: KeyedUnarchiver) throws {
    let mappings = try coder.decodeIfPresent([ArchivedEntityMapping].self, forKey: "NSEntityMappings")
    let table = try coder.decodeIfPresent(
      OrderedDictionary<String, ArchivedEntityMapping>.self, forKey: "NSEntityMappingsByName")
    if let mappings, let table {
      // The list and the table must contain the same mappings. Otherwise, some would be lost.
      guard table.count == mappings.count, mappings.allSatisfy({ table[$0.mapping.name] === $0 }) else {
        throw coder.failure(.invalidContents, "NSEntityMappings and NSEntityMappingsByName have different mappings")
      }
    } else if let table, let (name, _) = table.first(where: { $0 != $1.mapping.name }) {
      throw coder.failure(.invalidContents, "the entity mapping with the key \(name.quoted) has another name")
    }
    var model = MappingModel((mappings ?? table.map { Array($0.values) } ?? []).map(\.mapping))
    model.otherArchivedValues = try coder.otherValues(besides: Self.keys)
    self.model = model
  }

  func encode(with coder: KeyedArchiver) throws {
    let mappings = model.entityMappings.map(ArchivedEntityMapping.init)
    try coder.encode(mappings, forKey: "NSEntityMappings")
    var table: OrderedDictionary<String, ArchivedEntityMapping> = [:]
    for mapping in mappings { table[mapping.mapping.name] = mapping }
    try coder.encode(ArchivedTable(table), forKey: "NSEntityMappingsByName")
    try coder.encode(otherValues: model.otherArchivedValues, besides: Self.keys)
  }

  /// Returns true if this library has a type for the class.
  static func knows(_ name: String) -> Bool {
    name == archivedClass.name || name == ArchivedEntityMapping.archivedClass.name
      || name == ArchivedPropertyMapping.archivedClass.name || ManagedExpression.isArchivedPart(name)
  }
}

/// `NSEntityMapping`.
final class ArchivedEntityMapping: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSEntityMapping")
  private static let keys: Set = [
    "NSMappingName", "NSMappingType", "NSSourceEntityName", "NSSourceEntityVersionHash", "NSDestinationEntityName",
    "NSDestinationEntityVersionHash", "NSSourceExpression", "NSAttributeMappings", "NSRelationshipMappings",
    "NSEntityMigrationPolicyClassName", "NSUserInfo",
  ]

  let mapping: EntityMapping

  init(_ mapping: EntityMapping) { self.mapping = mapping }

  init(coder: KeyedUnarchiver) throws {
    let number = try coder.decodeIfPresent(Int.self, forKey: "NSMappingType") ?? 0
    guard let type = EntityMapping.MappingType(rawValue: number) else {
      throw coder.failure(.invalidContents, "\(number) is not a mapping type")
    }
    var mapping = EntityMapping(try coder.decode(String.self, forKey: "NSMappingName"), type)
    mapping.sourceEntityName = try coder.decodeIfPresent(String.self, forKey: "NSSourceEntityName")
    mapping.sourceEntityVersionHash = try coder.decodeIfPresent(Data.self, forKey: "NSSourceEntityVersionHash")
    mapping.destinationEntityName = try coder.decodeIfPresent(String.self, forKey: "NSDestinationEntityName")
    mapping.destinationEntityVersionHash =
      try coder.decodeIfPresent(Data.self, forKey: "NSDestinationEntityVersionHash")
    mapping.sourceExpression = try coder.decodeExpressionIfPresent(forKey: "NSSourceExpression")
    mapping.attributeMappings = try Self.properties(forKey: "NSAttributeMappings", coder)
    mapping.relationshipMappings = try Self.properties(forKey: "NSRelationshipMappings", coder)
    mapping.migrationPolicyClassName =
      try coder.decodeIfPresent(String.self, forKey: "NSEntityMigrationPolicyClassName")
    mapping.userInfo = PropertyList.userInfo(try coder.decodeUserInfo())
    mapping.otherArchivedValues = try coder.otherValues(besides: Self.keys)
    self.mapping = mapping
  }

  private static func properties(forKey key: String, _ coder: KeyedUnarchiver) throws -> [PropertyMapping] {
    try coder.decodeIfPresent([ArchivedPropertyMapping].self, forKey: key)?.map(\.mapping) ?? []
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(mapping.mappingType.rawValue, forKey: "NSMappingType")
    try coder.encode(mapping.name, forKey: "NSMappingName")
    try coder.encode(mapping.sourceEntityName, forKey: "NSSourceEntityName")
    try coder.encode(mapping.sourceEntityVersionHash, forKey: "NSSourceEntityVersionHash")
    try coder.encode(mapping.destinationEntityName, forKey: "NSDestinationEntityName")
    try coder.encode(mapping.destinationEntityVersionHash, forKey: "NSDestinationEntityVersionHash")
    try coder.encode(mapping.sourceExpression, forKey: "NSSourceExpression")
    try coder.encode(mapping.attributeMappings.map(ArchivedPropertyMapping.init), forKey: "NSAttributeMappings")
    try coder.encode(mapping.relationshipMappings.map(ArchivedPropertyMapping.init), forKey: "NSRelationshipMappings")
    try coder.encode(mapping.migrationPolicyClassName, forKey: "NSEntityMigrationPolicyClassName")
    try coder.encode(mapping.userInfo.isEmpty ? nil : mapping.userInfo.archived, forKey: "NSUserInfo")
    try coder.encode(otherValues: mapping.otherArchivedValues, besides: Self.keys)
  }
}

/// `NSPropertyMapping`.
final class ArchivedPropertyMapping: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSPropertyMapping")
  private static let keys: Set = [
    "NSDestinationPropertyName", "NSValueExpression", "NSUserInfo", "NSPropertyTransforms",
  ]

  let mapping: PropertyMapping

  init(_ mapping: PropertyMapping) { self.mapping = mapping }

  init(coder: KeyedUnarchiver) throws {
    var mapping = PropertyMapping(try coder.decode(String.self, forKey: "NSDestinationPropertyName"))
    mapping.valueExpression = try coder.decodeExpressionIfPresent(forKey: "NSValueExpression")
    mapping.userInfo = PropertyList.userInfo(try coder.decodeUserInfo())
    let transforms = try coder.decodeIfPresent([ArchivedValue].self, forKey: "NSPropertyTransforms") ?? []
    mapping.transforms = try transforms.map { try PredicateConstant($0, in: coder) }
    mapping.otherArchivedValues = try coder.otherValues(besides: Self.keys)
    self.mapping = mapping
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(mapping.name, forKey: "NSDestinationPropertyName")
    try coder.encode(mapping.valueExpression, forKey: "NSValueExpression")
    try coder.encode(mapping.userInfo.isEmpty ? nil : mapping.userInfo.archived, forKey: "NSUserInfo")
    let transforms = try mapping.transforms.map { try $0.archivedValue() }
    try coder.encode(transforms.isEmpty ? nil : transforms, forKey: "NSPropertyTransforms")
    try coder.encode(otherValues: mapping.otherArchivedValues, besides: Self.keys)
  }
}

extension KeyedUnarchiver {
  /// Returns the values of the object that is being decoded whose keys are not in `known`. Null values are left out.
  fileprivate func otherValues(besides known: Set<String>) throws -> OrderedDictionary<String, PredicateConstant> {
    guard unkeyedCount == 0 else { throw failure(.invalidContents, "the mapping contains a value without a key") }
    var others: OrderedDictionary<String, PredicateConstant> = [:]
    for key in keys where !known.contains(key) {
      guard let value = try decodeIfPresent(ArchivedValue.self, forKey: key) else { continue }
      others[key] = try PredicateConstant(value, in: self)
    }
    return others
  }
}

extension KeyedArchiver {
  /// Encodes values whose keys this library does not know. Numbers are stored inline, as Apple's compiler stores them.
  fileprivate func encode(
    otherValues: OrderedDictionary<String, PredicateConstant>, besides known: Set<String>
  ) throws {
    for (key, constant) in otherValues {
      guard !known.contains(key) else {
        throw KeyedArchiveError(.duplicateKey, "\(key.quoted) is already a key of the mapping")
      }
      switch try constant.archivedValue() {
      case .boolean(let value): try encode(value, forKey: key)
      case .integer(let value) where Int64(exactly: value) != nil: try encode(Int64(exactly: value) ?? 0, forKey: key)
      case .real(let value): try encode(value, forKey: key)
      case .float(let value): try encode(value, forKey: key)
      case let value: try encode(value, forKey: key)
      }
    }
  }
}
