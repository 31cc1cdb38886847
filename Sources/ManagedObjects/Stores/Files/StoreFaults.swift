/// Gets what is wrong with relationships in a file, where that is to be told and is no error.
final class StoreFaults {
  /// A reference that leads where it should not.
  struct Fault {
    enum Kind {
      /// The object is not in the file.
      case missing
      /// The object is of an entity that the relationship does not lead to.
      case wrongEntity
      /// The object refers back to another one.
      case brokenInverse
    }

    let kind: Kind
    let key: RowKey
    /// The place of the relationship in the row.
    let slot: Int
    let message: String
  }

  let report: (Fault) -> Void

  init(_ report: @escaping (Fault) -> Void) { self.report = report }
}
