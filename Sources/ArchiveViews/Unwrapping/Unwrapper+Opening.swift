package import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Synchronization
public import Typedstreams

extension Unwrapper {
  /// A property list with what its data stands for. One that is a keyed archive becomes what the archive was made of.
  ///
  /// - Returns: the same document if nothing was opened.
  /// - Throws: `KeyedArchiveError.Kind.nestedTooDeeply`, `KeyedArchiveError.Kind.limitExceeded`; what is wrong with
  ///   the document itself.
  /// - Complexity: O(*n*) in the size of the document and of all that is in it, in which shared values count each time.
  public mutating func document(_ document: PropertyListDocument) throws(KeyedArchiveError) -> PropertyListDocument {
    begin(document)
    if let archive = try? KeyedArchive(document) { return try self.document(archive) }
    return try unwrapped(document.root).document
  }

  /// What data stands for, with all that is nested in it; nil if it stays data, as what begins like something that can
  /// be opened and then cannot be read, which is told in ``unreadable``.
  ///
  /// - Returns: the kind of thing the data is, `keyed archive` for example, and its contents.
  /// - Throws: as ``document(_:)``.
  /// - Complexity: as ``document(_:)``.
  package mutating func opened(
    _ data: Data
  ) throws(KeyedArchiveError) -> (kind: String, contents: PropertyListDocument)? {
    guard let format = ArchiveFormat(data) else { return nil }
    let content: NestedContent
    do { content = try NestedContent(data, limits: limits) } catch {
      add(Unreadable(path: PropertyListKeyPath(), error: error))
      return nil
    }
    switch content {
    case .propertyList(let list): return ("property list", try document(list))
    case .archive(let archive):
      begin(archive.document)
      let kind =
        switch format {
        case .nibArchive: "NIBArchive"
        case .typedstream: "typedstream"
        case .binaryPropertyList, .xmlPropertyList: "keyed archive"
        }
      return (kind, try document(archive))
    }
  }

  /// What data stands for, and notes about what stays data in it. What the limits do not allow stays data as a whole.
  ///
  /// - Complexity: as ``document(_:)``.
  package static func opened(_ data: Data) -> (kind: String?, contents: PropertyListDocument?, notes: [String]) {
    var unwrapper = Unwrapper()
    do {
      let opened = try unwrapper.opened(data)
      return (opened?.kind, opened?.contents, unwrapper.notes)
    } catch {
      return (nil, nil, unwrapper.notes + ["data stays data: \(error.description.printable(limit: 200))"])
    }
  }

  /// An archive with all that is nested in it in its own object table, for trees, graphs, classes and JSON.
  ///
  /// Its objects keep their UIDs, those of archives in it have UIDs behind them.
  ///
  /// - Returns: the same archive if nothing was opened.
  /// - Throws: as ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the archive and of all that is in it.
  public mutating func archive(_ archive: KeyedArchive) throws(KeyedArchiveError) -> KeyedArchive {
    begin(archive.document)
    var merger = ArchiveMerger(self)
    let merged = try merger.merge(archive)
    let former = openedCount
    self = merger.takeUnwrapper()
    return openedCount == former ? archive : merged
  }

  /// The archives in a property list that is none, as one archive: under the keys at its top is what the property list
  /// has under its keys.
  ///
  /// - Throws: as ``document(_:)``.
  /// - Complexity: as ``document(_:)``.
  public mutating func archive(in document: PropertyListDocument) throws(KeyedArchiveError) -> KeyedArchive {
    if let archive = try? KeyedArchive(document) { return try self.archive(archive) }
    begin(document)
    var merger = ArchiveMerger(self)
    let merged = try merger.merge(document)
    self = merger.takeUnwrapper()
    return merged
  }

  /// A value with all that is nested in it; itself if that is nothing.
  mutating func unwrapped(_ node: PropertyListDocument.Node) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    var copy = DocumentUnwrapper(self)
    let document = try copy.unwrap(node)
    let former = openedCount
    self = copy.takeUnwrapper()
    return openedCount == former ? node : document.root
  }

  /// What an archive was made of.
  mutating func document(_ archive: KeyedArchive) throws(KeyedArchiveError) -> PropertyListDocument {
    var copy = DocumentUnwrapper(self)
    let document = try copy.unwrap(archive)
    self = copy.takeUnwrapper()
    return document
  }
}

extension PropertyListDocument {
  /// The property list with what its data stands for; see ``Unwrapper``.
  ///
  /// - Throws: as ``Unwrapper/document(_:)``.
  public func unwrapped(limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) -> PropertyListDocument {
    var unwrapper = Unwrapper(limits: limits)
    return try unwrapper.document(self)
  }
}

extension KeyedArchive {
  /// The archive with all that is nested in it; see ``Unwrapper/archive(_:)``.
  ///
  /// - Throws: as ``Unwrapper/document(_:)``.
  public func unwrapped(limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) -> KeyedArchive {
    var unwrapper = Unwrapper(limits: limits)
    return try unwrapper.archive(self)
  }
}

extension Unwrapper {
  /// Something that is wrong with an archive that is nested in data.
  public struct Finding: Hashable, Sendable {
    /// The way to the data; of data in an archive, to the outermost archive.
    public let path: PropertyListKeyPath
    /// What is wrong with the archive.
    public let finding: KeyedArchive.Finding
  }

  /// Everything that is wrong with the archives that are nested in the data of a property list, or of an archive.
  ///
  /// What is wrong with the archive itself says `KeyedArchive.check(_:)`. Data that cannot be opened is in
  /// ``unreadable``.
  ///
  /// - Throws: as ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the document and of all that is in it.
  public mutating func check(_ document: PropertyListDocument) throws(KeyedArchiveError) -> [Finding] {
    var findings: [Finding] = []
    for opened in try openedArchives(in: document) {
      // The archiver of a typedstream or of a nib is the right one for it.
      let format = ArchiveFormat(opened.data)
      let isOfOtherFormat = format == .nibArchive || format == .typedstream
      for finding in opened.archive.check() where !(isOfOtherFormat && finding.kind == .otherArchiver) {
        findings.append(Finding(path: opened.path, finding: finding))
      }
    }
    return findings
  }

  /// The typedstreams that are nested in the data of a property list, or of an archive, in the order in which they are
  /// met, each with the way to its data; of data in an archive, to the outermost archive.
  ///
  /// - Throws: as ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the document and of all that is in it.
  public mutating func typedstreams(
    in document: PropertyListDocument
  ) throws(KeyedArchiveError) -> [(path: PropertyListKeyPath, stream: Typedstream)] {
    var streams: [(path: PropertyListKeyPath, stream: Typedstream)] = []
    for opened in try openedArchives(in: document) where ArchiveFormat(opened.data) == .typedstream {
      // It was read before, or it would not be here.
      if let stream = try? Typedstream(opened.data, limits: limits) { streams.append((opened.path, stream)) }
    }
    return streams
  }

  private mutating func openedArchives(
    in document: PropertyListDocument
  ) throws(KeyedArchiveError) -> [OpenedArchives.Entry] {
    let archives = OpenedArchives()
    openedArchives = archives
    defer { openedArchives = nil }
    _ = try self.document(document)
    return archives.entries.withLock { $0 }
  }
}

/// The archives that were opened, for those who want to see each as it is. Copies of an unwrapper have the same list.
final class OpenedArchives: Sendable {
  struct Entry: Sendable {
    let path: PropertyListKeyPath
    let data: Data
    let archive: KeyedArchive
  }

  let entries = Mutex<[Entry]>([])
}
