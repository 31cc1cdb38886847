public import FoundationEssentials

extension MessageBody {
  /// An attribute of a run of text.
  ///
  /// ``Run`` has properties for the common ones. Attributes that this package does not know are kept:
  ///
  /// ```swift
  /// for case .other(let name, let value) in run.attributes { print(name, value) }
  /// ```
  public enum Attribute: Hashable, Sendable {
    /// The number of the part that contains the text, from 0.
    case part(Int)
    /// The writing direction: 0 for left to right, 1 for right to left, −1 for natural.
    case writingDirection(Int)
    /// The `guid` of the attachment at this position, from the table `attachment` of the Messages database.
    case transferID(String)
    /// The name of the attachment's file.
    case fileName(String)
    /// The width of the attachment on the screen, in points.
    case mediaWidth(Double)
    /// The height of the attachment on the screen, in points.
    case mediaHeight(Double)
    /// Data that a data detector has found.
    case detected(Detected)
    /// The URL of a link.
    case link(URL)
    /// True if the link is shown as a preview.
    case isRichLink(Bool)
    /// The address of the mentioned person.
    case mention(String)
    /// A style of the text.
    case style(Styles)
    /// An animation of the text.
    case effect(Effect)
    /// A one-time code.
    case oneTimeCode(OneTimeCode)
    /// The transcription of a recording.
    case transcription(String)
    /// An unknown attribute, or an attribute with an unexpected value.
    case other(String, Value)
  }

  /// The value of an unknown attribute, or an unexpected value of a known one.
  public indirect enum Value: Hashable, Sendable {
    /// A string.
    case string(String)
    /// An integer. Booleans are 0 or 1.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Bytes.
    case data(Data)
    /// A URL.
    case url(URL)
    /// An array.
    case array([Value])
    /// A dictionary.
    case dictionary([String: Value])
    /// An object of another class.
    case object(className: String)
  }

  /// Styles of text.
  public struct Styles: OptionSet, Hashable, Sendable {
    /// A bit for each style.
    public let rawValue: UInt8

    /// Creates styles from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bold text.
    public static let bold = Styles(rawValue: 1)
    /// Italic text.
    public static let italic = Styles(rawValue: 2)
    /// Underlined text.
    public static let underline = Styles(rawValue: 4)
    /// Text with a line through it.
    public static let strikethrough = Styles(rawValue: 8)
  }

  /// An animation of text. The constants have the names that Messages uses.
  public struct Effect: RawRepresentable, Hashable, Sendable {
    /// The number in the stream.
    public let rawValue: Int

    /// Creates the animation with a number, which may be unknown.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The animation that Messages calls ripple.
    public static let ripple = Effect(rawValue: 4)
    /// The animation that Messages calls big.
    public static let big = Effect(rawValue: 5)
    /// The animation that Messages calls bloom.
    public static let bloom = Effect(rawValue: 6)
    /// The animation that Messages calls nod.
    public static let nod = Effect(rawValue: 8)
    /// The animation that Messages calls shake.
    public static let shake = Effect(rawValue: 9)
    /// The animation that Messages calls jitter.
    public static let jitter = Effect(rawValue: 10)
    /// The animation that Messages calls small.
    public static let small = Effect(rawValue: 11)
    /// The animation that Messages calls explode.
    public static let explode = Effect(rawValue: 12)
  }

  /// A one-time code that a service sends for signing in.
  public struct OneTimeCode: Hashable, Sendable {
    /// The code.
    public var code: String
    /// The form of the code for display.
    public var displayCode: String
  }

  /// A file that was sent with a message.
  public struct Attachment: Hashable, Sendable {
    /// The `guid` of the attachment in the table `attachment` of the Messages database, such as `at_0_…`.
    public var transferID: String
    /// The name of the file, if the message has it.
    public var fileName: String?
    /// The width of the attachment on the screen, in points.
    public var width: Double?
    /// The height of the attachment on the screen, in points.
    public var height: Double?
  }
}

/// Properties that return attributes by their meaning. A property is nil or empty if the run does not have the
/// attribute.
extension MessageBody.Run {
  /// The number of the part that contains the text.
  public var part: Int? { first { if case .part(let number) = $0 { number } else { nil } } }

  /// The address of the mentioned person.
  public var mention: String? { first { if case .mention(let address) = $0 { address } else { nil } } }

  /// The URL of a link.
  public var link: URL? { first { if case .link(let url) = $0 { url } else { nil } } }

  /// The animation of the text.
  public var effect: MessageBody.Effect? { first { if case .effect(let effect) = $0 { effect } else { nil } } }

  /// A one-time code.
  public var oneTimeCode: MessageBody.OneTimeCode? {
    first { if case .oneTimeCode(let code) = $0 { code } else { nil } }
  }

  /// The transcription of a recording.
  public var transcription: String? { first { if case .transcription(let text) = $0 { text } else { nil } } }

  /// The data that data detectors have found.
  public var detected: [MessageBody.Detected] {
    attributes.compactMap { if case .detected(let detected) = $0 { detected } else { nil } }
  }

  /// The styles of the text.
  public var styles: MessageBody.Styles {
    attributes.reduce(into: []) { if case .style(let style) = $1 { $0.formUnion(style) } }
  }

  /// The attachment at this position.
  public var attachment: MessageBody.Attachment? {
    guard let id = first({ if case .transferID(let id) = $0 { id } else { nil } }) else { return nil }
    return MessageBody.Attachment(
      transferID: id, fileName: first { if case .fileName(let name) = $0 { name } else { nil } },
      width: first { if case .mediaWidth(let width) = $0 { width } else { nil } },
      height: first { if case .mediaHeight(let height) = $0 { height } else { nil } })
  }

  private func first<Result>(_ result: (MessageBody.Attribute) -> Result?) -> Result? {
    for attribute in attributes {
      if let result = result(attribute) { return result }
    }
    return nil
  }
}

/// The known attributes of messages, by their names in the stream.
enum MessageAttributeName: String, CaseIterable {
  case part = "__kIMMessagePartAttributeName"
  case writingDirection = "__kIMBaseWritingDirectionAttributeName"
  case transferID = "__kIMFileTransferGUIDAttributeName"
  case fileName = "__kIMFilenameAttributeName"
  case mediaWidth = "__kIMInlineMediaWidthAttributeName"
  case mediaHeight = "__kIMInlineMediaHeightAttributeName"
  case detectedData = "__kIMDataDetectedAttributeName"
  case calendarEvent = "__kIMCalendarEventAttributeName"
  case phoneNumber = "__kIMPhoneNumberAttributeName"
  case address = "__kIMAddressAttributeName"
  case link = "__kIMLinkAttributeName"
  case isRichLink = "__kIMLinkIsRichLinkAttributeName"
  case mention = "__kIMMentionConfirmedMention"
  case bold = "__kIMTextBoldAttributeName"
  case italic = "__kIMTextItalicAttributeName"
  case underline = "__kIMTextUnderlineAttributeName"
  case strikethrough = "__kIMTextStrikethroughAttributeName"
  case effect = "__kIMTextEffectAttributeName"
  case oneTimeCode = "__kIMOneTimeCodeAttributeName"
  case transcription = "IMAudioTranscription"

  private static let names = allCases.map { (bytes: Array($0.rawValue.utf8), name: $0) }

  /// Creates the name of an attribute from its bytes, without creating a string. Returns nil if the name is unknown.
  init?(_ bytes: ArraySlice<UInt8>) {
    for entry in Self.names where entry.bytes.count == bytes.count && bytes.elementsEqual(entry.bytes) {
      self = entry.name
      return
    }
    return nil
  }
}
