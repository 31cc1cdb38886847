public import FoundationEssentials
internal import SystemFiles

extension PropertyListDocument {
  /// Reads a property list.
  ///
  /// - Parameters:
  ///   - data: The whole input. The document retains it without copying it.
  ///   - format: The format of the input, or nil to detect it from its beginning.
  /// - Throws: ``PropertyListError``, such as ``PropertyListError/Kind/unknownFormat`` if no format is detected,
  ///   ``PropertyListError/Kind/malformed``, and the errors of ``ParsingLimits``. For a binary property list, only
  ///   errors in its header, its trailer and its root are thrown here.
  /// - Complexity: O(1) for the binary format, O(*n*) in the length of the input for the others.
  public convenience init(
    _ data: Data, format: PropertyListFormat? = nil, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try options.limits.check(inputSize: data.count)
    guard !data.isEmpty else {
      var error = TextSource.empty
      if format == nil || format == .binary { error.position = nil }
      throw error
    }
    guard let format = format ?? PropertyListFormat(detecting: data.bytes) else {
      throw PropertyListError(.unknownFormat, Self.message(ofUnknown: data.bytes), byteOffset: 0)
    }
    guard let text = format.format.text else {
      let layout = try BinaryLayout(data.bytes)
      let root = try layout.node(at: layout.topObject, in: data.bytes)
      self.init(format, options, data, .binary(layout), rootIndex: layout.topObject, root)
      return
    }
    var defects = DefectLog.first
    self.init(try text.content(of: data, options, &defects), format, options, input: data)
  }

  private static func message(ofUnknown bytes: RawSpan) -> String {
    guard let encoding = bytes.encodingOfSignedMessage else {
      return "not a property list: expected binary, XML, OpenStep or JSON"
    }
    return "a signed message (CMS), such as a .mobileprovision file; to read the property list in it: "
      + "openssl cms -verify -noverify -inform \(encoding) -in FILE"
  }

  /// Reads a file into memory and parses it.
  ///
  /// - Throws: ``PropertyListError/Kind/inputOutput(errno:)``, and the errors of ``init(_:format:options:)``.
  /// - Complexity: O(*n*) in the length of the file.
  public convenience init(
    contentsOf url: URL, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    let path = try url.filePath
    let data = try PropertyListError.converting(FileSystem.read(path, limit: options.limits.inputSize))
    try self.init(data, format: format, options: options)
  }

  /// Maps a file into memory and parses it. Of a large binary property list, only the pages that you access are loaded.
  ///
  /// ```swift
  /// let catalog = try PropertyListDocument(mapping: url)
  /// let product = try catalog.root.descendant(at: PropertyListKeyPath("products.41207"))
  /// ```
  ///
  /// - Important: If the file is shortened while the document is in use, the operating system ends the process. Map
  ///   only files that no other program writes to, or that are replaced as a whole, as this package does. Read all
  ///   others with ``init(contentsOf:format:options:)``.
  /// - Throws: ``PropertyListError/Kind/inputOutput(errno:)``, and the errors of ``init(_:format:options:)``.
  /// - Complexity: See ``init(_:format:options:)``.
  public convenience init(
    mapping url: URL, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    let path = try url.filePath
    let data = try PropertyListError.converting(FileSystem.map(path))
    try self.init(data, format: format, options: options)
  }
}

extension RawSpan {
  /// The encoding of a message that is signed with the Cryptographic Message Syntax (RFC 5652), with the name that
  /// `openssl` has for it. Nil if the bytes are not such a message.
  fileprivate var encodingOfSignedMessage: String? {
    if starts(with: "-----BEGIN PKCS7-----") || starts(with: "-----BEGIN CMS-----") { return "PEM" }
    // A sequence whose first element is the object identifier 1.2.840.113549.1.7.2, id-signedData.
    let identifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    guard byteCount > 24, self[0] == 0x30 else { return nil }
    // A length byte below 0x80 is the length itself. 0x80 means an indefinite length. Higher values count the length
    // bytes.
    let start = self[1] > 0x80 ? 2 + Int(self[1] & 0x7F) : 2
    guard start + identifier.count <= byteCount else { return nil }
    return extracting(start..<start + identifier.count).hasSameBytes(as: identifier.rawBytes) ? "DER" : nil
  }
}
