package import ManagedObjects
internal import OrderedCollections
package import SQLQueries

/// The table with the rows of a root entity and all of its subentities.
///
/// The first columns are `Z_PK`, `Z_ENT` and `Z_OPT`: the primary key, the entity number and the version number. The
/// columns of properties follow in groups: integers and Booleans with to-one relationships, positions in ordered
/// relationships, dates and floating-point numbers, decimals, strings, URIs, UUIDs, transformable values, data. Within
/// a group, columns are sorted by entity number, then by property name. A column whose name is already used gets a
/// number as a suffix.
package struct StoreTable: Sendable {
  package let name: String
  /// The indices of the entities whose rows are in the table.
  package let entities: Range<Int>
  /// All columns except `Z_PK`, `Z_ENT` and `Z_OPT`, in order.
  package let columns: [TableColumn]
  package let attributeColumns: [PropertyName: Int]
  /// The columns of composite attributes.
  let compositeColumns: [PropertyName: CompositeColumns]
  /// The composite attributes whose columns are uncertain, and the reasons.
  private(set) var uncertainComposites: [PropertyName: String]
  /// The columns of to-one relationships.
  package private(set) var toOneColumns: [PropertyName: KeyColumns]
  /// The columns that refer to the owners of this table's rows, by relationship: a to-many relationship without an
  /// inverse is stored in the table of the related objects.
  package private(set) var ownerColumns: [PropertyName: KeyColumns]
  /// The optional columns that the file lacks. Optional are the columns for the entity number of a related object, and
  /// for the position in an order.
  private(set) var missingColumns: Set<Int> = []

  /// The columns that refer to another object, by index.
  package struct KeyColumns: Sendable {
    /// The column with the primary key of the object.
    package let key: Int
    /// The column with the entity number of the object; nil if the object can have only one entity, or if the file
    /// lacks the column.
    package let entity: Int?
    /// The column with the position of the row in the relationship of the object that ``key`` refers to; nil if the
    /// relationship is unordered, or if the file lacks the column.
    package let order: Int?
  }

  init(_ root: ManagedObjectModel.Entity, _ numbers: [Int64], _ lonely: [LonelyRelationship]) {
    name = "Z" + root.name.uppercased()
    entities = root.subtree
    var maker = ColumnMaker(root, numbers, lonely.filter { root.subtree.contains($0.destinationIndex) })
    maker.make()
    columns = maker.columns
    attributeColumns = maker.attributeColumns
    compositeColumns = maker.compositeColumns
    uncertainComposites = maker.uncertainComposites
    toOneColumns = maker.toOneColumns
    ownerColumns = maker.ownerColumns
  }

  /// Marks the optional columns that a file does not have as missing, so that they are not used.
  ///
  /// - Parameter names: The column names of the file, in upper case.
  mutating func forgetColumns(except names: OrderedSet<String>) {
    func isMissing(_ column: Int?) -> Bool { column.map { !names.contains(columns[$0].name.uppercased()) } ?? false }
    func fitted(_ key: KeyColumns) -> KeyColumns {
      KeyColumns(
        key: key.key, entity: isMissing(key.entity) ? nil : key.entity, order: isMissing(key.order) ? nil : key.order)
    }
    let helpers = (Array(toOneColumns.values) + Array(ownerColumns.values)).flatMap { [$0.entity, $0.order] }
    missingColumns = Set(helpers.compactMap(\.self).filter { isMissing($0) })
    if missingColumns.isEmpty { return }
    toOneColumns = toOneColumns.mapValues(fitted)
    ownerColumns = ownerColumns.mapValues(fitted)
  }

  /// Returns the columns that store an attribute: one column, or for a composite attribute, a column for each element
  /// that is not composite itself. Returns none for a transient attribute or one without a type.
  package func parts(
    of attribute: ManagedObjectModel.Entity.Attribute, in entity: ManagedObjectModel.Entity
  ) -> [(path: String, definition: AttributeDescription, column: Int)] {
    let name = PropertyName(entity, attribute.name)
    if let column = attributeColumns[name] { return [(attribute.name, attribute.definition, column)] }
    return (compositeColumns[name]?.leaves ?? []).map { ("\(attribute.name).\($0.path)", $0.definition, $0.column) }
  }
}

