internal import ManagedObjects

/// The operations on columns of a type that give the same results in a database as in memory.
struct ColumnTraits {
  let order: Order
  /// True if equal values always have equal columns, in the form used for sorting.
  var isGroupable = false
  /// True if the minimum and the maximum of values can be computed.
  var hasExtremes = false
  /// True for integers and Booleans, whose sum does not depend on the order of the values.
  var isSummable = false

  /// The form of a column used for sorting.
  enum Order {
    case stored
    case truthValue
    case text
    case url
  }
}

extension AttributeType {
  var columnTraits: ColumnTraits {
    switch self {
    case .integer16, .integer32, .integer64:
      ColumnTraits(order: .stored, isGroupable: true, hasExtremes: true, isSummable: true)
    case .boolean: ColumnTraits(order: .truthValue, isGroupable: true, hasExtremes: true, isSummable: true)
    case .decimal, .double, .date, .binary, .uuid: ColumnTraits(order: .stored, isGroupable: true, hasExtremes: true)
    // A column can have more digits than the value.
    case .float: ColumnTraits(order: .stored, hasExtremes: true)
    case .string: ColumnTraits(order: .text, isGroupable: true)
    case .uri: ColumnTraits(order: .url)
    case .objectID: ColumnTraits(order: .stored, isGroupable: true, hasExtremes: true)
    // Attributes without a type have no column.
    case .undefined: ColumnTraits(order: .stored, isGroupable: true)
    case .transformable, .composite: ColumnTraits(order: .stored)
    }
  }
}
