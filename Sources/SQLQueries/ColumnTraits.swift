internal import ManagedObjects

/// The operations that SQL can apply to the column of an attribute, with the same result as in memory. They depend on
/// the attribute type.
struct ColumnTraits {
  let order: Order
  /// True if SQL can group by the column: equal values have the same stored value, or the same form for sorting.
  var isGroupable = false
  /// True if SQL can compute the minimum and the maximum.
  var hasExtremes = false
  /// True if SQL can compute the sum. This is true for integers and Booleans only: the sum of other numbers depends on
  /// the order of the values.
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
    // The column can store a double with more digits than a float, so different stored values can be equal as floats.
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
