internal import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

/// Opens what is nested in data: binary and XML property lists, keyed archives, typedstreams and compiled nibs, as deep
/// as they go.
///
/// Preferences have colors in data, web archives and saved states have whole property lists, and those have archives
/// again.
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
/// | a keyed archive, a typedstream, a NIBArchive | what `KeyedArchive.jsonData(isIndented:)` has under `$top`; if that is `root` alone, the object under it |
/// | anything else | stays data |
///
/// Objects are in the form of that JSON: an object that several references lead to has a `$uid` where it stands, and is
/// `{"$ref": 7}` everywhere else. The numbers are those of the outermost archive; objects of archives in it have
/// numbers after its own. Objects that are nested too deeply are under `$deep` of the dictionary that the archive
/// became. Data, dates and reals of all widths are what they are.
///
/// Text is opened only if it begins like an XML property list. Data that begins like something that can be opened, and
/// then cannot be read, stays data, and is told in ``unreadable``.
public struct Unwrapper: Sendable {
  /// Data that begins like something that can be opened, but is broken.
  public struct Unreadable: Hashable, Sendable {
    /// The way to the data; of data in an archive, to the outermost archive.
    public let path: PropertyListKeyPath
    /// What is wrong with it.
    public let error: KeyedArchiveError
  }

  /// How deep data and containers may be nested in one another, and how large all may become: in the sense of
  /// `ParsingLimits.expandedSize`, in proportion to the outermost input.
  public let limits: ParsingLimits
  /// How many times data was opened. Data that several references lead to counts once in each property list or archive.
  public internal(set) var openedCount = 0
  /// The first of those that could not be opened, at most ``greatestUnreadable``.
  public internal(set) var unreadable: [Unreadable] = []
  /// How many could not be opened.
  public internal(set) var unreadableCount = 0

  /// The greatest length of ``unreadable``.
  public static let greatestUnreadable = 100

  /// What may still be made, in values and bytes.
  private var budget = WorkBudget(0)
  /// Where archives that are opened are kept; nil if nobody asks for them.
  var openedArchives: OpenedArchives?

  /// - Parameter limits: see ``limits``.
  public init(limits: ParsingLimits = ParsingLimits()) { self.limits = limits }

  /// Begins with another input.
  mutating func begin(_ document: PropertyListDocument) {
    budget = WorkBudget(limits.effectiveExpandedSize(inputSize: document.byteCount))
  }

  /// Takes work out of the budget.
  @inline(__always)
  mutating func spend(_ size: Int) throws(KeyedArchiveError) {
    guard budget.spend(size) else { throw limitExceeded }
  }

  private var limitExceeded: KeyedArchiveError {
    KeyedArchiveError(.limitExceeded, "what is nested in data comes to more values and bytes than the limits allow")
  }

  /// The limits for a part, which may take what is left.
  var innerLimits: ParsingLimits {
    ParsingLimits(depth: limits.depth, inputSize: limits.inputSize, expandedSize: budget.remaining, expansionRatio: 1)
  }

  /// Opens data of a document; nil if it stays data.
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

  /// Puts a path before those of the data that could not be opened, from the one at an index on.
  mutating func locateUnreadable(from start: Int, below path: PropertyListKeyPath) {
    for index in start..<unreadable.count {
      let way = PropertyListKeyPath(path.components + unreadable[index].path.components)
      unreadable[index] = Unreadable(path: way, error: unreadable[index].error)
    }
  }

  /// What tools say about data that begins like an archive, but cannot be read.
  package var notes: [String] {
    var notes = unreadable.prefix(10).map { data in
      let subject = data.path.components.isEmpty ? "data" : "the data at \(data.path.description.printable(limit: 200))"
      return "\(subject) stays data: \(data.error.description.printable(limit: 200))"
    }
    if unreadableCount > notes.count { notes.append("so do \(unreadableCount - notes.count) more") }
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
  /// True for data that begins like something that can be opened.
  func nestedBegins(_ node: FlatNode) -> Bool {
    guard node.kind == .data else { return false }
    if node.encoding == .verbatim { return ArchiveFormat(bytes.extracting(node.range)) != nil }
    return ArchiveFormat(data(of: node)) != nil
  }
}
