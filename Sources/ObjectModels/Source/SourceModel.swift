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
    do { return try SourceModelReader(data).contents() } catch { throw .source(error) }
  }

  /// The file `contents` of an `.xcdatamodel` for this model.
  ///
  /// - Parameter convertingUserInfo: called with a text for each value of a user info that is not text, which is
  ///   written as text then; nil if such a value is an error, because source files have texts only.
  /// - Throws: ``ManagedObjectModelError/source(_:)`` for what source files have no form for: default values that are
  ///   data or objects, validations other than limits and patterns, the order of fetch requests.
  public func sourceData(convertingUserInfo report: ((String) -> Void)? = nil) throws(ManagedObjectModelError) -> Data {
    do { return try SourceModelWriter.data(self, convertingUserInfo: report) } catch { throw .source(error) }
  }
}
