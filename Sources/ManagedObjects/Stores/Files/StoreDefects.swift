internal import Predicates

/// Receives the defects of relationships in a file, when they are reported instead of thrown.
package final class StoreDefects {
  /// A reference to the wrong object.
  package struct Defect {
    package enum Kind {
      /// The object is not in the file.
      case missing
      /// The entity of the object does not fit the relationship.
      case wrongEntity
      /// The object refers back to a different object.
      case brokenInverse
    }

    package let kind: Kind
    package let key: RowKey
    /// The slot of the relationship in the row.
    package let slot: Int
    package let message: String
  }

  let report: (Defect) -> Void

  package init(_ report: @escaping (Defect) -> Void) { self.report = report }
}
