internal import FoundationEssentials
internal import KeyedArchiving
internal import Predicates

extension AttributeValue {
  /// Returns the keyed archive of a composite value. Equal values have equal archives.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value that cannot be archived.
  func archivedComposite() throws(ManagedObjectError) -> Data {
    do { return try KeyedArchiver.archivedData(withRootObject: archivedValue) } catch {
      throw ManagedObjectError(.invalidValue, "the value of a composite attribute cannot be archived: \(error)")
    }
  }
}
