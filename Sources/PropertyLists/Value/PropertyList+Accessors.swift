public import FoundationEssentials
public import OrderedCollections

/// Typed accessors: the value if it is of the kind asked for, else nil. Nothing is converted.
extension PropertyList {
  /// The text of a string.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The integer, exactly.
  public var integer: Integer? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The integer, if it fits into `Int`.
  public var int: Int? { integer.flatMap { Int(exactly: $0) } }

  /// The real of either width, as a double, which holds both exactly.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .float(let value): Double(value)
    default: nil
    }
  }

  /// The truth value of a boolean; no number is taken for one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The moment of a date.
  public var date: Date? {
    if case .date(let value) = self { value } else { nil }
  }

  /// The bytes of data.
  public var data: Data? {
    if case .data(let value) = self { value } else { nil }
  }

  /// The index that a UID of a keyed archive refers to.
  public var uid: UID? {
    if case .uid(let value) = self { value } else { nil }
  }

  /// Whether this is the null object of the binary format.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The elements, to read or to change in place: `list.array?.append("x")` does nothing where `list` is no array.
  ///
  /// Assigning an array to this property makes the value that array. Assigning nil makes an array ``null``, and leaves
  /// a value of another kind as it is.
  public var array: [PropertyList]? {
    get {
      if case .array(let value) = self { value } else { nil }
    }
    _modify {
      var elements = takeArray()
      let wasArray = elements != nil
      defer {
        if let elements { self = .array(elements) } else if wasArray { self = .null }
      }
      yield &elements
    }
  }

  /// The entries in order, to read or to change in place: `list.dictionary?["key"] = 1` does nothing where `list` is no
  /// dictionary.
  ///
  /// Assigning a dictionary to this property makes the value that dictionary. Assigning nil makes a dictionary
  /// ``null``, and leaves a value of another kind as it is.
  public var dictionary: OrderedDictionary<String, PropertyList>? {
    get {
      if case .dictionary(let value) = self { value } else { nil }
    }
    _modify {
      var entries = takeDictionary()
      let wasDictionary = entries != nil
      defer {
        if let entries { self = .dictionary(entries) } else if wasDictionary { self = .null }
      }
      yield &entries
    }
  }

  /// The elements, taken out of this value, so that there is one owner to change them in place; nil if there are none.
  mutating func takeArray() -> [PropertyList]? {
    guard case .array(let elements) = self else { return nil }
    self = .null
    return elements
  }

  /// The entries, as ``takeArray()``.
  mutating func takeDictionary() -> OrderedDictionary<String, PropertyList>? {
    guard case .dictionary(let entries) = self else { return nil }
    self = .null
    return entries
  }

  /// The value of a dictionary for a key; nil if there is none, or if this is no dictionary.
  public subscript(key: String) -> PropertyList? {
    if case .dictionary(let entries) = self { entries[key] } else { nil }
  }

  /// The element of an array at an index; nil if it is out of range, or if this is no array.
  public subscript(index: Int) -> PropertyList? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}
