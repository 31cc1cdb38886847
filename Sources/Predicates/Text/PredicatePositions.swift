/// The positions of the conditions and expressions of a predicate in its text.
///
/// It has the same structure as the predicate. The expression of an argument has the position of its placeholder, and
/// no parts.
package struct PredicatePositions: Sendable {
  /// The offset of the part in the text, in bytes. For an operator with two operands, the offset of the operator.
  package var offset: Int
  /// The positions of the parts of a condition or an expression, in the order of the tree. For a key path, the position
  /// of its operand comes first, then those of its keys.
  package var parts: [PredicatePositions] = []

  package init(offset: Int, parts: [PredicatePositions] = []) {
    self.offset = offset
    self.parts = parts
  }

  /// The positions of the part at an index. If the parts have no positions, as in an argument, the position of the
  /// whole.
  package subscript(index: Int) -> PredicatePositions {
    parts.indices.contains(index) ? parts[index] : PredicatePositions(offset: offset)
  }
}
