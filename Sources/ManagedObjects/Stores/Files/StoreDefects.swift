internal import Predicates

/// Gets what is wrong with relationships in a file, where that is to be told and is no error.
package final class StoreDefects {
  /// A reference that leads where it should not.
  package struct Defect {
    package enum Kind {
      /// The object is not in the file.
      case missing
      /// The object is of an entity that the relationship does not lead to.
      case wrongEntity
      /// The object refers back to another one.
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
