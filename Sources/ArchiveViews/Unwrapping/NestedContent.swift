public import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

/// What data stands for, told by how it begins.
enum NestedContent {
  case propertyList(PropertyListDocument)
  case archive(KeyedArchive)

  /// Opens data, all of which is checked.
  ///
  /// - Throws: what is wrong with data that begins like something that can be opened.
  init(_ data: Data, limits: ParsingLimits) throws(KeyedArchiveError) {
    if let archive = try KeyedArchive(ofOtherFormat: data, limits: limits) {
      self = .archive(archive)
      return
    }
    let format: PropertyListFormat = ArchiveFormat(data) == .binaryPropertyList ? .binary : .xml
    let document = try translated(PropertyListDocument(data, format: format, options: .archive(limits)))
    try translated(document.validate())
    if let archive = try? KeyedArchive(document) { self = .archive(archive) } else { self = .propertyList(document) }
  }
}

extension KeyedArchive {
  /// The archive that a typedstream or a NIBArchive is; nil for bytes that begin as neither.
  ///
  /// - Parameters:
  ///   - data: the whole file.
  ///   - limits: what can be asked of the archive.
  /// - Throws: what is wrong with it.
  public init?(ofOtherFormat data: Data, limits: ParsingLimits = ParsingLimits()) throws(KeyedArchiveError) {
    switch ArchiveFormat(data) {
    case .nibArchive:
      do { self = try NIBArchive(data).keyedArchive(limits: limits) } catch {
        throw KeyedArchiveError(error.kind == .limitExceeded ? .limitExceeded : .malformed, "\(error)")
      }
    case .typedstream:
      do { self = try Typedstream(data, limits: limits).keyedArchive(limits: limits) } catch {
        let kind: KeyedArchiveError.Kind =
          switch error.kind {
          case .limitExceeded: .limitExceeded
          case .nestedTooDeeply: .nestedTooDeeply
          default: .malformed
          }
        throw KeyedArchiveError(kind, "\(error)")
      }
    case .binaryPropertyList, .xmlPropertyList, nil: return nil
    }
  }

  /// What is under `root` if nothing else is at the top, and if it is no container; nil for other archives.
  func soleRoot() throws(KeyedArchiveError) -> FlatNode? {
    guard topNode.count == 1, try translated(topNode.entry(at: 0)).key == "root" else { return nil }
    let root = try translated(topNode.entry(at: 0)).value.flat
    return root.kind.isContainer ? nil : root
  }
}
