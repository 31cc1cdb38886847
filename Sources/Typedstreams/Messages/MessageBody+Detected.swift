public import FoundationEssentials
public import KeyedArchiving

extension MessageBody {
  /// What a data detector has found in a text: a date, an amount, an address.
  public struct Detected: Hashable, Sendable {
    /// The sort of data, by the attribute that it is in.
    public enum Kind: Hashable, Sendable {
      /// Any data: links, amounts, codes, flights.
      case data
      /// A time that an event can be made of.
      case calendarEvent
      /// A telephone number.
      case phoneNumber
      /// A postal address.
      case address
    }

    /// The sort of data.
    public var kind: Kind
    /// The keyed archive of the result.
    public var archive: Data

    /// A result that was archived.
    public init(kind: Kind, archive: Data) {
      self.kind = kind
      self.archive = archive
    }

    /// Decodes the result.
    ///
    /// - Throws: what `KeyedUnarchiver` throws.
    public func result() throws -> DetectionResult {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
      return try unarchiver.decodeTopLevelObject(DetectionResult.self, forKey: "dd-result")
    }
  }

  /// A result of a data detector, with the results that it consists of: `DDScannerResult` in archives.
  public struct DetectionResult: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("DDScannerResult")

    /// The sort of data, such as `HttpURL`, `Date`, `PhysicalAmount`, `AuthCode`.
    public var type: String
    /// The words that were found.
    public var text: String
    /// The range of the words in the text of their part, in units of UTF-16.
    public var range: Range<Int>
    /// What the words mean, if they have one meaning: `1000000` for `M`.
    public var value: String?
    /// The results that this one consists of.
    public var parts: [DetectionResult]

    /// A result.
    public init(type: String, text: String, range: Range<Int>, value: String? = nil, parts: [DetectionResult] = []) {
      self.type = type
      self.text = text
      self.range = range
      self.value = value
      self.parts = parts
    }

    public init(coder: KeyedUnarchiver) throws {
      type = try coder.decode(String.self, forKey: "T")
      text = try coder.decode(String.self, forKey: "MS")
      let found = try coder.decode(Archived.Range.self, forKey: "AR")
      guard let range = found.range else {
        throw coder.failure(.invalidContents, "a range at \(found.location) of length \(found.length)")
      }
      self.range = range
      value = try coder.decodeIfPresent(String.self, forKey: "V")
      parts = try coder.decodeIfPresent([DetectionResult].self, forKey: "SR") ?? []
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(text, forKey: "MS")
      if let value { try coder.encode(value, forKey: "V") }
      try coder.encode(Archived.Range(range), forKey: "AR")
      try coder.encode(type, forKey: "T")
      try coder.encode(parts, forKey: "SR")
    }
  }
}
