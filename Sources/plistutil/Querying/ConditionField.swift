import Predicates
import PropertyLists

/// A property of the tested value, or of a value inside it. In the predicate of a condition, a key represents it.
final class ConditionField: Sendable {
  enum Name: String, CaseIterable, Sendable {
    case kind, key, value, path, count, size

    static let list = allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// The form of the field in the predicate.
  enum Form: Sendable {
    case any
    /// The value, if it has this type; null for all other values. Integers and reals are numbers, but NaN is not.
    case string, number, boolean, date
    /// A Boolean: true if the text of the value matches a shell pattern.
    case matches(String)
    /// A Boolean: true if the path of the tested value is equal to this path.
    case isPath(PropertyListKeyPath)
    /// A Boolean: true if the path of the tested value matches a pattern.
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