/// Determines the names and the order of a table's columns.
private struct ColumnMaker {
  private let entities: [ManagedObjectModel.Entity]
  private let numbers: [Int64]
  private(set) var columns: [TableColumn] = []
  private(set) var attributeColumns: [PropertyName: Int] = [:]
  private(set) var compositeColumns: [PropertyName: CompositeColumns] = [:]
  private(set) var uncertainComposites: [PropertyName: String] = [:]
  /// The columns of composite attributes, by attribute and by the index of the element in
  /// ``AttributeDescription/leaves``.
  private var leafColumns: [PropertyName: [Int: Int]] = [:]
  private(set) var toOneColumns: [PropertyName: StoreTable.KeyColumns] = [:]
  private(set) var ownerColumns: [PropertyName: StoreTable.KeyColumns] = [:]
  /// For each name, the number of columns that already have it, with or without a suffix.
  private var uses: [String: Int] = [:]
  /// The column names of properties, without the prefix `Z`.
  private var names: [PropertyName: String] = [:]
  /// The column names of composite attributes, by attribute and by the index of the element, without the prefix `Z`.
  private var leafNames: [PropertyName: [Int: String]] = [:]

  /// The to-many relationships without an inverse that are stored in this table, because it has the related objects.
  private let lonely: [LonelyRelationship]

  init(_ root: ManagedObjectModel.Entity, _ numbers: [Int64], _ lonely: [LonelyRelationship]) {
    entities = root.selfAndDescendants.filter { numbers[$0.index] != 0 }
    self.numbers = numbers
    self.lonely = lonely
  }

  mutating func make() {
    for entity in entities { nameColumns(of: entity) }
    var orders: [(relationship: ManagedObjectModel.Entity.Relationship, of: ManagedObjectModel.Entity)] = []
    for entity in entities {
      addAttributes(of: entity, group: 0)
      for relationship in ownToOnes(entity) {
        add(relationship, entity)
        if isInOrder(relationship, entity) { orders.append((relationship, entity)) }
      }
    }
    for (relationship, entity) in orders { addOrder(of: relationship, entity) }
    addOwners()
    for group in 1..<AttributeColumn.groupCount {
      for entity in entities { addAttributes(of: entity, group: group) }
    }
    for entity in entities {
      for attribute in ownAttributes(entity) where attribute.definition.type == .composite {
        joinLeaves(attribute, entity)
      }
    }
  }

