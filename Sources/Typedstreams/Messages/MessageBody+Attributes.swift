public import FoundationEssentials

extension MessageBody {
  /// What is said of a stretch of text.
  public enum Attribute: Hashable, Sendable {
    /// The number of the part that the text belongs to, from 0 on.
    case part(Int)
    /// The direction of the text: 0 to the right, 1 to the left, −1 if the text says it by itself.
    case writingDirection(Int)
    /// The attachment that stands here, by its `guid` in the table `attachment`.
    case transferID(String)
    /// The name of the attachment's file.
    case fileName(String)
    /// The width at which the attachment is shown, in points.
    case mediaWidth(Double)
    /// The height at which the attachment is shown, in points.
    case mediaHeight(Double)
    /// What a data detector has found.
    case detected(Detected)
    /// Where a link leads.
    case link(URL)
    /// Whether the link is shown as a preview.
    case isRichLink(Bool)
    /// The address of the person that is mentioned.
    case mention(String)
    /// A style of the text.
    case style(Styles)
    /// An animation of the text.
    case effect(Effect)
    /// A code that is typed in once.
    case oneTimeCode(OneTimeCode)
    /// The words that were heard in a recording.
    case transcription(String)
    /// Another attribute, or one that has another value than it should.
    case other(String, Value)
  }

  /// A value of an attribute that is not known here.
  public indirect enum Value: Hashable, Sendable {
    /// A text.
    case string(String)
    /// A whole number, or a truth value as 0 or 1.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// Bytes.
    case data(Data)
    /// A URL.
    case url(URL)
    /// Values in order.
    case array([Value])
    /// Values by names.
    case dictionary([String: Value])
    /// An object of another class.
    case object(className: String)
  }

  /// Styles of text.
  public struct Styles: OptionSet, Hashable, Sendable {
    /// A bit for each style.
    public let rawValue: UInt8

    /// The styles of some bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Heavier letters.
    public static let bold = Styles(rawValue: 1)
    /// Slanted letters.
    public static let italic = Styles(rawValue: 2)
    /// A line below the text.
    public static let underline = Styles(rawValue: 4)
    /// A line through the text.
    public static let strikethrough = Styles(rawValue: 8)
  }

  /// An animation of text. Those with a name are called as Messages calls them.
  public struct Effect: RawRepresentable, Hashable, Sendable {
    /// The number in the stream.
    public let rawValue: Int

    /// The animation of a number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Messages' name for it: ripple.
    public static let ripple = Effect(rawValue: 4)
    /// Messages' name for it: big.
    public static let big = Effect(rawValue: 5)
    /// Messages' name for it: bloom.
    public static let bloom = Effect(rawValue: 6)
    /// Messages' name for it: nod.
    public static let nod = Effect(rawValue: 8)
    /// Messages' name for it: shake.
    public static let shake = Effect(rawValue: 9)
    /// Messages' name for it: jitter.
    public static let jitter = Effect(rawValue: 10)
    /// Messages' name for it: small.
    public static let small = Effect(rawValue: 11)
    /// Messages' name for it: explode.
    public static let explode = Effect(rawValue: 12)
  }

  /// A code that somebody is to type in, as banks send them.
  public struct OneTimeCode: Hashable, Sendable {
    /// The code.
    public var code: String
    /// The code as it is shown.
    public var displayCode: String
  }

  /// A file that was sent with a message.
  public struct Attachment: Hashable, Sendable {
    /// The `guid` of its row in the table `attachment`, such as `at_0_…`.
    public var transferID: String
    /// The name of the file, if the message has it.
    public var fileName: String?
    /// The width at which it is shown, in points.
    public var width: Double?
    /// The height at which it is shown, in points.
    public var height: Double?
  }
}

/// Attributes by what they mean. Each is nil, empty or false for a stretch that does not have it.
extension MessageBody.Run {
  /// The number of the part that the text belongs to.
  public var part: Int? { first { if case .part(let number) = $0 { number } else { nil } } }

  /// The address of the person that is mentioned.
  public var mention: String? { first { if case .mention(let address) = $0 { address } else { nil } } }

  /// Where a link leads.
  public var link: URL? { first { if case .link(let url) = $0 { url } else { nil } } }

  /// The animation of the text.
  public var effect: MessageBody.Effect? { first { if case .effect(let effect) = $0 { effect } else { nil } } }

  /// A code that is typed in once.
  public var oneTimeCode: MessageBody.OneTimeCode? {
    first { if case .oneTimeCode(let code) = $0 { code } else { nil } }
  }

  /// The words that were heard in a recording.
  public var transcription: String? { first { if case .transcription(let text) = $0 { text } else { nil } } }

  /// What data detectors have found.
  public var detected: [MessageBody.Detected] {
    attributes.compactMap { if case .detected(let detected) = $0 { detected } else { nil } }
  }

  /// The styles of the text.
  public var styles: MessageBody.Styles {
    attributes.reduce(into: []) { if case .style(let style) = $1 { $0.formUnion(style) } }
  }

  /// The file that stands here.
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

/// The attributes of messages that are known, by their names in the stream.
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

  /// The attribute of a name; nil for one that is not known. No text is made of the bytes.
  init?(_ bytes: ArraySlice<UInt8>) {
    for entry in Self.names where entry.bytes.count == bytes.count && bytes.elementsEqual(entry.bytes) {
      self = entry.name
      return
    }
    return nil
  }
}
