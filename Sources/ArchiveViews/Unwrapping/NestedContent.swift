public import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

/// A property list or an archive that data contains.
enum NestedContent {
  case propertyList(PropertyListDocument)
  case archive(KeyedArchive)

  /// Opens data, and reads all of it to find defects. The format is detected from the first bytes.
  ///
  /// - Throws: `KeyedArchiveError` if the data begins like a known format but is damaged.
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
  /// Opens a typedstream or a NIBArchive as a keyed archive. Returns nil if the data does not begin like one of these
  /// formats.
  ///
  /// ```swift
  /// let archive = try KeyedArchive(ofOtherFormat: data) ?? KeyedArchive(data)
  /// ```
  ///
  /// - Parameters:
  ///   - data: the whole file.
  ///   - limits: the limits for the archive.
  /// - Throws: `KeyedArchiveError` if the data is damaged or exceeds the limits.
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

  /// Returns the value of the top-level key `root` if that is the only key and its value is not a container. Otherwise
  /// returns nil.
  func soleRoot() throws(KeyedArchiveError) -> FlatNode? {
    guard topNode.count == 1, try translated(topNode.entry(at: 0)).key == "root" else { return nil }
    let root = try translated(topNode.entry(at: 0)).value.flat
    return root.kind.isContainer ? nil : root
  }
}
