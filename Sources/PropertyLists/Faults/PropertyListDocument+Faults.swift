public import FoundationEssentials

extension PropertyListDocument {
  /// Everything that is wrong with an input, and not only what a reader meets first.
  ///
  /// ```swift
  /// for fault in PropertyListDocument.faults(in: data) { print(fault) }
  /// ```
  ///
  /// There are none exactly if the input can be read, and passes ``validate()``. The error that a reader throws is one
  /// of them. For the others, what is wrong is mended in the way that is most likely meant: a tag or a mark that is
  /// missing counts as if it were there, what is no value counts as some value, and what only follows from a fault
  /// before it is left out. So a fault can hide others, which come to light when it is corrected.
  ///
  /// - Parameters:
  ///   - data: the whole input.
  ///   - format: the format of the input; nil to go by how it begins.
  ///   - limit: how many faults are listed at most. Where there are as many as that, there may be more.
  /// - Returns: the faults in the order of their places; those without a place last.
  /// - Complexity: O(*n*) in the length of the input, and O(*d*) for each fault, in the depth at which it stands.
  public static func faults(
    in data: Data, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions(), limit: Int = 100
  ) -> [PropertyListError] {
    guard limit > 0 else { return [] }
    let faults = faultLog(of: data, format: format, options: options, limit: limit).faults
    return faults.enumerated().sorted { first, second in
      let (place, other) = (first.element.sortingPlace, second.element.sortingPlace)
      return (place.0, place.1, first.offset) < (other.0, other.1, second.offset)
    }.map(\.element)
  }

  /// The faults of an input in the order in which its reader finds them.
  static func faultLog(
    of data: Data, format: PropertyListFormat?, options: PropertyListReadingOptions, limit: Int
  ) -> FaultLog {
    var faults = FaultLog(limit: limit)
    do throws(PropertyListError) {
      let document = try PropertyListDocument(data, format: format, options: options)
      guard case .binary(let layout) = document.index else { return faults }
      BinaryValidator.validate(layout, document.bytes, limits: options.limits, faults: &faults)
    } catch {
      // What the reader of a text format stopped at is found again, with all the rest.
      list(&faults, in: data, format ?? PropertyListFormat(detecting: data.bytes), options)
      if faults.faults.isEmpty { faults.add(error) }
    }
    return faults
  }

  private static func list(
    _ faults: inout FaultLog, in data: Data, _ format: PropertyListFormat?, _ options: PropertyListReadingOptions
  ) {
    guard !data.isEmpty, (try? options.limits.check(inputSize: data.count)) != nil else { return }
    do throws(PropertyListError) {
      switch format {
      case .xml: try XMLReader.read(data, options: options, faults: &faults)
      case .openStep: _ = try OpenStepReader.read(data, options: options, faults: &faults)
      case .json: _ = try JSONReader.read(data, options: options, faults: &faults)
      case .binary, nil: break
      }
    } catch {
      // It is in the list.
    }
  }
}

extension PropertyListError {
  /// By the line and column if it has them, else by the byte; without either, at the end.
  fileprivate var sortingPlace: (Int, Int) {
    if let position { return (position.line, position.column) }
    return byteOffset.map { (0, $0) } ?? (.max, 0)
  }
}
