import FoundationEssentials
import ManagedObjects
import PropertyLists

extension AttributeType {
  /// Converts text to a value of the type: `true`, `42`, `1.5`, `2026-01-31T12:00:00Z`, or base64 for data. Returns nil
  /// if the text is not a value of the type, or if the type has no text form.
  ///
  /// - Parameter timeZone: the zone of dates that do not name a zone; nil to refuse such dates. A day without a time is
  ///   always accepted, and means its beginning in UTC.
  func value(ofText text: String, timeZone: LocalTime? = nil) -> AttributeValue? {
    func raw(_ kind: PropertyList.Kind) -> PropertyList? { try? PropertyList(rawText: text, as: kind) }
    switch self {
    case .integer16, .integer32, .integer64:
      guard let value = raw(.integer)?.integer.flatMap({ Int64(exactly: $0) }), integers?.contains(value) == true else {
        return nil
      }
      return .integer(value)
    case .decimal: return Decimal(text: text).flatMap { $0.isNaN ? nil : .decimal($0) }
    case .double: if case .real(let value)? = raw(.real) { return .double(value) }
    case .float:
      if case .real(let value)? = raw(.real), Float(value).isFinite || !value.isFinite { return .float(Float(value)) }
    case .string, .undefined: return .string(text)
    case .boolean: return raw(.boolean)?.boolean.map { .boolean($0) }
    case .date: return Self.date(text, timeZone).map { .date($0) }
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .uri: return URL(string: text).map { .url($0) }
    case .binary, .transformable: return raw(.data)?.data.map { .data($0) }
    case .objectID, .composite: break
    }
    return nil
  }

  private static func date(_ text: String, _ timeZone: LocalTime?) -> Date? {
    switch timeZone?.read(text) {
    case .date(let date): return date
    case .skipped: return nil
    case nil: break
    }
    if let date = (try? PropertyList(rawText: text, as: .date))?.date { return date }
    if let seconds = DateText.parseISO8601(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
    // Dates in years that have no text form are written as a number of seconds.
    guard case .real(let seconds)? = try? PropertyList(rawText: text, as: .real), !seconds.isNaN,
      DateText.text(seconds) == nil
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}
