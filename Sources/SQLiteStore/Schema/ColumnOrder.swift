internal import ManagedObjects

/// The columns of an entity, sorted in the order of naming. A column whose name is already used gets a number as a
/// suffix, so the order matters.
struct ColumnOrder {
  struct Column {
    let name: String
    /// The name of the attribute or relationship.
    let property: String
    /// For a composite attribute, the index of the element among ``AttributeDescription/leaves``; nil for other
    /// columns.
    let leaf: Int?
    /// The index of the column's group in the table: 0 for integers, 1 for to-one relationships, then other types.
    let group: Int
    /// The declared type of the column; nil for an attribute without a column.
    let type: String?
  }

  private(set) var columns: [Column] = []
  /// The composite attributes whose column names are uncertain, with the reason.
  private(set) var uncertain: [String: String] = [:]

  /// Determines the order of the columns.
  ///
  /// - Parameters:
  ///   - attributes: The attributes, sorted by name.
  ///   - relationships: The names of the to-one relationships, sorted.
  init(_ attributes: [ManagedObjectModel.Entity.Attribute], _ relationships: [String]) {
    // To-one relationships come after the first group.
    func group(_ type: AttributeType) -> Int {
      let index = type.column?.group ?? AttributeColumn.groupCount
      return index == 0 ? 0 : index + 1
    }
    let hasLeaves = attributes.contains { $0.definition.type == .composite }
    for attribute in attributes {
      let definition = attribute.definition
      guard definition.type == .composite else {
        columns.append(
          Column(
            name: attribute.name, property: attribute.name, leaf: nil, group: group(definition.type),
            type: definition.type.column?.type))
        continue
      }
      for (index, leaf) in definition.leaves.enumerated() {
        columns.append(
          Column(
            name: leaf.name, property: attribute.name, leaf: index, group: group(leaf.type),
            type: leaf.type.column?.type)
        )
      }
    }
    columns += relationships.map { Column(name: $0, property: $0, leaf: nil, group: 1, type: "INTEGER") }
    // The first of several columns with the same name gets the name without a number. If the entity has composite
    // attributes, the columns are sorted as in the table, otherwise by property.
    columns = columns.enumerated().sorted {
      let (first, second) = ($0.element, $1.element)
      if hasLeaves, first.group != second.group { return first.group < second.group }
      if first.property == second.property { return $0.offset < $1.offset }
      return first.property.utf8.lexicographicallyPrecedes(second.property.utf8)
    }.map(\.element)
    findUncertain()
  }

  /// Finds elements of composite attributes whose column has the same name and the same declared type as a column of
  /// another group. No known file shows which of the two columns comes first.
  private mutating func findUncertain() {
    for (name, same) in Dictionary(grouping: columns, by: { $0.name.uppercased() }) where same.count > 1 {
      for (index, column) in same.enumerated() {
        for other in same[..<index] where column.group != other.group && column.type == other.type {
          for one in [column, other] where one.leaf != nil {
            uncertain[one.property] = "several values of the same type would have the column Z\(name)"
          }
        }
      }
    }
  }
}

extension AttributeDescription {
  /// The elements of a composite attribute that are not composite themselves, including those of nested composite
  /// elements, in the order of the model.
  var leaves: [AttributeDescription] { elements.flatMap { $0.type == .composite ? $0.leaves : [$0] } }
}

/// The column of an attribute in Core Data's tables.
struct AttributeColumn {
  /// The declared type of the column.
  let type: String
  /// The index of the type's group. The columns of a group are adjacent in the table.
  let group: Int

  static let groupCount = 8
}

extension AttributeType {
  /// The column of an attribute of the type; nil for a type without a column.
  var column: AttributeColumn? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: AttributeColumn(type: "INTEGER", group: 0)
    case .date: AttributeColumn(type: "TIMESTAMP", group: 1)
    case .double, .float: AttributeColumn(type: "FLOAT", group: 1)
    case .decimal: AttributeColumn(type: "DECIMAL", group: 2)
    case .string: AttributeColumn(type: "VARCHAR", group: 3)
    case .uri: AttributeColumn(type: "VARCHAR", group: 4)
    case .uuid: AttributeColumn(type: "BLOB", group: 5)
    case .transformable: AttributeColumn(type: "BLOB", group: 6)
    case .binary: AttributeColumn(type: "BLOB", group: 7)
    case .undefined, .objectID, .composite: nil
    }
  }
}
