internal import ManagedObjects

/// The operations on the column of an attribute type that give the same results in SQL as in memory.
struct ColumnTraits {
  let order: Order
  /// True if SQL can group by the column, because equal values are always stored equally or have equal forms for
  /// sorting.
  var isGroupable = false
  /// True if SQL can compute the minimum and the maximum.
  var hasExtremes = false
  /// True if SQL can compute the sum: for integers and Booleans, whose sum does not depend on the order of the values.
  var isSummable = false

  /// The form of a column's values that SQL sorts by.
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
    // The column can have a double with more digits, so equal floats can be stored differently.
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
