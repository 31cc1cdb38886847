public import FoundationEssentials
public import OrderedCollections

/// Properties and subscripts that return the content of a value by its kind. The result is nil if the value is of
/// another kind. Values are not converted.
extension PropertyList {
  /// The text of a string; nil for other kinds.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The value of an integer; nil for other kinds.
  public var integer: Integer? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The value of an integer that fits into `Int`; nil for other values. Reals are not converted, not even those
  /// without a fraction.
  public var int: Int? { integer.flatMap { Int(exactly: $0) } }

  /// The value of a 4-byte or 8-byte real; nil for other kinds. A double represents both exactly.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .float(let value): Double(value)
    default: nil
    }
  }

  /// The value of a boolean; nil for other kinds. Numbers are not converted to booleans.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The value of a date; nil for other kinds.
  public var date: Date? {
    if case .date(let value) = self { value } else { nil }
  }

  /// The bytes of data; nil for other kinds.
  public var data: Data? {
    if case .data(let value) = self { value } else { nil }
  }

  /// The UID, which is the index of an object in the object table of a keyed archive; nil for other kinds.
  ///
  /// ```swift
  /// let archive = try PropertyList(data)
  /// if let root = archive["$top"]?["root"]?.uid, let object = archive["$objects"]?[Int(root.value)] {
  ///   print(object)
  /// }
  /// ```
  public var uid: UID? {
    if case .uid(let value) = self { value } else { nil }
  }

  /// True if this is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The elements of an array; nil for other kinds. You can change them in place: if `list` is not an array,
  /// `list.array?.append("x")` does nothing.
  ///
  /// Assigning an array replaces this value by that array. Assigning nil changes an array to ``null``, and leaves a
  /// value of another kind unchanged.
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

  /// The entries of a dictionary, in order; nil for other kinds. You can change them in place: if `list` is not a
  /// dictionary, `list.dictionary?["key"] = 1` does nothing.
  ///
  /// ```swift
  /// var note: PropertyList = ["title": "Groceries", "tags": ["home"]]
  /// note.dictionary?["pinned"] = true
  /// note.dictionary?["tags"]?.array?.append("weekly")   // tags: ["home", "weekly"]
  /// ```
  ///
  /// Assigning a dictionary replaces this value by that dictionary. Assigning nil changes a dictionary to ``null``, and
  /// leaves a value of another kind unchanged.
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

  /// Returns the elements of an array and sets this value to ``null``, so that the elements have a single owner and can
  /// be changed in place. Returns nil if this is not an array.
  mutating func takeArray() -> [PropertyList]? {
    guard case .array(let elements) = self else { return nil }
    self = .null
    return elements
  }

  /// Returns the entries of a dictionary and sets this value to ``null``, as ``takeArray()`` does for arrays.
  mutating func takeDictionary() -> OrderedDictionary<String, PropertyList>? {
    guard case .dictionary(let entries) = self else { return nil }
    self = .null
    return entries
  }

  /// Returns the value for a key of a dictionary, or nil if the key is missing or this is not a dictionary.
  ///
  /// ```swift
  /// let invoice: PropertyList = ["number": 1042, "items": [["name": "Paper", "count": 3]]]
  /// let count = invoice["items"]?[0]?["count"]?.int   // 3
  /// let number = invoice["number"]?.string            // nil, because the value is an integer
  /// ```
  ///
  /// To change a value, use ``dictionary``, ``array`` or a function with a key path, such as ``set(_:at:)``.
  public subscript(key: String) -> PropertyList? {
    if case .dictionary(let entries) = self { entries[key] } else { nil }
  }

  /// Returns the element at an index of an array, or nil if the index is out of range or this is not an array.
  public subscript(index: Int) -> PropertyList? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}
