internal import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

/// Opens content that is nested in data, at any depth: binary and XML property lists, keyed archives, typedstreams and
/// compiled nibs.
///
/// For example, preferences contain colors as data. Web archives and saved states contain whole property lists as data,
/// which contain archives again.
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
/// Objects have the form of that JSON: an object with several references has a `$uid` at its first reference, and is
/// `{"$ref": 7}` at all others. The UIDs are those of the outermost archive; objects of nested archives have higher
/// ones. Objects that are nested too deeply are under `$deep` in the dictionary of the archive. Data, dates and reals
/// of all widths keep their types.
///
/// XML text in data is opened only if it begins like a property list. Data that begins like a known format but cannot
/// be read remains data, and is added to ``unreadable``.
public struct Unwrapper: Sendable {
  /// Data that begins like a known format, but is damaged.
  public struct Unreadable: Hashable, Sendable {
    /// The path to the data. For data in an archive, the path to the outermost archive.
    public let path: PropertyListKeyPath
    /// The error that occurred when the data was opened.
    public let error: KeyedArchiveError
  }

  /// The limits for the nesting depth of data and containers, and for the total size of the result, in the units of
  /// `ParsingLimits.expandedSize`. They apply to the outermost input.
  public let limits: ParsingLimits
  /// The number of times that data was opened. Data with several references counts once in each property list or
  /// archive.
  public internal(set) var openedCount = 0
  /// The first data values that could not be opened, at most ``greatestUnreadable``.
  public internal(set) var unreadable: [Unreadable] = []
  /// The number of data values that could not be opened.
  public internal(set) var unreadableCount = 0

  /// The greatest length of ``unreadable``.
  public static let greatestUnreadable = 100

  /// The number of values and bytes that may still be produced.
  private var budget = WorkBudget(0)
  /// A list for the archives that are opened. Nil if they are not needed.
  var openedArchives: OpenedArchives?

  /// - Parameter limits: the limits for depth and size; see ``limits``.
  public init(limits: ParsingLimits = ParsingLimits()) { self.limits = limits }

  /// Resets the budget for another input.
  mutating func begin(_ document: PropertyListDocument) {
    budget = WorkBudget(limits.effectiveExpandedSize(inputSize: document.byteCount))
  }

  /// Subtracts work from the budget. Throws when the budget is used up.
  @inline(__always)
  mutating func spend(_ size: Int) throws(KeyedArchiveError) {
    guard budget.spend(size) else { throw limitExceeded }
  }

  private var limitExceeded: KeyedArchiveError {
    KeyedArchiveError(
      .limitExceeded, "the contents of nested data expand to more values and bytes than the limits allow")
  }

  /// The limits for a part, which may use the rest of the budget.
  var innerLimits: ParsingLimits {
    ParsingLimits(depth: limits.depth, inputSize: limits.inputSize, expandedSize: budget.remaining, expansionRatio: 1)
  }

  /// Opens data of a document. Returns nil if it remains data.
  mutating func open(
    _ node: FlatNode, in document: PropertyListDocument, at path: PropertyListKeyPath
  ) throws(KeyedArchiveError) -> NestedContent? {
    guard document.nestedBegins(node) else { return nil }
    // An error takes more time than a value; a byte that is only read takes less.
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

  /// Prepends a path to the paths of unreadable data, beginning at an index.
  mutating func locateUnreadable(from start: Int, below path: PropertyListKeyPath) {
    for index in start..<unreadable.count {
      let way = PropertyListKeyPath(path.components + unreadable[index].path.components)
      unreadable[index] = Unreadable(path: way, error: unreadable[index].error)
    }
  }

  /// The notes of the tools about data that begins like an archive, but cannot be read.
  package var notes: [String] {
    var notes = unreadable.prefix(10).map { data in
      let subject =
        data.path.components.isEmpty ? "the data" : "the data at \(data.path.description.printable(limit: 200))"
      return "\(subject) is kept as data: \(data.error.description.printable(limit: 200))"
    }
    if unreadableCount > notes.count { notes.append("\(unreadableCount - notes.count) more cannot be read") }
    return notes
  }

  /// Throws if something is nested too deeply.
  func check(depth: Int) throws(KeyedArchiveError) {
    let limit = min(max(limits.depth, 0), ParsingLimits.greatestDepth)
    guard depth < limit else {
      throw KeyedArchiveError(.nestedTooDeeply, "containers and data are nested more than \(limit) deep")
    }
  }
}

extension PropertyListDocument {
  /// True for data that begins like a known format.
  func nestedBegins(_ node: FlatNode) -> Bool {
    guard node.kind == .data else { return false }
    if node.encoding == .verbatim { return ArchiveFormat(bytes.extracting(node.range)) != nil }
    return ArchiveFormat(data(of: node)) != nil
  }
}
