public import FoundationEssentials
public import KeyedArchiving
public import PropertyLists

/// The text of a message with its attributes, from the column `attributedBody` of the database of Messages (`chat.db`
/// on macOS, `sms.db` on iOS).
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
/// The column contains a typedstream of an `NSAttributedString`. Since macOS 13 and iOS 16 the column `text` is often
/// null, and only the typedstream has the text.
public struct MessageBody: Hashable, Sendable {
  /// The text. The character U+FFFC marks an attachment, and U+FFFD content from an app.
  public var text: String
  /// The runs of text with the same attributes, in order. Together they cover the whole text.
  public var runs: [Run]

  /// Creates a text with attributes.
  ///
  /// - Parameter runs: the runs of the text, in order.
  public init(text: String, runs: [Run]) {
    self.text = text
    self.runs = runs
  }

  /// Reads the contents of the column.
  ///
  /// - Parameters:
  ///   - data: a typedstream of an `NSAttributedString` or an `NSString`.
  ///   - limits: the limits for the stream; see ``Typedstream/init(_:limits:)``.
  /// - Throws: The errors of ``Typedstream/init(_:limits:)``; ``TypedstreamError/Kind/classNotAllowed`` if the stream's
  ///   object has another class, ``TypedstreamError/Kind/invalidContents`` if the runs do not match the text.
  /// - Complexity: O(*n*) in the number of bytes.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    try self.init(Typedstream(data, limits: limits))
  }

  /// Reads the text from a stream that was read before.
  ///
  /// - Throws: The errors of ``init(_:limits:)``.
  public init(_ stream: Typedstream) throws(TypedstreamError) {
    var reader = MessageBodyReader(tables: stream.tables)
    self = try reader.body()
  }

  /// A run of text with the same attributes.
  public struct Run: Hashable, Sendable {
    /// The range in ``MessageBody/text``. It was converted from the stream's ranges, which count UTF-16 units.
    public var range: Range<String.Index>
    /// The attributes, in the order of the stream.
    public var attributes: [Attribute]

    /// Creates a run of text.
    public init(range: Range<String.Index>, attributes: [Attribute]) {
      self.range = range
      self.attributes = attributes
    }
  }

  /// A part of a message. Messages shows each part as a bubble.
  public struct Part: Hashable, Sendable {
    /// The number of the part, which reactions and edits refer to. Nil if the message has no number for the part.
    public var number: Int?
    /// The range in ``MessageBody/text``.
    public var range: Range<String.Index>
    /// The file that was sent. Nil for text.
    public var attachment: Attachment?
  }

  /// The parts, in order. A message without attributes has one part; a message without text has none.
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

  /// Returns the text of a part. The text of an attachment is the character U+FFFC.
  ///
  /// ```swift
  /// for part in body.parts where part.attachment == nil { print(body.text(of: part)) }
  /// ```
  public func text(of part: Part) -> Substring { text[part.range] }

  /// Data that a data detector has found in a text: a date, an amount, an address.
  public struct Detected: Hashable, Sendable {
    /// The kind of data, which depends on the attribute.
    public enum Kind: Hashable, Sendable {
      /// Any data: links, amounts, codes, flights.
      case data
      /// A date or time that an event can be created from.
      case calendarEvent
      /// A telephone number.
      case phoneNumber
      /// A postal address.
      case address
    }

    /// The kind of data.
    public var kind: Kind
    /// The result of the data detector, as a keyed archive.
    public var archive: Data

    /// Creates detected data from the archived result of a data detector.
    public init(kind: Kind, archive: Data) {
      self.kind = kind
      self.archive = archive
    }

    /// Decodes the result.
    ///
    /// ```swift
    /// for detected in run.detected {
    ///   let result = try detected.result()
    ///   print(result.type, result.text)   // Date tomorrow
    /// }
    /// ```
    ///
    /// - Throws: The errors of `KeyedUnarchiver`.
    /// - Complexity: O(*n*) in the size of the archive.
    public func result() throws -> DetectionResult {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive)
      return try unarchiver.decodeTopLevelObject(DetectionResult.self, forKey: "dd-result")
    }
  }

  /// A result of a data detector, with its partial results: `DDScannerResult` in archives.
  public struct DetectionResult: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("DDScannerResult")

    /// The type of data, such as `HttpURL`, `Date`, `PhysicalAmount`, `AuthCode`.
    public var type: String
    /// The matched text.
    public var text: String
    /// The range of the match in the text of its part, in UTF-16 units.
    public var range: Range<Int>
    /// The value of the text, if it has one: `1000000` for `M`.
    public var value: String?
    /// The partial results.
    public var parts: [DetectionResult]

    /// Creates a result.
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
        throw coder.failure(.invalidContents, "the range at \(found.location) of length \(found.length) is not valid")
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
