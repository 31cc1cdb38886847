package import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Synchronization
public import Typedstreams

extension Unwrapper {
  /// Returns a copy of a property list. If data contains a property list or an archive, the copy has the contents of
  /// that instead of the data. An archive, which may also be the document itself, is replaced with the values that were
  /// archived.
  ///
  /// ```swift
  /// let opened = try unwrapper.document(document)
  /// for data in unwrapper.unreadable { print(data.path, data.error) }
  /// ```
  ///
  /// - Returns: the copy, or the same document if it is not an archive and no data in it was opened.
  /// - Throws: `KeyedArchiveError.Kind.nestedTooDeeply`, `KeyedArchiveError.Kind.limitExceeded`, and the errors of
  ///   reading the document.
  /// - Complexity: O(*n*) in the size of the document and of everything nested in it. A value that is shared counts
  ///   once for each reference.
  public mutating func document(_ document: PropertyListDocument) throws(KeyedArchiveError) -> PropertyListDocument {
    begin(document)
    if let archive = try? KeyedArchive(document) { return try self.document(archive) }
    return try unwrapped(document.root).document
  }

  /// Returns what data contains: a property list, or the values of an archive. Data inside it is opened too, like in
  /// ``document(_:)``. Returns nil if the data has no known format, or cannot be read. Data that cannot be read is
  /// added to ``unreadable``.
  ///
  /// - Returns: the name of the data's format, for example `keyed archive`, and the contents.
  /// - Throws: The errors of ``document(_:)``.
  /// - Complexity: that of ``document(_:)``.
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

  /// Opens data with the default limits. Returns its contents, and notes about data that cannot be read. The kind and
  /// the contents are nil if the data has no known format, cannot be read, or exceeds the limits.
  ///
  /// - Complexity: that of ``document(_:)``.
  package static func opened(_ data: Data) -> (kind: String?, contents: PropertyListDocument?, notes: [String]) {
    var unwrapper = Unwrapper()
    do {
      let opened = try unwrapper.opened(data)
      return (opened?.kind, opened?.contents, unwrapper.notes)
    } catch {
      return (nil, nil, unwrapper.notes + ["the data is kept as data: \(error.description.printable(limit: 200))"])
    }
  }

  /// Returns an archive whose object table has the objects of this archive and of all archives that are nested in its
  /// data, for trees, graphs, classes and JSON.
  ///
  /// The objects of the archive keep their UIDs. Those of nested archives have higher UIDs.
  ///
  /// ```swift
  /// let merged = try unwrapper.archive(archive)
  /// print(try merged.tree())
  /// ```
  ///
  /// - Returns: the merged archive, or the same archive if nothing was opened.
  /// - Throws: The errors of ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the archive and of everything nested in it.
  public mutating func archive(_ archive: KeyedArchive) throws(KeyedArchiveError) -> KeyedArchive {
    begin(archive.document)
    var merger = ArchiveMerger(self)
    let merged = try merger.merge(archive)
    let former = openedCount
    self = merger.takeUnwrapper()
    return openedCount == former ? archive : merged
  }

  /// Merges all archives that are nested in the data of a property list into one archive. Its top-level keys are the
  /// keys of the property list, or the key `root` if that is not a dictionary. If the property list is a keyed archive
  /// itself, the result is that of ``archive(_:)``.
  ///
  /// ```swift
  /// let settings = try PropertyListDocument(contentsOf: url)
  /// print(try unwrapper.archive(in: settings).tree())
  /// ```
  ///
  /// - Throws: The errors of ``document(_:)``.
  /// - Complexity: that of ``document(_:)``.
  public mutating func archive(in document: PropertyListDocument) throws(KeyedArchiveError) -> KeyedArchive {
    if let archive = try? KeyedArchive(document) { return try self.archive(archive) }
    begin(document)
    var merger = ArchiveMerger(self)
    let merged = try merger.merge(document)
    self = merger.takeUnwrapper()
    return merged
  }

