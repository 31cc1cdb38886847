public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension PropertyListDocument {
  /// Everything that is wrong with an input, and not only what a reader meets first.
  ///
  /// ```swift
  /// for defect in PropertyListDocument.defects(in: data) { print(defect) }
  /// ```
  ///
  /// There are none exactly if the input can be read, and passes ``validate()``. The error that a reader throws is one
  /// of them. For the others, what is wrong is mended in the way that is most likely meant: a tag or a mark that is
  /// missing counts as if it were there, what is no value counts as some value, and what only follows from a defect
  /// before it is left out. So a defect can hide others, which come to light when it is corrected.
  ///
  /// - Parameters:
  ///   - data: the whole input.
  ///   - format: the format of the input; nil to go by how it begins.
  ///   - limit: how many defects are listed at most. Where there are as many as that, there may be more.
  /// - Returns: the defects in the order of their positions; those without a position last.
  /// - Complexity: O(*n*) in the length of the input, and O(*d*) for each defect, in the depth at which it stands.
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

  /// The defects of an input in the order in which its reader finds them.
  static func defectLog(
    of data: Data, format: PropertyListFormat?, options: PropertyListReadingOptions, limit: Int
  ) -> DefectLog {
    var defects = DefectLog(limit: limit)
    do {
      let document = try PropertyListDocument(data, format: format, options: options)
      document.validate(&defects)
    } catch {
      // What the reader of a text format stopped at is found again, with all the rest.
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
  /// What errors are put in order by: the line and column if it has them, else the byte; without either, it is last.
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
