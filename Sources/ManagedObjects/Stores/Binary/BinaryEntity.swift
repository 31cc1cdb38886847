internal import FoundationEssentials
internal import KeyedArchiving
internal import ObjectModels

/// The objects of one entity in the archive of a ``BinaryStore``. Subentities are separate.
struct BinaryEntity {
  let name: String
  let count: Int
  let numbers: Data
  /// The versions of the objects, as variable-length integers; empty if all are 1.
  let versions: Data
  let columns: [BinaryColumn]
}

extension BinaryEntity: SecureCoding {
  static let archivedClass = ArchivedClass("MOBinaryEntity")

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "name")
    try coder.encode(count, forKey: "count")
    try coder.encodeBytes(numbers, forKey: "numbers")
    try coder.encodeBytes(versions, forKey: "versions")
    try coder.encode(columns, forKey: "columns")
  }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    count = try coder.decode(Int.self, forKey: "count")
    numbers = try coder.decodeBytes(forKey: "numbers")
    versions = try coder.decodeBytes(forKey: "versions")
    columns = try coder.decode([BinaryColumn].self, forKey: "columns")
  }
}

/// The values of one property for all objects of a ``BinaryEntity``.
struct BinaryColumn {
  let name: String
  let type: Int
  /// A bit for each object, which is set if the object has no value; empty if all objects have one.
  let nulls: Data
  let values: Data

  /// The ``type`` of a column for a to-one relationship. For an attribute, ``type`` is the raw value of the
  /// ``AttributeType``.
  static let toOne = -1
  /// The ``type`` of an unordered to-many relationship.
  static let toMany = -2
  /// The ``type`` of an ordered relationship.
  static let orderedToMany = -3
}

extension BinaryColumn: SecureCoding {
  static let archivedClass = ArchivedClass("MOBinaryColumn")

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "name")
    try coder.encode(type, forKey: "type")
    try coder.encodeBytes(nulls, forKey: "nulls")
    try coder.encodeBytes(values, forKey: "values")
  }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    type = try coder.decode(Int.self, forKey: "type")
    nulls = try coder.decodeBytes(forKey: "nulls")
    values = try coder.decodeBytes(forKey: "values")
  }
}

extension ManagedObjectModel.Entity.Property {
  /// The ``BinaryColumn/type`` of the property's column; nil for a transient property, which has no column.
  var columnType: Int? {
    switch self {
    case .attribute(let attribute): attribute.isTransient ? nil : attribute.definition.type.rawValue
    case .relationship(let relationship):
      if relationship.isTransient {
        nil
      } else if !relationship.definition.isToMany {
        BinaryColumn.toOne
      } else {
        relationship.isOrdered ? BinaryColumn.orderedToMany : BinaryColumn.toMany
      }
    }
  }
}
