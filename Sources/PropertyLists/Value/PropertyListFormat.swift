/// The formats that a property list is read from and written in.
public enum PropertyListFormat: String, Hashable, Sendable, CaseIterable {
  /// Apple's binary format, version `bplist00`.
  case binary
  /// Apple's XML format, version 1.0.
  case xml
  /// The old text format of NeXTSTEP and OpenStep, with strings files and the values that GNUstep adds.
  case openStep = "openstep"
  /// JSON (RFC 8259).
  case json
}
