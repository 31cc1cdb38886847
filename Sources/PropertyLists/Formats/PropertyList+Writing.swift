public import FoundationEssentials
package import SystemFiles

extension PropertyList {
  /// Returns this value as the bytes of a file.
  ///
  /// ```swift
  /// let note: PropertyList = ["title": "Groceries", "tags": ["home", "weekly"]]
  /// let file = try note.data(format: .binary)
  /// let json = try note.data(format: .json, options: PropertyListWritingOptions(isCompact: true))
  /// // {"title":"Groceries","tags":["home","weekly"]}
  /// ```
  ///
  /// Equal values always produce the same bytes.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` with the key path of a value that the format cannot
  ///   represent; ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the size of the value; sorting the keys of a dictionary of *k* adds O(*k* log *k*).
  public func data(
    format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    try format.format.writeTree(self, options)
  }

  /// Writes this value to a file atomically: readers of the file see either the old or the complete new contents. The
  /// old contents are kept if an error is thrown.
  ///
  /// The permissions of an existing file are kept. A symbolic link is followed, and its target is replaced.
  ///
  /// - Throws: The errors of ``data(format:options:)``, and ``PropertyListError/Kind/inputOutput(errno:)``.
  /// - Complexity: See ``data(format:options:)``.
  public func write(
    to url: URL, format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) {
    try data(format: format, options: options).replaceFile(at: url)
  }
}

extension PropertyListDocument.Node {
  /// Returns this node, with all values in it, as the bytes of a file. No ``PropertyList`` is created.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// let xml = try document.root.data(format: .xml)
  /// ```
  ///
  /// - Throws: The errors of ``PropertyList/data(format:options:)``, and the errors of a binary document below the
  ///   node.
  /// - Complexity: O(*n*) in the size of the value.
  public func data(
    format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    try written(format: format, options: options).rest
  }

  /// Writes ``data(format:options:)`` to a file. Text formats are written in pieces.
  ///
  /// - Returns: The key path of the first date with a fraction of a second; nil if no date has one. The format may have
  ///   dropped the fraction.
  @discardableResult
  package func write(
    to output: FileOutput, format: PropertyListFormat, options: PropertyListWritingOptions
  ) throws(PropertyListError) -> PropertyListKeyPath? {
    let (rest, fraction) = try written(format: format, options: options, to: output)
    try PropertyListError.converting(output.write(rest))
    return fraction
  }

  /// Writes this node in a format. Text formats write pieces to `output` as they become ready.
  ///
  /// - Returns: The bytes that are not yet in `output`, and the key path of the first date with a fraction of a second;
  ///   nil if no date has one.
  package func written(
    format: PropertyListFormat, options: PropertyListWritingOptions, to output: FileOutput? = nil
  ) throws(PropertyListError) -> (rest: Data, fraction: PropertyListKeyPath?) {
    try format.format.writeNode(self, options, output)
  }

  /// Passes this node and all values in it to a sink.
  ///
  /// - Returns: The key path of the first date with a fraction of a second; nil if no date has one.
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

/// Functions that write with the writer of a format.
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
  /// Writes this node with the writer of a format; see ``written(format:options:to:)``.
  func written<Writer: FileWriter & ~Copyable>(
    by writer: consuming Writer, _ options: PropertyListWritingOptions, to output: FileOutput?
  ) throws(PropertyListError) -> (rest: Data, fraction: PropertyListKeyPath?) {
    var writer = writer
    let fraction = try walk(into: &writer, options, output: output)
    return (try writer.finish(), fraction)
  }
}
