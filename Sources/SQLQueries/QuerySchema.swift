package import ObjectModels

/// The tables and columns where a store keeps the entities and properties of its model.
package protocol QuerySchema: Sendable {
  var model: ManagedObjectModel { get }
  /// The entity numbers, by the index of the entity in the model. The database identifies an entity by its number.
  var numbers: [Int64] { get }
  /// The columns of the properties: one array for each entity in the model, with one element for each slot.
  var slotColumns: [[SlotColumns]] { get }

  /// Returns the table of an entity; nil if the store does not have the entity.
  func objectTable(ofEntity index: Int) -> ObjectTable?

  /// Returns the name of a join table.
  ///
  /// - Parameter index: The first value of ``ToManyColumns/Source/join(_:own:other:order:isReflexive:)``.
  func joinName(_ index: Int) -> String
}

/// A table with one row for each object of some entities.
package struct ObjectTable: Sendable {
  let name: String
  /// The indices of the entities whose objects are in the table.
  let entities: Range<Int>
  /// The name of the column with the primary key.
  let numberColumn: String
  /// The name of the column with the entity number.
  let entityColumn: String
  /// The columns with the values of attributes and relationships.
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
  /// The declared type of the column.
  package let type: String

  package init(name: String, type: String) {
    self.name = name
    self.type = type
  }
}

/// The columns that store a property.
package enum SlotColumns: Sendable {
  /// No column: the property is transient, or has no type.
  case none
  case attribute(column: Int, AttributeType, isExternal: Bool)
  /// A composite attribute, with a column for each element that is not composite itself.
  case composite(CompositeColumns)
  case toOne(column: Int, entityColumn: Int?, destination: Range<Int>)
  case toMany(ToManyColumns)

  /// The indices of the columns of the property in the table of its object. Empty for a to-many relationship, which is
  /// stored in other tables.
  package var columns: [Int] {
    switch self {
    case .none, .toMany: []
    case .attribute(let column, _, _), .toOne(let column, nil, _): [column]
    case .toOne(let column, let entityColumn?, _): [column, entityColumn]
    case .composite(let composite): composite.leaves.map(\.column)
    }
  }
}

/// The storage of a to-many relationship: in the rows of the related objects, or in a join table.
package struct ToManyColumns: Sendable {
  /// The indices of the entities that the related objects can have.
  package let destination: Range<Int>
  package let isOrdered: Bool
  package let source: Source

  package init(destination: Range<Int>, isOrdered: Bool, source: Source) {
    self.destination = destination
    self.isOrdered = isOrdered
    self.source = source
  }

  package enum Source: Sendable {
    /// A column in the table of the related objects has the primary key of the owner.
    case column(table: Int, column: Int, entityColumn: Int?, order: Int?)
    /// A join table has a row for each pair of objects. `own` is its column for the owner, `other` the one for the
    /// related object, and `order` the one for the position in an ordered relationship. `isReflexive` is true for a
    /// relationship that is its own inverse.
    case join(Int, own: String, other: String, order: String?, isReflexive: Bool)
  }
}

/// The columns of a composite attribute.
package struct CompositeColumns: Sendable {
  /// The elements, in the order of the model.
  package let elements: [Element]
  /// The elements that are not composite themselves, in the order of the model, which is that of `NSCompositeElements`.
  package let leaves: [Leaf]

  package init(elements: [Element]) {
    self.elements = elements
    leaves = elements.flatMap { element -> [Leaf] in
      switch element.storage {
      case .column(let column): [Leaf(keys: [element.name], definition: element.definition, column: column)]
      case .composite(let inner):
        inner.leaves.map { Leaf(keys: [element.name] + $0.keys, definition: $0.definition, column: $0.column) }
      }
    }
  }

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

  /// An element that is not composite itself.
  package struct Leaf: Sendable {
    /// The names of the elements that lead to this one, beginning with an element of the attribute.
    package let keys: [String]
    package let definition: AttributeDescription
    package let column: Int

    /// The path from the attribute to the element, such as `place.city`.
    package var path: String { keys.joined(separator: ".") }
  }
}
