import FoundationEssentials
import PropertyListTools
import PropertyLists

/// A check that finds the errors in a file. If the file has no errors, it finds parts that are valid, but probably
/// mistakes.
struct Linter: Sendable {
  let format: PropertyListFormat?
  let options: PropertyListReadingOptions
  /// The greatest number of errors, and of warnings, that are listed for a file.
  let limit: Int

  init(format: PropertyListFormat?, options: PropertyListReadingOptions, limit: Int) {
    self.format = format
    self.options = options
    // One more finding is requested to find out if there are more than the limit.
    self.limit = min(limit, .max - 1)
  }

  /// The findings about one file.
  struct Result {
    /// Errors, or else warnings, in the order of their positions.
    var findings: [Finding] = []
    /// True if there are more findings than are listed.
    var hasMore = false
    /// The document; nil if the file has defects.
    var document: PropertyListDocument?
  }

  func lint(_ data: Data) -> Result {
    var result = Result()
    do {
      let document = try PropertyListDocument(data, format: format, options: options)
      try document.validateWhole()
      result.document = document
      result.findings = warnings(data, document)
    } catch {
      let defects = PropertyListDocument.defects(in: data, format: format, options: options, limit: limit + 1)
      // No defects are found if the only error is that shared references exceed the limit for the expanded size.
      result.findings = (defects.isEmpty ? [error] : defects).map(Finding.init(defect:))
    }
    result.hasMore = result.findings.count > limit
    result.findings = Array(result.findings.prefix(limit))
    return result
  }

  private func warnings(_ data: Data, _ document: PropertyListDocument) -> [Finding] {
    var warnings = document.equivalentKeys(limit: limit + 1).map { Finding(.equivalentKeys, $0) }
    if options.duplicateKeys == .keepLast {
      var strict = options
      strict.duplicateKeys = .reject
      let defects = PropertyListDocument.defects(in: data, format: format, options: strict, limit: limit + 1)
      warnings += defects.filter { $0.kind == .duplicateKey }.map { Finding(.duplicateKeyKept, $0) }
    }
    if let traits = TextTraits(of: data, format: document.format) { warnings += self.warnings(traits, document.format) }
    return warnings.enumerated().sorted {
      ($0.element.defect.sortingPosition, $0.offset) < ($1.element.defect.sortingPosition, $1.offset)
    }.map(\.element)
  }

  private func warnings(_ traits: TextTraits, _ format: PropertyListFormat) -> [Finding] {
    var warnings: [Finding] = []
    func add(_ warning: Finding.Warning, _ message: String) {
      let start = PropertyListError.TextPosition(line: 1, column: 1)
      warnings.append(Finding(warning, PropertyListError(.malformed, message, byteOffset: 0, position: start)))
    }
    switch (format, traits.encoding.uppercased(), traits.hasByteOrderMark) {
    case (.json, "UTF-8", true): add(.byteOrderMark, "a byte order mark, which RFC 8259 does not allow in JSON")
    case (.json, "UTF-16", _), (.json, "UTF-32", _):
      add(.unusualEncoding, "\(traits.encoding), but RFC 8259 allows only UTF-8 for JSON")
    case (_, "UTF-16", false): add(.unusualEncoding, "UTF-16 without a byte order mark, which few readers recognize")
    case (_, "UTF-32", _): add(.unusualEncoding, "UTF-32, which few readers support")
    case (_, "UTF-8", _), (_, "UTF8", _), (_, "UTF-16", _), (_, "US-ASCII", _), (_, "ASCII", _): break
    default:
      add(.unusualEncoding, "\(traits.encoding.printable(limit: 80)), which not all readers support; use UTF-8")
    }
    if let change = traits.lineEndChange {
      let message = "a line that ends with \(change.lineEnd.rawValue), but the first line ends with "
      let defect = PropertyListError(
        .malformed, message + change.firstLineEnd.rawValue, byteOffset: change.start.byteOffset,
        position: change.start.position)
      warnings.append(Finding(.mixedLineEnds, defect))
    }
    return warnings
  }
}
