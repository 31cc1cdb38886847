import Foundation
import ManagedObjects
import TestSupport

/// Changes objects of a store at random through a context, as programs do.
struct RandomChanges {
  let context: ManagedObjectContext
  private let model: ManagedObjectModel
  private var random: SeededGenerator
  private var counter = 0
  /// The names of saved objects, such as `Note/p3`.
  private(set) var touched: Set<String> = []
  private(set) var saves = 0
  /// The number of saves that the rules of the model rejected.
  private(set) var refusals = 0
  private(set) var lastRefusal = ""

  init(_ context: ManagedObjectContext, _ model: ManagedObjectModel, seed: UInt64) {
    self.context = context
    self.model = model
    random = SeededGenerator(seed: seed)
  }

  static func name(_ object: ManagedObject) -> String {
    object.objectID.uriRepresentation.split(separator: "/").suffix(2).joined(separator: "/")
  }

  /// Repeatedly makes a few changes and saves them. First inserts an object of each entity.
  mutating func run(count: Int) throws {
    let entities = model.entities.filter { !$0.isAbstract }
    for entity in entities { try save { try $0.insert(entity) } }
    for _ in 0..<count {
      let entity = entities.randomElement(using: &random)!
      try save { changes in
        for _ in 0..<Int.random(in: 1...3, using: &changes.random) {
          switch Int.random(in: 0..<8, using: &changes.random) {
          case 0: try changes.insert(entity)
          case 1: if let object = try changes.any(entity) { try changes.context.delete(object) }
          default: if let object = try changes.any(entity) { try changes.change(object) }
          }
        }
      }
    }
  }

  private mutating func save(_ body: (inout RandomChanges) throws -> Void) throws {
    try body(&self)
    // Sets the values that a program's class would set.
    for object in context.insertedObjects.union(context.updatedObjects) {
      for attribute in object.entity.attributes
      where attribute.isTransient && !attribute.isOptional && object[attribute.name] == .null {
        try object.setValue(value(attribute.definition.type), forKey: attribute.name)
      }
    }
    let old = context.updatedObjects.union(context.deletedObjects).map(Self.name)
    let new = context.insertedObjects
    do {
      try context.save()
      saves += 1
      touched.formUnion(old)
      touched.formUnion(new.map(Self.name))
    } catch {
      let codes = [error.code] + error.details.map(\.code)
      let isRule = codes.contains { (1550..<1700).contains($0.rawValue) || $0 == .constraintMerge }
      guard isRule else { throw error }
      refusals += 1
      lastRefusal = "\(error)"
      context.rollback()
    }
  }

  private mutating func any(_ entity: ManagedObjectModel.Entity) throws -> ManagedObject? {
    try context.fetch(FetchRequest(entity.name)).filter { !$0.isDeleted }.randomElement(using: &random)
  }

  private mutating func insert(_ entity: ManagedObjectModel.Entity) throws {
    let object = try context.insert(entity)
    for attribute in entity.attributes where !attribute.isOptional || Bool.random(using: &random) {
      try change(attribute, of: object)
    }
    for relationship in entity.relationships where !relationship.isOptional || Bool.random(using: &random) {
      try change(relationship, of: object)
    }
  }

  private mutating func change(_ object: ManagedObject) throws {
    for attribute in object.entity.attributes where Int.random(in: 0..<3, using: &random) == 0 {
      try change(attribute, of: object)
    }
    if let relationship = object.entity.relationships.randomElement(using: &random) {
      try change(relationship, of: object)
    }
  }

  private mutating func change(_ attribute: ManagedObjectModel.Entity.Attribute, of object: ManagedObject) throws {
    if attribute.definition.derivation != nil || attribute.isTransient { return }
    if attribute.isOptional, Int.random(in: 0..<4, using: &random) == 0 {
      return try object.setValue(AttributeValue.null, forKey: attribute.name)
    }
    try object.setValue(value(attribute.definition.type), forKey: attribute.name)
  }

  private mutating func value(_ type: AttributeType) -> AttributeValue {
    counter += 1
    switch type {
    case .integer16: return .integer(Int64(Int16.random(in: .min ... .max, using: &random)))
    case .integer32: return .integer(Int64(Int32.random(in: .min ... .max, using: &random)))
    case .integer64: return .integer(.random(in: .min ... .max, using: &random))
    case .boolean: return .boolean(.random(using: &random))
    case .decimal: return .decimal(Decimal(Int.random(in: -1_000_000...1_000_000, using: &random)) / 100)
    case .double: return .double(.random(in: -1e9...1e9, using: &random))
    case .float: return .float(.random(in: -1e3...1e3, using: &random))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)))
    case .string: return .string("text \(counter) e\u{301}'\"\u{1F600}\n")
    case .uri: return .url(URL(string: "https://example.org/a%20b?\(counter)")!)
    case .uuid:
      let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      return .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    case .binary, .transformable:
      return .data(Data((0..<Int.random(in: 0...40, using: &random)).map { UInt8($0 * 7 & 0xFF) }))
    case .undefined, .objectID, .composite: return .null
    }
  }

  private mutating func change(
    _ relationship: ManagedObjectModel.Entity.Relationship, of object: ManagedObject
  ) throws {
    if relationship.isTransient { return }
    let all = try context.fetch(FetchRequest(object.entity.destination(of: relationship).name)).filter { !$0.isDeleted }
    if !relationship.isToMany {
      let isEmpty = relationship.isOptional && Int.random(in: 0..<4, using: &random) == 0
      let target = isEmpty ? nil : all.randomElement(using: &random)
      let value = target.map { ManagedObject.Value.object($0) } ?? .null
      return try object.setValue(value, forKey: relationship.name)
    }
    let targets = all.shuffled(using: &random).prefix(.random(in: 0...4, using: &random))
      .map { ManagedObject.Value.object($0) }
    try object.setValue(relationship.isOrdered ? .array(targets) : .set(targets), forKey: relationship.name)
  }
}
