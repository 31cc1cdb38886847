package import FoundationEssentials

extension [DictionaryEntry] {
  /// A dictionary with these entries as the bytes of a binary file. The keys are distinct.
  ///
  /// - Throws: as ``PropertyList/data(format:options:)``.
  /// - Complexity: O(*n*) in the size of the values.
  package func binaryData() throws(PropertyListError) -> Data {
    var writer = BinaryWriter()
    try walk(into: &writer, PropertyListWritingOptions())
    return try writer.finish()
  }

  /// A dictionary with these entries as the bytes of an XML file. The keys are distinct.
  ///
  /// - Throws: as ``PropertyList/data(format:options:)``.
  /// - Complexity: O(*n*) in the size of the values.
  package func xmlData(options: PropertyListWritingOptions) throws(PropertyListError) -> Data {
    var writer = XMLWriter(options)
    try walk(into: &writer, options)
    return writer.finish()
  }

  private func walk<Sink: PropertyListSink & ~Copyable>(
    into sink: inout Sink, _ options: PropertyListWritingOptions
  ) throws(PropertyListError) {
    try sink.beginDictionary(count: count)
    if Sink.takesKeysFirst {
      for entry in self { try sink.key(entry.key.utf8Span.rawBytes) }
    }
    for entry in self {
      if !Sink.takesKeysFirst { try sink.key(entry.key.utf8Span.rawBytes) }
      do throws(PropertyListError) {
        if let original = entry.original {
          try original.walk(into: &sink, options)
        } else {
          try entry.value.walk(into: &sink, sortsKeys: options.sortsKeys, depth: options.effectiveDepth - 1)
        }
      } catch {
        var error = error
        error.keyPath = PropertyListKeyPath([.key(entry.key)] + (error.keyPath?.components ?? []))
        throw error
      }
    }
    try sink.endDictionary()
  }
}
