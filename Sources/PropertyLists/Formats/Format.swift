package import FoundationEssentials
internal import SystemFiles

/// What the library does in a format. Each format has one of these in its folder, and nothing else tells formats apart.
struct Format: Sendable {
  /// The name in messages.
  let name: String
  /// Makes the bytes of a file of a tree.
  let writeTree: @Sendable (PropertyList, PropertyListWritingOptions) throws(PropertyListError) -> Data
  /// As ``PropertyListDocument/Node/written(format:options:to:)``.
  let writeNode:
    @Sendable (PropertyListDocument.Node, PropertyListWritingOptions, FileOutput?) throws(PropertyListError) ->
      (rest: Data, fraction: PropertyListKeyPath?)
  /// What is only for texts; nil for the binary format.
  let text: TextFormat?
}

/// What the library does in a format that is text.
struct TextFormat: Sendable {
  /// The name of the encoding that a text without a byte order mark declares; nil for UTF-8.
  let declaredEncoding: @Sendable (RawSpan) -> String?
  /// Reads a text that isn't empty. With room in the log for more than one defect, it mends what is wrong.
  let read: Reader
  /// Writes a value, or a key, that is put into a text.
  let writeFragment:
    @Sendable (PropertyList, _ isKey: Bool, PropertyListWritingOptions, TextLayout) throws(PropertyListError) -> Data

  typealias Reader =
    @Sendable (TextSource, PropertyListReadingOptions, inout DefectLog) throws(PropertyListError) -> TextContent
}

extension Format {
  /// A format that is text.
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
  /// Reads an input: its encoding, then its text.
  func content(
    of data: Data, _ options: PropertyListReadingOptions, _ defects: inout DefectLog
  ) throws(PropertyListError) -> TextContent {
    let source = try decode(data, &defects)
    guard !source.text.isEmpty else { throw TextSource.empty }
    return try read(source, options, &defects)
  }

  /// The text of an input in UTF-8, whose own UTF-8 isn't checked.
  ///
  /// - Parameter defects: gets the bytes that are not in the encoding; the text has U+FFFD instead.
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

  // What the editing and the recovery of texts need of their format.

  /// Reads an input for what is wrong with it. Nothing is, in the binary format, before values are asked for.
  package func findDefects(in data: Data, options: PropertyListReadingOptions, _ defects: inout DefectLog) {
    // What is thrown is in the log, but for an empty input.
    _ = try? format.text?.content(of: data, options, &defects)
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
    notRepresentable(fractions, in: format.format.name)
  }
}
