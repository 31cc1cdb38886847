import Predicates
import PropertyLists

/// Something about a value, or about one in it: what stands for a key in the predicate of a condition.
final class ConditionField: Sendable {
  enum Name: String, CaseIterable, Sendable {
    case kind, key, value, path, count, size

    static let list = allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// The forms in which a field is compared.
  enum Form: Sendable {
    case any
    /// Null for all values but those of one sort. Integers and reals are one sort; not a number is of none.
    case string, number, boolean, date
    /// True if the bare text of it matches a pattern of the shell.
    case matches(String)
    /// True if the path is this one.
    case isPath(PropertyListKeyPath)
    /// True if the path matches.
    case matchesPath(PathPattern)
  }

  let name: Name
  /// The way to the value, from the one that is looked at.
  let path: PropertyListKeyPath
  let form: Form

  init(_ name: Name, _ path: PropertyListKeyPath = PropertyListKeyPath(), _ form: Form = .any) {
    self.name = name
    self.path = path
    self.form = form
  }
}
