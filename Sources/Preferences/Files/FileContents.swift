internal import FoundationEssentials
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// The contents of a preferences file, and its state when they were read.
struct FileContents {
  typealias Parsed = (entries: DomainEntries, format: PropertyListFormat)

  let data: Data
  let identity: FileIdentity
  /// The saved state that ``data`` belongs to, or an earlier one; nil if it is unknown.
  let generation: FileGeneration?
  /// The entries, or the error of parsing; nil if the caller knew the bytes already.
  let parsed: Result<Parsed, PropertyListError>?

  /// True if the file cannot be parsed, and a program that writes it in place may not have finished.
  let isUnfinished: Bool

  /// The greatest size of a file that is read, in bytes.
  static let limit = ParsingLimits().inputSize

  /// Returns the contents of the file at a path; nil if it does not exist.
  ///
  /// - Parameter isKnown: returns true for bytes that the caller knows, and that are not parsed.
  static func read(
    _ path: String, until deadline: ContinuousClock.Instant, unless isKnown: (Data) -> Bool = { _ in false }
  ) throws(PropertyListError) -> FileContents? {
    try read(
      until: deadline, unless: isKnown, generation: { LastSave.generation(of: path) },
      bytes: { () throws(FileError) in try FileSystem.readRegularFile(path, limit: limit) })
  }

  /// Returns the contents of a locked file.
  ///
  /// - Parameter generation: the generation of the state that was last saved to the file.
  static func read(
    _ file: inout LockedFile, _ generation: FileGeneration?, until deadline: ContinuousClock.Instant
  ) throws(PropertyListError) -> FileContents? {
    try read(
      until: deadline, generation: { generation },
      bytes: { () throws(FileError) in (try file.read(limit: limit), file.identity) })
  }

  /// Reads and parses contents. If another program is writing the file in place, as Foundation does, waits until the
  /// file is complete, or until the deadline.
  private static func read(
    until deadline: ContinuousClock.Instant, unless isKnown: (Data) -> Bool = { _ in false },
    generation: () -> FileGeneration?, bytes: () throws(FileError) -> (data: Data, identity: FileIdentity)?
  ) throws(PropertyListError) -> FileContents? {
    while true {
      // Read before the bytes, so that the bytes are from this state or a later one.
      let before = generation()
      guard let (data, identity) = try PropertyListError.converting(bytes) else { return nil }
      // If an unreadable file was replaced meanwhile, the bytes may be those of the old or the new file.
      if generation()?.hasLoss(since: before) == true { continue }
      let parsed =
        isKnown(data) ? nil : Result<Parsed, PropertyListError> { () throws(PropertyListError) in try parse(data) }
      var isUnfinished = false
      if case .failure = parsed { isUnfinished = identity.mayBeIncomplete }
      guard isUnfinished, ContinuousClock.now < deadline else {
        return FileContents(
          data: data, identity: identity, generation: before, parsed: parsed, isUnfinished: isUnfinished)
      }
      usleep(20_000)
    }
  }

  /// The beginning of files that Foundation wrote. In these files, control characters and carriage returns are part of
  /// the values. In all other files, control characters are errors, and carriage returns are line ends.
  private static let foundationXML = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC".utf8)

  /// Parses the bytes of a file. An empty file is damaged: no program saves one.
  static func parse(_ data: Data) throws(PropertyListError) -> Parsed {
    if data.isEmpty { throw PropertyListError(.malformed, "the file is empty") }
    // Like in Apple's reader, dictionaries that look like UIDs stay dictionaries, and the last value of a duplicate key
    // is used. Otherwise, the program would get no values at all.
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, duplicateKeys: .keepLast)
    // JSON is not a format for preferences. A file that begins like JSON may be an empty OpenStep dictionary, but
    // nothing else.
    let format = PropertyListFormat(detecting: data.bytes)
    // Foundation writes characters unescaped that XML does not allow, such as control characters, and carriage returns,
    // which XML treats as line ends. Foundation reads them back, so they are accepted here too.
    var permissive = options
    permissive.allowsAllXMLCharacters = true
    let isFoundations = data.starts(with: foundationXML)
    if isFoundations, let escaped = data.escapingCarriageReturns, let parsed = try? parse(escaped, .xml, permissive) {
      return parsed
    }
    do { return try parse(data, format == .json ? .openStep : format, options) } catch {
      if isFoundations, data.hasUnusualBytes, let parsed = try? parse(data, .xml, permissive) { return parsed }
      throw error
    }
  }

  private static func parse(
    _ data: Data, _ format: PropertyListFormat?, _ options: PropertyListReadingOptions
  ) throws(PropertyListError) -> Parsed {
    let document = try PropertyListDocument(data, format: format, options: options)
    return (try DomainEntries(document), document.format)
  }
}

extension Data {
  /// The text with its carriage returns as character references; nil if it has none, or contains CDATA, where
  /// references have no meaning.
  fileprivate var escapingCarriageReturns: Data? {
    let bytes = bytes
    guard bytes.firstIndex(of: 0x0D, from: 0) != nil, bytes.firstIndex(of: "<![CDATA[", from: 0) == nil else {
      return nil
    }
    var escaped = ByteBuffer()
    var start = 0
    while let offset = bytes.firstIndex(of: 0x0D, from: start) {
      escaped.append(bytes.extracting(start..<offset))
      escaped.append("&#13;")
      start = offset + 1
    }
    escaped.append(bytes.extracting(start...))
    return escaped.takeData()
  }

  /// True if the text may contain a character that XML does not allow.
  fileprivate var hasUnusualBytes: Bool { contains { $0 < 0x20 && !$0.isWhiteSpace || $0 == 0xEF } }
}

extension FileIdentity {
  /// True if the file was written less than a second ago, so that a program that writes it in place may not have
  /// finished. The clock of the file system may differ slightly from that of the process.
  var mayBeIncomplete: Bool { abs(secondsSinceModification) < 1 }
}

extension PropertyListError {
  /// True if the contents of the file, or its permissions, cause the error; false if the system could not read it at
  /// the moment.
  var isAboutFile: Bool {
    guard case .inputOutput(let code) = kind else { return true }
    return FileError.isAboutFile(code)
  }

  /// True if the system does not let this process read the file.
  var isAboutPermission: Bool {
    if case .inputOutput = kind { isAboutFile } else { false }
  }

  /// True if the path does not lead to a regular file. That remains so until a user or program changes it.
  var isAboutPath: Bool {
    guard case .inputOutput(let code) = kind else { return false }
    return [EISDIR, EINVAL, ELOOP, ENXIO, ENOTDIR].contains(code)
  }
}