  /// Returns the attributes that an entity declares itself, sorted by name.
  private func ownAttributes(_ entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity.Attribute] {
    entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0)
      .filter { !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func ownToOnes(_ entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity.Relationship] {
    entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0)
      .filter { !$0.isTransient && !$0.definition.isToMany && numbers[$0.destinationIndex] != 0 }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// True if the inverse of a to-one relationship is ordered.
  private func isInOrder(
    _ relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity
  ) -> Bool {
    entity.inverse(of: relationship).map { $0.definition.isToMany && $0.definition.isOrdered } ?? false
  }

  /// Assigns names to the columns of an entity's attributes and to-one relationships. If several columns would have the
  /// same name, the first one in ``ColumnOrder`` gets it, and the others get a number as a suffix.
  private mutating func nameColumns(of entity: ManagedObjectModel.Entity) {
    let attributes = ownAttributes(entity)
    let order = ColumnOrder(attributes, ownToOnes(entity).map(\.name))
    for column in order.columns {
      let base = column.name.uppercased()
      let count = uses[base, default: 0]
      uses[base] = count + 1
      let name = base + (count == 0 ? "" : "\(count)")
      let property = PropertyName(entity, column.property)
      if let leaf = column.leaf { leafNames[property, default: [:]][leaf] = name } else { names[property] = name }
    }
    for (attribute, reason) in order.uncertain { uncertainComposites[PropertyName(entity, attribute)] = reason }
  }

  /// Returns the name of a property's column, without the prefix `Z`.
  private func columnName(_ name: PropertyName) -> String { names[name] ?? name.name.uppercased() }

  /// Adds the columns of an entity's attributes that belong to a group. The columns of a composite attribute are sorted
  /// by the name of the attribute.
  private mutating func addAttributes(of entity: ManagedObjectModel.Entity, group: Int) {
    for attribute in ownAttributes(entity) {
      let name = PropertyName(entity, attribute.name)
      if attribute.definition.type == .composite {
        for (index, leaf) in attribute.definition.leaves.enumerated() {
          guard let column = leaf.type.column, column.group == group, let leafName = leafNames[name]?[index]
          else { continue }
          leafColumns[name, default: [:]][index] = columns.count
          columns.append(TableColumn(name: "Z" + leafName, type: column.type))
        }
      } else if let column = attribute.definition.type.column, column.group == group {
        attributeColumns[name] = columns.count
        columns.append(TableColumn(name: "Z" + columnName(name), type: column.type))
      }
    }
  }

  /// Combines the columns of a composite attribute into one ``CompositeColumns``.
  private mutating func joinLeaves(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ entity: ManagedObjectModel.Entity
  ) {
    let name = PropertyName(entity, attribute.name)
    var leaf = 0
    func joined(_ elements: [AttributeDescription], _ leaf: inout Int) -> CompositeColumns? {
      var found: [CompositeColumns.Element] = []
      for element in elements {
        if element.type == .composite {
          guard let inner = joined(element.elements, &leaf) else { return nil }
          found.append(CompositeColumns.Element(definition: element, storage: .composite(inner)))
        } else {
          guard let column = leafColumns[name]?[leaf] else { return nil }
          found.append(CompositeColumns.Element(definition: element, storage: .column(column)))
          leaf += 1
        }
      }
      return found.isEmpty ? nil : CompositeColumns(elements: found)
    }
    if let found = joined(attribute.definition.elements, &leaf) {
      compositeColumns[name] = found
    } else {
      uncertainComposites[name] = "the model does not define its elements"
    }
  }

  private mutating func add(
    _ relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity
  ) {
    let name = PropertyName(entity, relationship.name)
    let destination = entity.destination(of: relationship)
    let key = addKey("Z" + columnName(name), of: destination, "Z\(numbers[destination.index])_" + columnName(name))
    toOneColumns[name] = key
  }

  private mutating func addKey(
    _ name: String, of entity: ManagedObjectModel.Entity, _ entityColumn: String
  ) -> StoreTable.KeyColumns {
    let key = columns.count
    columns.append(TableColumn(name: name, type: "INTEGER"))
    guard !entity.subentities.isEmpty else { return StoreTable.KeyColumns(key: key, entity: nil, order: nil) }
    columns.append(TableColumn(name: entityColumn, type: "INTEGER"))
    return StoreTable.KeyColumns(key: key, entity: key + 1, order: nil)
  }

  private mutating func addOrder(
    of relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity
  ) {
    let name = PropertyName(entity, relationship.name)
    guard let key = toOneColumns[name] else { return }
    toOneColumns[name] = StoreTable.KeyColumns(key: key.key, entity: key.entity, order: columns.count)
    columns.append(TableColumn(name: "Z_FOK_" + columnName(name), type: "INTEGER"))
  }

  private mutating func addOwners() {
    for relationship in lonely {
      let owner = relationship.owner
      let name = "\(numbers[owner.index])" + relationship.name.uppercased()
      let key = columns.count
      columns.append(TableColumn(name: "Z" + name, type: "INTEGER"))
      // Core Data does not store the entity number of the owner, even if the owner can have several entities.
      if relationship.isOrdered { columns.append(TableColumn(name: "Z_FOK_" + name, type: "INTEGER")) }
      ownerColumns[PropertyName(owner, relationship.name)] = StoreTable.KeyColumns(
        key: key, entity: nil, order: relationship.isOrdered ? key + 1 : nil)
    }
  }
}

/// A to-many relationship without an inverse. It is stored in a column of the related objects' table, which refers to
/// the owner.
struct LonelyRelationship {
  let owner: ManagedObjectModel.Entity
  let name: String
  let isOrdered: Bool
  let destinationIndex: Int

  /// Returns all to-many relationships without an inverse of a model, in the order of their entities.
  static func all(_ model: ManagedObjectModel, _ numbers: [Int64]) -> [LonelyRelationship] {
    var all: [LonelyRelationship] = []
    for owner in model.entities where numbers[owner.index] != 0 {
      for relationship in owner.toManyRelationshipsWithoutInverse
      where numbers[relationship.destinationIndex] != 0 {
        all.append(
          LonelyRelationship(
            owner: owner, name: relationship.name, isOrdered: relationship.definition.isOrdered,
            destinationIndex: relationship.destinationIndex))
      }
    }
    return all
  }
}
