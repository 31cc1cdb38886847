/// The positions of the conditions and expressions of a predicate in its text.
///
/// It has the form of the tree. What an argument stands for is all at the position of the argument, and has no parts.
package struct PredicatePositions: Sendable {
  /// The number of bytes before the text of the part; of an operator with two sides, before the operator.
  package var offset: Int
  /// The positions of the parts of a condition or an expression, in the order of the tree. Of a key path, the position
  /// of what it begins at, then those of its keys.
  package var parts: [PredicatePositions] = []

  package init(offset: Int, parts: [PredicatePositions] = []) {
    self.offset = offset
    self.parts = parts
  }

  /// The position of a part.
  package subscript(index: Int) -> PredicatePositions {
    parts.indices.contains(index) ? parts[index] : PredicatePositions(offset: offset)
  }
}
