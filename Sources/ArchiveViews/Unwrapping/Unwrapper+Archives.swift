internal import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Synchronization
public import Typedstreams

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
