internal import PropertyLists

extension PropertyList {
  /// Whether two values are equal but for the order of the keys of dictionaries, which other writers of a file may have
  /// changed.
  ///
  /// - Complexity: O(*n*) in the number of values below the two. Depth costs no stack.
  func hasSameValues(as other: PropertyList) -> Bool {
    var pairs = [(self, other)]
    while let (first, second) = pairs.popLast() {
      switch (first, second) {
      case (.array(let a), .array(let b)):
        guard a.count == b.count else { return false }
        pairs += zip(a, b)
      case (.dictionary(let a), .dictionary(let b)):
        guard a.count == b.count else { return false }
        for (key, value) in a {
          guard let counterpart = b[key] else { return false }
          pairs.append((value, counterpart))
        }
      default:
        guard first == second else { return false }
      }
    }
    return true
  }
}
