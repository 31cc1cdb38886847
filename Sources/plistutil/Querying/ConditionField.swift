import Predicates
import PropertyLists

/// A property of a value, or of a value inside it. It replaces a key in the predicate of a condition.
final class ConditionField: Sendable {
  enum Name: String, CaseIterable, Sendable {
    case kind, key, value, path, count, size

    static let list = allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// The forms of a field in a comparison.
  enum Form: Sendable {
    case any
    /// The value if it is of this type; null for all other values. Integers and reals are numbers; NaN is not.
    case string, number, boolean, date
    /// True if the text of the value matches a shell pattern.
    case matches(String)
    /// True if the path is equal to this one.
    case isPath(PropertyListKeyPath)
    /// True if the path matches a pattern.
    case matchesPath(PathPattern)
  }

  let name: Name
  /// The path from the tested value to the value of the field.
  let path: PropertyListKeyPath
  let form: Form

  init(_ name: Name, _ path: PropertyListKeyPath = PropertyListKeyPath(), _ form: Form = .any) {
    self.name = name
    self.path = path
    self.form = form
  }
}
