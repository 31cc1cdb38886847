private import OrderedCollections
@_spi(Archives) public import PropertyLists

extension PropertyListDifference {
  /// The difference as a property list. It can be stored in any format that can represent its values.
  ///
  /// It is a dictionary with an array `changes`; each change is a dictionary:
  ///
  /// | `change` | keys |
  /// |---|---|
  /// | `insert`, `remove` | `path`, `value`, and optionally `position` |
  /// | `replace` | `path`, `old`, `new` |
  /// | `move` | `path`, `to`, `value` |
  /// | `reorder` | `path`, `from`, `to`, both arrays of keys |
  ///
  /// Paths use the syntax with dots. For JSON and OpenStep, use ``PropertyListWritingOptions/Coercion/reversible`` and
  /// ``PropertyListReadingOptions/restoresCoercedValues``.
  public var patch: PropertyList { ["changes": .array(changes.map(\.patch))] }

  /// Creates a difference from its ``patch``.
  ///
  /// - Throws: ``PropertyListError/Kind/malformed`` with the path of the error in the patch.
  /// - Complexity: O(*n*) in the number of changes and the lengths of their paths.
  public init(patch: PropertyList) throws(PropertyListError) {
    guard let list = patch["changes"]?.array else {
      throw PropertyListError(.malformed, "not a patch: it has no array \"changes\"")
    }
    var changes: [Change] = []
    for (index, fields) in list.enumerated() {
      do { changes.append(try Change(fields)) } catch {
        var error = error
        error.keyPath = PropertyListKeyPath([.key("changes"), .index(index)])
        throw error
      }
    }
    self.init(changes)
  }
}

extension PropertyListDifference.Change {
  fileprivate var patch: PropertyList {
    var fields: OrderedDictionary<String, PropertyList> = ["change": .string(name), "path": .string(path.description)]
    switch self {
    case .insertion(_, let value, let position), .removal(_, let value, let position):
      if let position { fields["position"] = .integer(.init(position)) }
      fields["value"] = value
    case .replacement(_, let old, let new):
      fields["old"] = old
      fields["new"] = new
    case .move(_, let index, let value):
      fields["to"] = .integer(.init(index))
      fields["value"] = value
    case .reordering(_, let old, let new):
      fields["from"] = .array(old.map { .string($0) })
      fields["to"] = .array(new.map { .string($0) })
    }
    return .dictionary(fields)
  }

  private var name: String {
    switch self {
    case .insertion: "insert"
    case .removal: "remove"
    case .replacement: "replace"
    case .move: "move"
    case .reordering: "reorder"
    }
  }

  fileprivate init(_ fields: PropertyList) throws(PropertyListError) {
    let name = try Self.field("change", of: fields, \.string)
    let path = try PropertyListKeyPath(Self.field("path", of: fields, \.string), syntax: .dots)
    switch name {
    case "insert": self = .insertion(path, try Self.value("value", of: fields), position: try Self.position(of: fields))
    case "remove": self = .removal(path, try Self.value("value", of: fields), position: try Self.position(of: fields))
    case "replace":
      self = .replacement(path, old: try Self.value("old", of: fields), new: try Self.value("new", of: fields))
    case "move":
      guard path.components.last?.arrayIndex != nil else {
        throw PropertyListError(.malformed, "only elements of arrays can be moved")
      }
      self = .move(path, to: try Self.field("to", of: fields, \.int), try Self.value("value", of: fields))
    case "reorder":
      self = .reordering(
        path, from: try Self.field("from", of: fields, Self.keys), to: try Self.field("to", of: fields, Self.keys))
    default:
      throw PropertyListError(
        .malformed, "\(name.quoted) is not a change: use insert, remove, replace, move or reorder")
    }
  }

  private static func value(_ key: String, of fields: PropertyList) throws(PropertyListError) -> PropertyList {
    guard let value = fields[key] else {
      throw PropertyListError(.malformed, "not a patch: a change has no key \"\(key)\"")
    }
    return value
  }

  private static func field<Value>(
    _ key: String, of fields: PropertyList, _ read: (PropertyList) -> Value?
  ) throws(PropertyListError) -> Value {
    guard let value = read(try value(key, of: fields)) else {
      throw PropertyListError(.malformed, "not a patch: the value for the key \"\(key)\" is of the wrong kind")
    }
    return value
  }

  private static func position(of fields: PropertyList) throws(PropertyListError) -> Int? {
    fields["position"] == nil ? nil : try field("position", of: fields, \.int)
  }

  private static func keys(_ value: PropertyList) -> [String]? {
    guard let keys = value.array?.map(\.string), !keys.contains(nil) else { return nil }
    return keys.compactMap { $0 }
  }
}
