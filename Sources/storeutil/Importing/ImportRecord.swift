import PropertyLists

/// An object in an imported file.
struct ImportRecord {
  /// The position of the object's first character.
  let position: PropertyListError.TextPosition
  /// The name of the entity of the object, in a file that has an array for each entity; nil in a file with objects of
  /// one entity.
  var entity: String?
  let fields: [Field]

  /// A value of the object, and the name of its column or key.
  struct Field {
    let column: String
    let value: Value
    let position: PropertyListError.TextPosition
  }

  enum Value {
    /// A field of CSV; nil for an empty field without quotation marks.
    case text(String?)
    /// A value of JSON.
    case value(PropertyList)

    /// True for a missing value.
    var isNull: Bool {
      switch self {
      case .text(let text): text == nil
      case .value(let value): value == .null
      }
    }
  }
}

/// Reads the objects of a file one after the other.
protocol RecordReader {
  /// Returns the next object; nil at the end.
  mutating func next() throws(PropertyListError) -> ImportRecord?
}
