internal import ManagedObjects

/// The order of an entity's columns. Names are given in this order.
struct ColumnOrder {
  struct Column {
    let name: String
    /// The attribute or the relationship that it belongs to.
    let property: String
    /// The index among the leaves of a composite attribute; nil for a column of a property itself.
    let leaf: Int?
    /// The position of the group in the layout: integers, to-one relationships, and then the other groups of types.
    let group: Int
    /// The type of the column; nil for an attribute that has none.
    let type: String?
  }

  private(set) var columns: [Column] = []
  /// Composite attributes whose leaves may have other columns, and why.
  private(set) var uncertain: [String: String] = [:]

  /// - Parameters:
  ///   - attributes: in the order of their names.
  ///   - relationships: the names of to-one relationships.
  ///   - groups: the types in the order of the layout.
  init(_ attributes: [ManagedObjectModel.Entity.Attribute], _ relationships: [String], _ groups: [[AttributeType]]) {
    func group(_ type: AttributeType) -> Int {
      let index = groups.firstIndex { $0.contains(type) } ?? groups.count
      return index == 0 ? 0 : index + 1
    }
    let hasLeaves = attributes.contains { $0.definition.type == .composite }
    for attribute in attributes {
      let definition = attribute.definition
      guard definition.type == .composite else {
        columns.append(
          Column(
            name: attribute.name, property: attribute.name, leaf: nil, group: group(definition.type),
            type: definition.type.columnType))
        continue
      }
      for (index, leaf) in definition.leaves.enumerated() {
        columns.append(
          Column(
            name: leaf.name, property: attribute.name, leaf: index, group: group(leaf.type), type: leaf.type.columnType)
        )
      }
    }
    columns += relationships.map { Column(name: $0, property: $0, leaf: nil, group: 1, type: "INTEGER") }
    // The first of several gets the name: with leaves the first in the layout, otherwise the first property.
    columns = columns.enumerated().sorted {
      let (first, second) = ($0.element, $1.element)
      if hasLeaves, first.group != second.group { return first.group < second.group }
      if first.property == second.property { return $0.offset < $1.offset }
      return first.property.utf8.lexicographicallyPrecedes(second.property.utf8)
    }.map(\.element)
    findUncertain()
  }

  /// Finds leaves that share a name with a column of another group and of the same type: no file shows which of the two
  /// is the first.
  private mutating func findUncertain() {
    for (name, same) in Dictionary(grouping: columns, by: { $0.name.uppercased() }) where same.count > 1 {
      for (index, column) in same.enumerated() {
        for other in same[..<index] where column.group != other.group && column.type == other.type {
          for one in [column, other] where one.leaf != nil {
            uncertain[one.property] = "the model has several values with the column Z\(name) of one type"
          }
        }
      }
    }
  }
}

extension AttributeDescription {
  /// The elements of a composite attribute that have a value of their own, in the order of the model; an element that
  /// is composite itself is replaced by its own ones.
  var leaves: [AttributeDescription] { elements.flatMap { $0.type == .composite ? $0.leaves : [$0] } }
}

extension AttributeType {
  /// The type of a column, as Core Data's tables have it; nil for an attribute that has none.
  var columnType: String? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "FLOAT"
    case .decimal: "DECIMAL"
    case .date: "TIMESTAMP"
    case .string, .uri: "VARCHAR"
    case .binary, .transformable, .uuid: "BLOB"
    case .undefined, .objectID, .composite: nil
    }
  }
}
