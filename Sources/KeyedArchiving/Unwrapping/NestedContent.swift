public import FoundationEssentials
@_spi(Archives) public import PropertyLists

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
    let format: PropertyListFormat = data.bytes.starts(with: "bplist") ? .binary : .xml
    let document = try translated(PropertyListDocument(data, format: format, options: .archive(limits)))
    try translated(document.validate())
    if let archive = try? KeyedArchive(document) {
      self = .archive(archive)
    } else {
      self = .propertyList(document)
    }
  }

  /// True for data that begins like a binary property list, an XML property list, a typedstream or a NIBArchive.
  static func begins(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount > 6 else { return false }
    if bytes.starts(with: "bplist") || bytes.starts(with: NIBArchive.signature) { return true }
    return TypedstreamReader.isTypedstream(bytes) || beginsLikeXML(bytes)
  }

  /// How far the root may be from the beginning of a text that begins with a declaration.
  private static var greatestProlog: Int { 1024 }

  private static func beginsLikeXML(_ bytes: RawSpan) -> Bool {
    var start = bytes.starts(with: "\u{FEFF}") ? 3 : 0
    while start < bytes.byteCount, bytes[start].isWhiteSpace { start += 1 }
    if bytes.starts(with: "<plist", at: start) || bytes.starts(with: "<!DOCTYPE plist", at: start) { return true }
    guard bytes.starts(with: "<?xml", at: start) else { return false }
    let prolog = bytes.extracting(start..<min(start + greatestProlog, bytes.byteCount))
    return prolog.firstIndex(of: "<plist", from: 0) != nil || prolog.firstIndex(of: "<!DOCTYPE plist", from: 0) != nil
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
    if NIBArchive.matches(data) {
      do throws(NIBArchiveError) {
        self = try NIBArchive(data).keyedArchive(limits: limits)
      } catch {
        throw KeyedArchiveError(error.kind == .limitExceeded ? .limitExceeded : .malformed, "\(error)")
      }
    } else if Typedstream.begins(data) {
      do throws(TypedstreamError) {
        self = try Typedstream(data, limits: limits).keyedArchive(limits: limits)
      } catch {
        let kind: KeyedArchiveError.Kind =
          switch error.kind {
          case .limitExceeded: .limitExceeded
          case .nestedTooDeeply: .nestedTooDeeply
          default: .malformed
          }
        throw KeyedArchiveError(kind, "\(error)")
      }
    } else {
      return nil
    }
  }

  /// What is under `root` if nothing else is at the top, and if it is no container; nil for other archives.
  func soleRoot() throws(KeyedArchiveError) -> FlatNode? {
    guard topNode.count == 1, try translated(topNode.entry(at: 0)).key == "root" else { return nil }
    let root = try translated(topNode.entry(at: 0)).value.flat
    return root.kind.isContainer ? nil : root
  }
}
