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
