internal import FoundationEssentials
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// What a file of preferences holds, and the state it was read in.
struct FileContents {
  typealias Parsed = (entries: DomainEntries, format: PropertyListFormat)

  let data: Data
  let identity: FileIdentity
  /// A saved state that these bytes include; nil if it is not known.
  let generation: FileGeneration?
  /// The entries; nil if the bytes were known already.
  let parsed: Result<Parsed, PropertyListError>?

  /// True if it cannot be parsed, and somebody who writes to it in place may not have finished.
  let isUnfinished: Bool

  /// The greatest size of a file that is read, in bytes.
  static let limit = ParsingLimits().inputSize

  /// The contents of the file at a path; nil if there is none.
  static func read(
    _ path: String, until deadline: ContinuousClock.Instant, unless isKnown: (Data) -> Bool = { _ in false }
  ) throws(PropertyListError) -> FileContents? {
    try read(
      until: deadline, unless: isKnown, generation: { LastSave.generation(of: path) },
      bytes: { () throws(FileError) in try FileSystem.readRegularFile(path, limit: limit) })
  }

  /// The contents of a locked file.
  ///
  /// - Parameter generation: that of the file.
  static func read(
    _ file: inout LockedFile, _ generation: FileGeneration?, until deadline: ContinuousClock.Instant
  ) throws(PropertyListError) -> FileContents? {
    try read(
      until: deadline, generation: { generation },
      bytes: { () throws(FileError) in (try file.read(limit: limit), file.identity) })
  }

  /// Waits for programs that write to the file in place, as Foundation does, if they are in the middle of it.
  private static func read(
    until deadline: ContinuousClock.Instant, unless isKnown: (Data) -> Bool = { _ in false },
    generation: () -> FileGeneration?, bytes: () throws(FileError) -> (data: Data, identity: FileIdentity)?
  ) throws(PropertyListError) -> FileContents? {
    while true {
      // Read before the bytes, so that they are of this state or a later one.
      let before = generation()
      guard let (data, identity) = try PropertyListError.converting(bytes) else { return nil }
      // The bytes may be those of the old file or of the new one.
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

  /// How Foundation's files begin. Those that people wrote may have other ends of lines, and mean nothing by them.
  private static let foundationXML = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC".utf8)

  /// The entries of a file's bytes. A file without a byte is damaged: nobody saves one.
  static func parse(_ data: Data) throws(PropertyListError) -> Parsed {
    if data.isEmpty { throw PropertyListError(.malformed, "the file has no byte") }
    // Dictionaries that look like UIDs are what they are, and a key that stands twice has its last value, as for
    // Apple's reader: it is not for this reader to keep everything from the program because of it.
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, duplicateKeys: .keepLast)
    // JSON is no format of preferences. What begins like it may be an empty dictionary of OpenStep, and nothing else.
    let format = PropertyListFormat(detecting: data.bytes)
    // Foundation writes characters as they are that XML does not have, such as controls, and carriage returns, which
    // to XML are ends of lines. It reads them back, so they are neither lost nor an error here.
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
  /// The text with references for its carriage returns; nil if it has none, or CDATA, in which there are no references.
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

  /// Whether there is a byte of a character that XML does not allow, or may be.
  fileprivate var hasUnusualBytes: Bool { contains { $0 < 0x20 && !$0.isWhiteSpace || $0 == 0xEF } }
}

extension FileIdentity {
  /// True if somebody who writes to the file in place may not have finished. The clocks of file systems are not exactly
  /// that of the process.
  var mayBeIncomplete: Bool { abs(secondsSinceModification) < 1 }
}

extension PropertyListError {
  /// True if the file cannot be read for what it is, and not for what the system could do just now.
  var isAboutFile: Bool {
    guard case .inputOutput(let code) = kind else { return true }
    return FileError.isAboutFile(code)
  }

  /// True if the system does not let this process read the file.
  var isAboutPermission: Bool {
    if case .inputOutput = kind { isAboutFile } else { false }
  }

  /// True if the path leads to no regular file, which stays so until somebody changes that.
  var isAboutPath: Bool {
    guard case .inputOutput(let code) = kind else { return false }
    return [EISDIR, EINVAL, ELOOP, ENXIO, ENOTDIR].contains(code)
  }
}
