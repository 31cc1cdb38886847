public import FoundationEssentials
public import KeyedArchiving
public import PropertyLists

/// The text of a message with its attributes: what Messages keeps in the column `attributedBody` of its database
/// (`chat.db` on macOS, `sms.db` on iOS).
///
/// ```swift
/// let body = try MessageBody(data)
/// print(body.text)
/// for part in body.parts {
///   if let attachment = part.attachment { print(attachment.fileName ?? attachment.transferID) }
/// }
/// for run in body.runs {
///   if let address = run.mention { print("\(body.text[run.range]) is \(address)") }
/// }
/// ```
///
/// The column is a typedstream of an `NSAttributedString`. Since macOS 13 and iOS 16 the column `text` is often null,
/// and only this typedstream has the text.
public struct MessageBody: Hashable, Sendable {
  /// The text. The character U+FFFC stands for an attachment, U+FFFD for what an app has made.
  public var text: String
  /// The stretches of the text with the same attributes, in their order. Together they are the whole text.
  public var runs: [Run]

  /// A text with attributes.
  ///
  /// - Parameter runs: stretches of the text, one after another.
  public init(text: String, runs: [Run]) {
    self.text = text
    self.runs = runs
  }

  /// Reads what is in the column.
  ///
  /// - Parameters:
  ///   - data: a typedstream of an `NSAttributedString` or an `NSString`.
  ///   - limits: as for ``Typedstream/init(_:limits:)``.
  /// - Throws: as ``Typedstream/init(_:limits:)``; ``TypedstreamError/Kind/classNotAllowed`` if the stream's object is
  ///   of another class, ``TypedstreamError/Kind/invalidContents`` for runs that are not those of the text.
  /// - Complexity: O(*n*) in the bytes.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    try self.init(Typedstream(data, limits: limits))
  }

  /// Takes the text out of a stream that was read before.
  ///
  /// - Throws: as ``init(_:limits:)``.
  public init(_ stream: Typedstream) throws(TypedstreamError) {
    var reader = MessageBodyReader(tables: stream.tables)
    self = try reader.body()
  }

  /// A stretch of the text.
  public struct Run: Hashable, Sendable {
    /// The range in ``MessageBody/text``. The stream counts in units of UTF-16; these are indices of Swift.
    public var range: Range<String.Index>
    /// What is said of it, in the order of the stream.
    public var attributes: [Attribute]

    /// A stretch of a text.
    public init(range: Range<String.Index>, attributes: [Attribute]) {
      self.range = range
      self.attributes = attributes
    }
  }

  /// What a message consists of, one after another: a bubble in Messages.
  public struct Part: Hashable, Sendable {
    /// The number by which reactions and edits name the part; nil if the message does not say.
    public var number: Int?
    /// The range in ``MessageBody/text``.
    public var range: Range<String.Index>
    /// The file that was sent; nil for text.
    public var attachment: Attachment?
  }

  /// The parts, in their order. A message without attributes is one part; one without text has none.
  ///
  /// - Complexity: O(*n*) in the number of runs.
  public var parts: [Part] {
    var parts: [Part] = []
    for run in runs {
      let attachment = run.attachment
      if let last = parts.last, last.number == run.part, last.attachment == nil, attachment == nil {
        parts[parts.count - 1].range = last.range.lowerBound..<run.range.upperBound
      } else {
        parts.append(Part(number: run.part, range: run.range, attachment: attachment))
      }
    }
    return parts
  }

  /// The text of a part. That of an attachment is the character U+FFFC.
  public func text(of part: Part) -> Substring { text[part.range] }

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
