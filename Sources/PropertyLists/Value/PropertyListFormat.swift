/// The formats that property lists are read from and written to. <doc:Formats> lists the values that
/// each format can hold.
public enum PropertyListFormat: String, Hashable, Sendable, CaseIterable {
  /// Apple's binary format, version `bplist00`.
  case binary
  /// Apple's XML format, version 1.0.
  case xml
  /// The old text format of NeXTSTEP and OpenStep, including strings files and GNUstep's extensions.
  case openStep = "openstep"
  /// JSON (RFC 8259).
  case json
}
