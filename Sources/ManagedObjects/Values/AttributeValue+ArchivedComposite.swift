internal import FoundationEssentials
internal import KeyedArchiving
internal import Predicates

extension AttributeValue {
  /// The archive of the value of a composite attribute. Equal values have equal archives.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value that no archive can have.
  func archivedComposite() throws(ManagedObjectError) -> Data {
    do { return try KeyedArchiver.archivedData(withRootObject: archivedValue) } catch {
      throw ManagedObjectError(.invalidValue, "the value of a composite attribute cannot be archived: \(error)")
    }
  }
}
