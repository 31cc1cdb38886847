package import FoundationEssentials

extension PropertyList: CustomDebugStringConvertible {
  /// A human-readable form of the value, on several lines if it is a container. The form may change between versions.
  /// To get a text that you can read again, use ``data(format:options:)``.
  public var debugDescription: String { description(DescriptionOptions()) }

  /// The human-readable form of the value, on one line.
  package var line: String {
    var options = DescriptionOptions()
    options.isOnOneLine = true
    return description(options)
  }

  /// The beginning of ``line``, for messages.
  package var summary: String { line.printable(limit: 80) }

  private func description(_ options: DescriptionOptions) -> String {
    var writer = DescriptionWriter(options)
    do { try walk(into: &writer, sortsKeys: false, depth: ParsingLimits.greatestDepth) } catch { return "<\(error)>" }
    return String(decoding: writer.finish().dropLast(), as: UTF8.self)
  }
}

extension PropertyListDocument.Node: CustomDebugStringConvertible {
  /// A human-readable form like ``PropertyList/debugDescription``, or the error if a binary document cannot be read.
  public var debugDescription: String {
    do { return String(decoding: try readableForm().dropLast(), as: UTF8.self) } catch { return "<\(error)>" }
  }

  /// Returns the human-readable form of the value, in UTF-8 and with a line end.
  package func readableForm(_ options: DescriptionOptions = DescriptionOptions()) throws(PropertyListError) -> Data {
    var writer = DescriptionWriter(options)
    try walk(
      into: &writer, PropertyListWritingOptions(sortsKeys: options.sortsKeys, depth: ParsingLimits.greatestDepth))
    return writer.finish()
  }

  /// Returns the value in the form that tools for iOS devices print, in UTF-8 and with a line end; see
  /// ``OutlineWriter``.
  package func outline(sortsKeys: Bool) throws(PropertyListError) -> Data {
    var writer = OutlineWriter()
    try walk(into: &writer, PropertyListWritingOptions(sortsKeys: sortsKeys, depth: ParsingLimits.greatestDepth))
    return writer.finish()
  }
}