  /// Returns a copy of a value. If data contains a property list or an archive, the copy has the contents of that
  /// instead of the data. Returns the same value if no data was opened.
  mutating func unwrapped(_ node: PropertyListDocument.Node) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    var copy = DocumentUnwrapper(self)
    let document = try copy.unwrap(node)
    let former = openedCount
    self = copy.takeUnwrapper()
    return openedCount == former ? node : document.root
  }

  /// Returns a document with the values that were archived in an archive.
  mutating func document(_ archive: KeyedArchive) throws(KeyedArchiveError) -> PropertyListDocument {
    var copy = DocumentUnwrapper(self)
    let document = try copy.unwrap(archive)
    self = copy.takeUnwrapper()
    return document
  }
}

extension PropertyListDocument {
  /// Returns a copy of the property list. If data contains a property list or an archive, the copy has the contents of
  /// that instead of the data; see ``Unwrapper``.
  ///
  /// ```swift
  /// let json = try settings.unwrapped().root.data(format: .json)
  /// ```
  ///
  /// - Throws: The errors of ``Unwrapper/document(_:)``.
  public func unwrapped(limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) -> PropertyListDocument {
    var unwrapper = Unwrapper(limits: limits)
    return try unwrapper.document(self)
  }
}

extension KeyedArchive {
  /// Returns an archive that also contains the objects of all archives that are nested in data of this one; see
  /// ``Unwrapper/archive(_:)``.
  ///
  /// ```swift
  /// print(try archive.unwrapped().tree())
  /// ```
  ///
  /// - Throws: The errors of ``Unwrapper/document(_:)``.
  public func unwrapped(limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) -> KeyedArchive {
    var unwrapper = Unwrapper(limits: limits)
    return try unwrapper.archive(self)
  }
}

extension Unwrapper {
  /// A finding about an archive that is nested in data.
  public struct Finding: Hashable, Sendable {
    /// The path to the data that contains the archive. If that data is in another archive, the path to the data that
    /// contains the outermost archive.
    public let path: PropertyListKeyPath
    /// The finding about the nested archive.
    public let finding: KeyedArchive.Finding
  }

  /// Finds all defects of the archives that are nested in the data of a document, which may be an archive itself.
  ///
  /// ```swift
  /// for nested in try unwrapper.check(document) { print(nested.path, nested.finding) }
  /// ```
  ///
  /// To check the outermost archive itself, use `KeyedArchive.check(_:)`. Data that cannot be opened is added to
  /// ``unreadable``.
  ///
  /// - Throws: The errors of ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the document and of everything nested in it.
  public mutating func check(_ document: PropertyListDocument) throws(KeyedArchiveError) -> [Finding] {
    var findings: [Finding] = []
    for opened in try openedArchives(in: document) {
      // A translated typedstream or nib has a special archiver name, which is not a defect.
      let format = ArchiveFormat(opened.data)
      let isOfOtherFormat = format == .nibArchive || format == .typedstream
      for finding in opened.archive.check() where !(isOfOtherFormat && finding.kind == .otherArchiver) {
        findings.append(Finding(path: opened.path, finding: finding))
      }
    }
    return findings
  }

  /// Returns the typedstreams that are nested in the data of a property list or of an archive, in the order they are
  /// found. Each element has the path to the data of the typedstream. If this data is in a nested archive, the path
  /// leads to the data that contains the outermost archive.
  ///
  /// - Throws: The errors of ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the document and of everything nested in it.
  public mutating func typedstreams(
    in document: PropertyListDocument
  ) throws(KeyedArchiveError) -> [(path: PropertyListKeyPath, stream: Typedstream)] {
    var streams: [(path: PropertyListKeyPath, stream: Typedstream)] = []
    for opened in try openedArchives(in: document) where ArchiveFormat(opened.data) == .typedstream {
      // The data was read successfully before, so this does not fail.
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

/// The archives that were opened, each with its original data. It is a class so that copies of an unwrapper share the
/// list.
final class OpenedArchives: Sendable {
  struct Entry: Sendable {
    let path: PropertyListKeyPath
    let data: Data
    let archive: KeyedArchive
  }

  let entries = Mutex<[Entry]>([])
}
