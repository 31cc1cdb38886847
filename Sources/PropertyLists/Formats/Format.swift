package import FoundationEssentials
internal import SystemFiles

/// The operations of one format. Each format defines one value of this type in its folder; no other code distinguishes
/// the formats.
struct Format: Sendable {
  /// The name of the format in messages.
  let name: String
  /// Returns a ``PropertyList`` as the bytes of a file.
  let writeTree: @Sendable (PropertyList, PropertyListWritingOptions) throws(PropertyListError) -> Data
  /// Writes a node of a document; see ``PropertyListDocument/Node/written(format:options:to:)``.
  let writeNode:
    @Sendable (PropertyListDocument.Node, PropertyListWritingOptions, FileOutput?) throws(PropertyListError) ->
      (rest: Data, fraction: PropertyListKeyPath?)
  /// The operations of text formats only; nil for the binary format.
  let text: TextFormat?
}

/// The operations of a text format.
struct TextFormat: Sendable {
  /// Returns the name of the encoding declared by a text without a byte order mark, or nil for UTF-8.
  let declaredEncoding: @Sendable (RawSpan) -> String?
  /// Reads a text that is not empty. If the log has room for more than one defect, the reader recovers from errors.
  let read: Reader
  /// Returns the text of a value or key that is inserted into an existing text.
  let writeFragment:
    @Sendable (PropertyList, _ isKey: Bool, PropertyListWritingOptions, TextLayout) throws(PropertyListError) -> Data

  typealias Reader =
    @Sendable (TextSource, PropertyListReadingOptions, inout DefectLog) throws(PropertyListError) -> TextContent
}

extension Format {
  /// Creates a text format.
  @inline(__always)
  init<Writer: TextWriter & ~Copyable>(
    _ writer: Writer.Type, declaredEncoding: @escaping @Sendable (RawSpan) -> String? = { _ in nil },
    read: @escaping TextFormat.Reader
  ) {
    self.init(
      name: Writer.formatName,
      writeTree: { value, options throws(PropertyListError) in
        try value.written(by: Writer(options, in: nil), options)
      },
      writeNode: { node, options, output throws(PropertyListError) in
        try node.written(by: Writer(options, in: nil), options, to: output)
      },
      text: TextFormat(
        declaredEncoding: declaredEncoding, read: read,
        writeFragment: { value, isKey, options, layout throws(PropertyListError) in
          var writer = Writer(options, in: layout)
          if isKey, case .string(let key) = value {
            try writer.keyAlone(key.utf8Span.rawBytes)
          } else {
            try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
          }
          return writer.finishFragment()
        }))
  }
}

extension TextFormat {
  /// Decodes an input and reads its text.
  func content(
    of data: Data, _ options: PropertyListReadingOptions, _ defects: inout DefectLog
  ) throws(PropertyListError) -> TextContent {
    let source = try decode(data, &defects)
    guard !source.text.isEmpty else { throw TextSource.empty }
    return try read(source, options, &defects)
  }

  /// Returns the text of an input as UTF-8. An input in UTF-8 is not validated.
  ///
  /// - Parameter defects: Receives an error for each invalid byte sequence. The text contains U+FFFD instead of the
  ///   sequence.
  func decode(_ data: Data, _ defects: inout DefectLog) throws(PropertyListError) -> TextSource {
    if let source = try UnicodeEncoding.decode(data, defects: &defects) { return source }
    guard let name = declaredEncoding(data.bytes) else { return TextSource(text: data) }
    return try XMLEncoding.decode(data, from: name, defects: &defects)
  }
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

  // The operations that editing and recovery need.

  /// Adds the errors of a text to a log. Adds nothing for the binary format, because its values are checked only when
  /// they are read.
  package func findDefects(in data: Data, options: PropertyListReadingOptions, _ defects: inout DefectLog) {
    // All thrown errors are also in the log, except the error for an empty input.
    _ = try? format.text?.content(of: data, options, &defects)
  }

  /// Returns the text of a value or key that is inserted into a text, or nil for the binary format.
  package func fragment(
    _ value: PropertyList, isKey: Bool, _ options: PropertyListWritingOptions, _ layout: TextLayout
  ) throws(PropertyListError) -> Data? {
    try format.text?.writeFragment(value, isKey, options, layout)
  }
}

extension PropertyListError {
  /// Returns the error for a date with a fraction of a second in a format that has only whole seconds.
  package static func noFractions(in format: PropertyListFormat) -> PropertyListError {
    notRepresentable(fractions, in: format.format.name)
  }
}
