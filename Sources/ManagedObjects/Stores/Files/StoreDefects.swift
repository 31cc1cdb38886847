internal import Predicates

/// A receiver of the defects of relationships in a file. Reading a file with a receiver reports these defects instead
/// of throwing the first one.
package final class StoreDefects {
  /// A missing or contradictory reference of a row.
  package struct Defect {
    package enum Kind {
      /// The row refers to an object that is not in the file.
      case missing
      /// The row refers to an object whose entity is not the destination entity of the relationship.
      case wrongEntity
      /// Objects refer to the row, but the row's inverse to-one relationship refers to a different object, or cannot
      /// refer to all of them.
      case brokenInverse
    }

    package let kind: Kind
    package let key: RowKey
    /// The slot of the relationship in the row with the ``key``.
    package let slot: Int
    package let message: String
  }

  let report: (Defect) -> Void

  package init(_ report: @escaping (Defect) -> Void) { self.report = report }
}
