public import FoundationEssentials
internal import PropertyLists

/// Source files of models: the file `contents` in an `.xcdatamodel`, as Xcode's editor writes it.
extension ManagedObjectModel {
  /// Reads the file `contents` of an `.xcdatamodel`.
  ///
  /// - Throws: ``ManagedObjectModelError/source(_:)`` with the line and the column,
  ///   ``ManagedObjectModelError/invalid(_:)``.
  /// - Complexity: O(*n*) in the length of the file.
  public convenience init(source data: Data) throws(ManagedObjectModelError) {
    try self.init(Self.contents(ofSource: data))
  }

  static func contents(ofSource data: Data) throws(ManagedObjectModelError) -> Contents {
    do throws(PropertyListError) {
      return try SourceModelReader(data).contents()
    } catch {
      throw .source(error)
    }
  }

  /// The file `contents` of an `.xcdatamodel` for this model.
  ///
  /// - Throws: ``ManagedObjectModelError/source(_:)`` for what source files have no form for: default values that are
  ///   data or objects, validations other than limits and patterns, the order of fetch requests.
  public func sourceData() throws(ManagedObjectModelError) -> Data {
    do throws(PropertyListError) {
      return try SourceModelWriter.data(self)
    } catch {
      throw .source(error)
    }
  }
}
