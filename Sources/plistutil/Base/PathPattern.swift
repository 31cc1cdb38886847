import PropertyLists
import SystemFiles

/// A pattern for paths. In a component, `*`, `?` and `[a-z]` mean what they mean in a shell. A component `**` matches
/// any number of components.
struct PathPattern: Sendable {
  private enum Part: Sendable {
    case any
    case pattern(String)
  }

  private let parts: [Part]

  init(_ text: String) throws(PropertyListError) {
    parts = try PropertyListKeyPath(text).components.map { $0.text == "**" ? .any : .pattern($0.text) }
  }

  static func argument(_ text: String) throws -> PathPattern {
    try validating { () throws(PropertyListError) in try PathPattern(text) }
  }

  /// The state after comparing some components of a path with the pattern: the indices of the parts that may match the
  /// next component.
  typealias State = [Int]

  var start: State { closed([0]) }

  /// Returns the state after one more component of the path.
  func next(_ state: State, _ component: PropertyListKeyPath.Component) -> State {
    var following: State = []
    for position in state where position < parts.count {
      switch parts[position] {
      case .any: following.append(position)
      case .pattern(let pattern):
        if FileSystem.matches(component.text, pattern: pattern) { following.append(position + 1) }
      }
    }
    return closed(following)
  }

  /// Returns true if the pattern matches the path that led to a state.
  func isMatch(_ state: State) -> Bool { state.contains(parts.count) }

  /// Returns a state that also contains the part after each `**`, because `**` can match zero components.
  private func closed(_ state: State) -> State {
    var closed: State = []
    for var position in state {
      while !closed.contains(position) {
        closed.append(position)
        guard position < parts.count, case .any = parts[position] else { break }
        position += 1
      }
    }
    return closed
  }
}
