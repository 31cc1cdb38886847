public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension PropertyListDocument {
  /// Returns all errors of an input, not only the first one that a reader finds.
  ///
  /// ```swift
  /// for defect in PropertyListDocument.defects(in: data) { print(defect) }
  /// ```
  ///
  /// The result is empty if and only if the input can be read and passes ``PropertyListDocument/validate()``. It
  /// includes the error that a reader throws. To find the others, each error is corrected in the most likely way: a
  /// missing tag or punctuation mark is assumed to be there, an invalid value is treated as some value, and errors that
  /// only follow from an earlier one are omitted. Therefore an error can hide others, which appear after it has been
  /// corrected.
  ///
  /// - Parameters:
  ///   - data: The whole input.
  ///   - format: The format of the input, or nil to detect it from its beginning.
  ///   - limit: The maximum number of errors. If the result has that many, there may be more.
  /// - Returns: The errors in the order of their positions. Those without a position are last.
  /// - Complexity: O(*n*) in the length of the input, and O(*d*) for each error, in its depth.
  public static func defects(
    in data: Data, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions(), limit: Int = 100
  ) -> [PropertyListError] {
    guard limit > 0 else { return [] }
    let defects = defectLog(of: data, format: format, options: options, limit: limit).defects
    return defects.enumerated().sorted {
      ($0.element.sortingPosition, $0.offset) < ($1.element.sortingPosition, $1.offset)
    }.map(\.element)
  }

  /// Returns the errors of an input in the order of their discovery.
  static func defectLog(
    of data: Data, format: PropertyListFormat?, options: PropertyListReadingOptions, limit: Int
  ) -> DefectLog {
    var defects = DefectLog(limit: limit)
    do {
      let document = try PropertyListDocument(data, format: format, options: options)
      document.validate(&defects)
    } catch {
      // The error that stopped the reader of a text format is found again, with all others.
      list(&defects, in: data, format ?? PropertyListFormat(detecting: data.bytes), options)
      if defects.defects.isEmpty { defects.add(error) }
    }
    return defects
  }

  private static func list(
    _ defects: inout DefectLog, in data: Data, _ format: PropertyListFormat?, _ options: PropertyListReadingOptions
  ) {
    guard !data.isEmpty, (try? options.limits.check(inputSize: data.count)) != nil else { return }
    format?.findDefects(in: data, options: options, &defects)
  }
}

extension PropertyListError {
  /// The sort key of an error: its line and column, else its byte offset. Errors without either are last.
  package var sortingPosition: SortingPosition {
    if let position { return SortingPosition(line: position.line, column: position.column, offset: byteOffset ?? 0) }
    return SortingPosition(line: byteOffset == nil ? .max : 0, column: 0, offset: byteOffset ?? 0)
  }

  package struct SortingPosition: Comparable {
    fileprivate let line: Int
    fileprivate let column: Int
    fileprivate let offset: Int

    package static func < (first: SortingPosition, second: SortingPosition) -> Bool {
      (first.line, first.column, first.offset) < (second.line, second.column, second.offset)
    }
  }
}
