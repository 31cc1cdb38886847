public import FoundationEssentials

/// The value of an attribute, as rows hold it and as models have it for a default.
///
/// A transformable attribute is held as the bytes of its archive: what they lead to is made when an object is asked
/// for it, so that a row can go from one task to another.
public enum AttributeValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// Of an attribute of 16, 32 or 64 bits.
  case integer(Int64)
  case decimal(Decimal)
  case double(Double)
  case float(Float)
  case string(String)
  /// A moment, as seconds since 2001-01-01T00:00:00Z.
  case date(Date)
  /// Bytes; those of an archive for a transformable attribute.
  case data(Data)
  case uuid(UUID)
  case url(URL)
}
