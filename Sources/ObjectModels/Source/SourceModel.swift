public import FoundationEssentials
internal import PropertyLists

/// Functions that read and write source files of models: the `contents` file in an `.xcdatamodel`, in the form of
/// Xcode's editor.
extension ManagedObjectModel {
  /// Reads the `contents` file of an `.xcdatamodel`.
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

  /// Returns the `contents` file of an `.xcdatamodel` for this model.
  ///
  /// ```swift
  /// let contents = try model.sourceData { message in print("warning:", message) }
  /// try contents.write(to: URL(filePath: "Notes.xcdatamodel/contents"), options: .atomic)
  /// ```
  ///
  /// - Parameter report: Called with a message for each user-info value that is not a string, which is then
  ///   written as a string. If nil, such a value is an error, because source files contain only strings.
  /// - Throws: ``ManagedObjectModelError/source(_:)`` for parts that have no form in source files: default values that
  ///   are data or objects, validations other than limits and patterns, the order of fetch requests.
  public func sourceData(convertingUserInfo report: ((String) -> Void)? = nil) throws(ManagedObjectModelError) -> Data {
    do { return try SourceModelWriter.data(self, convertingUserInfo: report) } catch { throw .source(error) }
  }
}
