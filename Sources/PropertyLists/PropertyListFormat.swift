private import FoundationEssentials

/// The formats that a property list is read from and written in.
public enum PropertyListFormat: String, Hashable, Sendable, CaseIterable {
  /// Apple's binary format, version `bplist00`.
  case binary
  /// Apple's XML format, version 1.0.
  case xml
}

extension PropertyListFormat {
  /// The format that `bytes` begin like, or nil if they begin like none.
  ///
  /// Binary files begin with `bplist`, in any version; XML files with `<`, after white space and a byte order mark, in
  /// any of the encodings that XML files are found in. The rest of the bytes is not looked at.
  ///
  /// - Complexity: O(*w*) in the white space before the first other character.
  public init?(detecting bytes: RawSpan) {
    if bytes.starts(with: "bplist") {
      self = .binary
    } else if XMLEncoding.beginsLikeXML(bytes) {
      self = .xml
    } else {
      return nil
    }
  }
}
