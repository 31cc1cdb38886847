internal import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

/// Opens property lists and archives that are nested in data, at any depth: binary and XML property lists, keyed
/// archives, typedstreams and compiled nibs.
///
/// For example, preferences contain colors as data. Web archives and saved states contain whole property lists as data,
/// and these contain archives.
///
/// ```swift
/// let document = try PropertyListDocument(contentsOf: url)
/// var unwrapper = Unwrapper()
/// let color = try unwrapper.value(at: PropertyListKeyPath("Settings.color.NSRGB"), in: document)
/// ```
///
/// | data that is | becomes |
/// |---|---|
/// | a property list | its value |
/// | a keyed archive, a typedstream, a NIBArchive | the value of `$top` in `KeyedArchive.jsonData(isIndented:)`; if it has only the key `root`, the object of that key |
/// | anything else | unchanged |
///
/// Objects become dictionaries as in that JSON. An object with several references has a `$uid` at its first reference,
/// and is `{"$ref": 7}` at all others. Objects of the outermost archive keep their UIDs, and objects of nested archives
/// have higher ones. Objects that are nested more than 64 levels deep are moved to the array `$deep` in the dictionary
/// of the archive. Data, dates and reals of all widths keep their types.
///
/// XML text in data is opened only if it begins like a property list. Data that begins like a known format but cannot
/// be read remains data, and is added to ``unreadable``.
public struct Unwrapper: Sendable {
  /// Data that begins like a known format, but cannot be read.
  public struct Unreadable: Hashable, Sendable {
    /// The path to the data. If it is in an archive, the path to the data that contains the outermost archive.
    public let path: PropertyListKeyPath
    /// The error that occurred when the data was opened.
    public let error: KeyedArchiveError
  }

  /// The limits for the nesting depth of data and containers, and for the total size of the result, in the units of
  /// `ParsingLimits.expandedSize`. They apply to the outermost document together with all property lists and archives
  /// that are nested in it.
  public let limits: ParsingLimits
  /// The number of data values that were opened. A data value with several references counts once in each property list
  /// or archive.
  public internal(set) var openedCount = 0
  /// The first data values that could not be opened, at most ``greatestUnreadable``.
  public internal(set) var unreadable: [Unreadable] = []
  /// The number of data values that could not be opened.
  public internal(set) var unreadableCount = 0

  /// The greatest length of ``unreadable``.
  public static let greatestUnreadable = 100

  /// The number of values and bytes that may still be added to the result.
  private var budget = WorkBudget(0)
  /// A list to which opened archives are added. Nil if they are not needed.
  var openedArchives: OpenedArchives?

  /// Creates an unwrapper with ``limits`` for nesting depth and size.
  public init(limits: ParsingLimits = ParsingLimits()) { self.limits = limits }

  /// Resets the budget for another document.
  mutating func begin(_ document: PropertyListDocument) {
    budget = WorkBudget(limits.effectiveExpandedSize(inputSize: document.byteCount))
  }

  /// Subtracts a number of values or bytes from the budget. Throws if the budget is used up.
  @inline(__always)
  mutating func spend(_ size: Int) throws(KeyedArchiveError) {
    guard budget.spend(size) else { throw limitExceeded }
  }

  private var limitExceeded: KeyedArchiveError {
    KeyedArchiveError(
      .limitExceeded, "the contents of nested data expand to more values and bytes than the limits allow")
  }

  /// The limits for opening nested data. The content of the data may be as large as the rest of the budget.
  var innerLimits: ParsingLimits {
    ParsingLimits(depth: limits.depth, inputSize: limits.inputSize, expandedSize: budget.remaining, expansionRatio: 1)
  }

  /// Opens a data value of a document, and returns the property list or archive that it contains. Returns nil if the
  /// data has no known format, or cannot be read. In the second case, adds it to ``unreadable``.
  mutating func open(
    _ node: FlatNode, in document: PropertyListDocument, at path: PropertyListKeyPath
  ) throws(KeyedArchiveError) -> NestedContent? {
    guard document.nestedBegins(node) else { return nil }
    // A byte of the data costs only a quarter of a byte of the result, because it is only read. Each data value also
    // costs 64, because an error takes time even if the data is short.
    try spend(node.length / 4 + 64)
    let data = document.data(of: node)
    do {
      let content = try NestedContent(data, limits: innerLimits)
      openedCount += 1
      if let openedArchives, case .archive(let archive) = content {
        openedArchives.entries.withLock { $0.append(OpenedArchives.Entry(path: path, data: data, archive: archive)) }
      }
      return content
    } catch {
      add(Unreadable(path: path, error: error))
      return nil
    }
  }

  mutating func add(_ data: Unreadable) {
    unreadableCount += 1
    if unreadable.count < Self.greatestUnreadable { unreadable.append(data) }
  }

  /// Prepends a path to the paths of the elements of ``unreadable`` from an index on.
  mutating func locateUnreadable(from start: Int, below path: PropertyListKeyPath) {
    for index in start..<unreadable.count {
      let way = PropertyListKeyPath(path.components + unreadable[index].path.components)
      unreadable[index] = Unreadable(path: way, error: unreadable[index].error)
    }
  }

  /// The text that the tools show about data that begins like a known format but cannot be read.
  package var notes: [String] {
    var notes = unreadable.prefix(10).map { data in
      let subject =
        data.path.components.isEmpty ? "the data" : "the data at \(data.path.description.printable(limit: 200))"
      return "\(subject) is kept as data: \(data.error.description.printable(limit: 200))"
    }
    if unreadableCount > notes.count { notes.append("\(unreadableCount - notes.count) more cannot be read") }
    return notes
  }

  /// Throws if a depth exceeds the limit for the nesting of containers and data.
  func check(depth: Int) throws(KeyedArchiveError) {
    let limit = min(max(limits.depth, 0), ParsingLimits.greatestDepth)
    guard depth < limit else {
      throw KeyedArchiveError(.nestedTooDeeply, "containers and data are nested more than \(limit) deep")
    }
  }
}

extension PropertyListDocument {
  /// Returns true if a node is data that begins like a known format.
  func nestedBegins(_ node: FlatNode) -> Bool {
    guard node.kind == .data else { return false }
    if node.encoding == .verbatim { return ArchiveFormat(bytes.extracting(node.range)) != nil }
    return ArchiveFormat(data(of: node)) != nil
  }
}
