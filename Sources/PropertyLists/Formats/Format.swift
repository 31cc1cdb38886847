package import FoundationEssentials
internal import SystemFiles

/// What the library does in a format. Each format has one of these in its folder, and nothing else tells formats apart.
struct Format: Sendable {
  /// Makes the bytes of a file of a tree.
  let writeTree: @Sendable (PropertyList, PropertyListWritingOptions) throws(PropertyListError) -> Data
  /// As ``PropertyListDocument/Node/written(format:options:to:)``.
  let writeNode:
    @Sendable (PropertyListDocument.Node, PropertyListWritingOptions, FileOutput?) throws(PropertyListError) ->
      (rest: Data, fraction: PropertyListKeyPath?)
  /// Says whose dates lack fractions of a second, as in "XML has".
  let lackOfFractions: String
  /// What is only for texts; nil for the binary format.
  let text: TextFormat?
}

/// What the library does in a format that is text.
struct TextFormat: Sendable {
  /// Finds the encoding of an input, and makes UTF-8 of it, which is not checked.
  let decode: @Sendable (Data, inout FaultLog) throws(PropertyListError) -> TextSource
  /// Reads an input. With room in the log for more than one fault, it mends what is wrong.
  let read: @Sendable (Data, PropertyListReadingOptions, inout FaultLog) throws(PropertyListError) -> TextContent
  /// Writes a value, or a key, that is put into a text.
  let writeFragment:
    @Sendable (PropertyList, _ isKey: Bool, PropertyListWritingOptions, TextLayout) throws(PropertyListError) -> Data
}

extension PropertyListFormat {
  var format: Format {
    switch self {
    case .binary: .binary
    case .xml: .xml
    case .openStep: .openStep
    case .json: .json
    }
  }
}

/// What the editing and the recovery of texts need of their format.
extension PropertyListFormat {
  /// Reads an input for what is wrong with it. Nothing is, in the binary format, before values are asked for.
  package func findFaults(in data: Data, options: PropertyListReadingOptions, _ faults: inout FaultLog) {
    // What is thrown is in the log.
    _ = try? format.text?.read(data, options, &faults)
  }

  /// The text of a value, or of a key, that is put into a text; nil for the binary format.
  package func fragment(
    _ value: PropertyList, isKey: Bool, _ options: PropertyListWritingOptions, _ layout: TextLayout
  ) throws(PropertyListError) -> Data? {
    try format.text?.writeFragment(value, isKey, options, layout)
  }
}

extension PropertyListError {
  /// The error of a date with a fraction of a second, where a format has whole seconds only.
  package static func noFractions(in format: PropertyListFormat) -> PropertyListError {
    PropertyListError(.notRepresentable, "\(format.format.lackOfFractions) no fractions of a second")
  }
}
