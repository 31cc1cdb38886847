public import FoundationEssentials
package import SystemFiles

extension PropertyList {
  /// This value as the bytes of a file.
  ///
  /// The same value gives the same bytes, always.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` with the key path of a value that the format cannot hold;
  ///   ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the size of the value; sorting the keys of a dictionary of *k* adds O(*k* log *k*).
  public func data(
    format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    try format.format.writeTree(self, options)
  }

  /// Writes this value to a file, in one step: whoever opens the file finds what was there before or all of what is
  /// there now, and what was there is kept if anything fails.
  ///
  /// The permissions of an existing file are kept, and a symbolic link is followed to the file it names.
  ///
  /// - Throws: what ``data(format:options:)`` throws, and ``PropertyListError/Kind/inputOutput(errno:)``.
  /// - Complexity: as ``data(format:options:)``.
  public func write(
    to url: URL, format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) {
    try data(format: format, options: options).replaceFile(at: url)
  }
}

extension PropertyListDocument.Node {
  /// The part of the document below this node as the bytes of a file, made without a tree in between.
  ///
  /// - Throws: as ``PropertyList/data(format:options:)``, and what is wrong with a binary document below the node.
  /// - Complexity: O(*n*) in the size of the value.
  public func data(
    format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    try written(format: format, options: options).rest
  }

  /// Writes ``data(format:options:)`` to a file, text formats piece by piece. Returns the path of the first date with a
  /// fraction of a second, which the format may have dropped.
  @discardableResult
  package func write(
    to output: FileOutput, format: PropertyListFormat, options: PropertyListWritingOptions
  ) throws(PropertyListError) -> PropertyListKeyPath? {
    let (rest, fraction) = try written(format: format, options: options, to: output)
    try PropertyListError.converting(output.write(rest))
    return fraction
  }

  /// The bytes in a format that are not in `output` yet, to which text formats go piece by piece, and the path of the
  /// first date with a fraction of a second.
  package func written(
    format: PropertyListFormat, options: PropertyListWritingOptions, to output: FileOutput? = nil
  ) throws(PropertyListError) -> (rest: Data, fraction: PropertyListKeyPath?) {
    try format.format.writeNode(self, options, output)
  }

  /// - Returns: the path of the first date that has a fraction of a second.
  @discardableResult
  func walk<Sink: PropertyListSink & ~Copyable>(
    into sink: inout Sink, _ options: PropertyListWritingOptions, output: FileOutput? = nil
  ) throws(PropertyListError) -> PropertyListKeyPath? {
    let bytes = document.bytes
    switch document.index {
    case .binary(let layout):
      var walker = DocumentWalker(layout, document, options, output: output)
      try walker.walk(flat, into: &sink, in: bytes)
      return walker.fraction
    case .table(let table):
      var walker = DocumentWalker(table, document, options, output: output)
      try walker.walk(flat, into: &sink, in: bytes)
      return walker.fraction
    }
  }
}

/// How the formats write: the value goes through a writer.
extension PropertyList {
  func written<Writer: FileWriter & ~Copyable>(
    by writer: consuming Writer, _ options: PropertyListWritingOptions
  ) throws(PropertyListError) -> Data {
    var writer = writer
    try walk(into: &writer, sortsKeys: options.sortsKeys, depth: options.effectiveDepth)
    return try writer.finish()
  }
}

extension PropertyListDocument.Node {
  /// - Parameter output: as ``written(format:options:to:)`` has it.
  func written<Writer: FileWriter & ~Copyable>(
    by writer: consuming Writer, _ options: PropertyListWritingOptions, to output: FileOutput?
  ) throws(PropertyListError) -> (rest: Data, fraction: PropertyListKeyPath?) {
    var writer = writer
    let fraction = try walk(into: &writer, options, output: output)
    return (try writer.finish(), fraction)
  }
}
