package import FoundationEssentials

extension [DictionaryEntry] {
  /// Returns a binary or XML property list whose root is a dictionary with these entries. The keys must be distinct.
  package func data(
    asXML: Bool, _ options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    asXML ? try written(by: XMLWriter(options), options) : try written(by: BinaryWriter(), options)
  }

  private func written<Writer: FileWriter & ~Copyable>(
    by writer: consuming Writer, _ options: PropertyListWritingOptions
  ) throws(PropertyListError) -> Data {
    var writer = writer
    try walk(into: &writer, options)
    return try writer.finish()
  }

  private func walk<Sink: PropertyListSink & ~Copyable>(
    into sink: inout Sink, _ options: PropertyListWritingOptions
  ) throws(PropertyListError) {
    try sink.beginDictionary(count: count)
    if Sink.takesKeysFirst {
      for entry in self { try sink.key(entry.key.utf8Span.rawBytes) }
    }
    for entry in self {
      do {
        if !Sink.takesKeysFirst { try sink.key(entry.key.utf8Span.rawBytes) }
        if let original = entry.original {
          try original.walk(into: &sink, options)
        } else {
          try entry.value.walk(into: &sink, sortsKeys: options.sortsKeys, depth: options.effectiveDepth - 1)
        }
      } catch {
        throw error.below([.key(entry.key)])
      }
    }
    try sink.endDictionary()
  }
}
