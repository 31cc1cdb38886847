public import FoundationEssentials
internal import PropertyLists

/// The file format of an archive, detected by its first bytes.
///
/// ```swift
/// if ArchiveFormat(data) == .typedstream { print("written by NSArchiver") }
/// ```
///
/// Not every property list is an archive. To check, open it with ``KeyedArchive/init(_:limits:)``.
public enum ArchiveFormat: Hashable, Sendable, CaseIterable {
  /// A property list in the binary format.
  case binaryPropertyList
  /// A property list in the XML format.
  case xmlPropertyList
  /// An archive written by `NSArchiver`, of any version and byte order.
  case typedstream
  /// A compiled nib.
  case nibArchive

  /// Detects the format from the first bytes. Returns nil if the data begins like none of the formats.
  ///
  /// The rest of the data is not checked.
  public init?(_ data: Data) { self.init(data.bytes) }

  package init?(_ bytes: RawSpan) {
    if bytes.starts(with: "bplist") {
      self = .binaryPropertyList
    } else if bytes.starts(with: Self.nibSignature) {
      self = .nibArchive
    } else if Self.isTypedstream(bytes) {
      self = .typedstream
    } else if Self.isXML(bytes) {
      self = .xmlPropertyList
    } else {
      return nil
    }
  }

  /// The signature at the start of every compiled nib.
  package static var nibSignature: StaticString { "NIBArchive" }

  private static func isTypedstream(_ bytes: RawSpan) -> Bool {
    let signature = TypedstreamSignature.self
    return bytes.byteCount >= 2 + signature.length && bytes[1] == UInt8(signature.length)
      && (bytes.starts(with: signature.littleEndian, at: 2) || bytes.starts(with: signature.bigEndian, at: 2))
  }

  /// The maximum number of bytes, from the start of the XML declaration, that are searched for the root element or the
  /// document type.
  private static var greatestPrologLength: Int { 1024 }

  private static func isXML(_ bytes: RawSpan) -> Bool {
    var start = bytes.starts(with: "\u{FEFF}") ? 3 : 0
    while start < bytes.byteCount, bytes[start].isWhiteSpace { start += 1 }
    if bytes.starts(with: "<plist", at: start) || bytes.starts(with: "<!DOCTYPE plist", at: start) { return true }
    guard bytes.starts(with: "<?xml", at: start) else { return false }
    let prolog = bytes.extracting(start..<min(start + greatestPrologLength, bytes.byteCount))
    return prolog.firstIndex(of: "<plist", from: 0) != nil || prolog.firstIndex(of: "<!DOCTYPE plist", from: 0) != nil
  }
}

/// The signature of a typedstream, at offset 2. It indicates the byte order. The byte at offset 0 is the version, and
/// the byte at offset 1 is the length of the signature.
package enum TypedstreamSignature {
  package static let littleEndian: StaticString = "streamtyped"
  package static let bigEndian: StaticString = "typedstream"
  package static let length = 11
}
