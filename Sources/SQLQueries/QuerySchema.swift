package import ObjectModels

/// The tables and columns that a database has for the entities and properties of a model.
package protocol QuerySchema: Sendable {
  var model: ManagedObjectModel { get }
  /// The number of each entity in the column of entities, by its index in the model.
  var numbers: [Int64] { get }
  /// The columns of the values of each entity, by slot.
  var slotColumns: [[SlotColumns]] { get }

  /// The table of an entity; nil if the store does not have it.
  func objectTable(ofEntity index: Int) -> ObjectTable?

  /// The name of the table of a relationship that is to-many on both sides.
  func joinName(_ index: Int) -> String
}

/// A table that has a row for each object of some entities.
package struct ObjectTable: Sendable {
  let name: String
  /// The entities that have their rows in it.
  let entities: Range<Int>
  /// The names of the columns of objects' numbers, and of the numbers of their entities.
  let numberColumn: String
  let entityColumn: String
  /// The columns of values.
  let columns: [TableColumn]

  package init(name: String, entities: Range<Int>, numberColumn: String, entityColumn: String, columns: [TableColumn]) {
    self.name = name
    self.entities = entities
    self.numberColumn = numberColumn
    self.entityColumn = entityColumn
    self.columns = columns
  }
}

package struct TableColumn: Sendable {
  package let name: String
  /// The type in the statement that makes the table.
  package let type: String

  package init(name: String, type: String) {
    self.name = name
    self.type = type
  }
}

/// The columns of the value of a slot.
package enum SlotColumns: Sendable {
  /// Nowhere: it is transient, or has no type.
  case none
  case attribute(column: Int, AttributeType, isExternal: Bool)
  /// A composite attribute, which has a column for each leaf.
  case composite(CompositeColumns)
  case toOne(column: Int, entityColumn: Int?, destination: Range<Int>)
  case toMany(ToManyColumns)

  /// The columns of a row's own table.
  package var columns: [Int] {
    switch self {
    case .none, .toMany: []
    case .attribute(let column, _, _), .toOne(let column, nil, _): [column]
    case .toOne(let column, let entityColumn?, _): [column, entityColumn]
    case .composite(let composite): composite.leaves.map(\.column)
    }
  }
}

/// The columns of a to-many relationship: in rows of other objects, or in a table of its own.
package struct ToManyColumns: Sendable {
  /// The entities of the objects that it leads to.
  package let destination: Range<Int>
  package let isOrdered: Bool
  package let source: Source

  package init(destination: Range<Int>, isOrdered: Bool, source: Source) {
    self.destination = destination
    self.isOrdered = isOrdered
    self.source = source
  }

  package enum Source: Sendable {
    /// Each object that it leads to has the number of its owner in a column.
    case column(table: Int, column: Int, entityColumn: Int?, order: Int?)
    /// A table has a row for each pair of objects. `isReflexive` is true for a relationship that is its own inverse.
    case join(Int, own: String, other: String, order: String?, isReflexive: Bool)
  }
}

/// The columns of a composite attribute.
package struct CompositeColumns: Sendable {
  /// The elements, in the order of the model.
  package let elements: [Element]

  package init(elements: [Element]) { self.elements = elements }

  package struct Element: Sendable {
    package let definition: AttributeDescription
    package let storage: Storage

    package init(definition: AttributeDescription, storage: Storage) {
      self.definition = definition
      self.storage = storage
    }

    package var name: String { definition.name }
  }

  package indirect enum Storage: Sendable {
    case column(Int)
    case composite(CompositeColumns)
  }

  /// The elements with a column, with the names that lead to them.
  package var leaves: [(path: String, definition: AttributeDescription, column: Int)] {
    elements.flatMap { element -> [(path: String, definition: AttributeDescription, column: Int)] in
      switch element.storage {
      case .column(let column): [(element.name, element.definition, column)]
      case .composite(let inner): inner.leaves.map { ("\(element.name).\($0.path)", $0.definition, $0.column) }
      }
    }
  }
}
