internal import FoundationEssentials
internal import PropertyLists

/// The conversions of `CAST(value, 'Class')` during evaluation.
@usableFromInline
package enum PredicateCast {
  /// The accepted spellings of dates, for messages.
  package static let spellingOfDates = "write dates as 2027-01-31, 2027-01-31T12:00:00Z or 2027-01-31T12:00:00+01:00"

  @usableFromInline package static func cast<Object>(
    _ value: PredicateValue<Object>, to name: PredicateValue<Object>
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    guard case .value(.string(let className)) = name, let target = PredicateCastTarget(rawValue: className) else {
      throw ManagedPredicateError(.unsupported, "CAST needs the name of a Foundation value class, such as \"NSDate\"")
    }
    if value.isNull { return .null }
    if let elements = value.elements {
      switch target {
      case .array: return .array(elements)
      case .set: return .set(Evaluation.distinct(elements))
      default: break
      }
    }
    guard case .value(let scalar) = value else {
      throw ManagedPredicateError(.typeMismatch, "\(value.kindName) cannot be cast to \(className)")
    }
    return .value(try scalar.cast(to: target))
  }
}

extension AttributeValue {
  /// Returns the value converted to a class that `CAST` accepts. Throws if it cannot be converted.
  package func cast(to target: PredicateCastTarget) throws(ManagedPredicateError) -> AttributeValue {
    if let result = converted(to: target) { return result }
    var message = "\(PredicateValue<AttributeValue>.value(self).kindName) cannot be cast to \(target.rawValue)"
    if case .string(let text) = self {
      message = "\(text.quoted) cannot be cast to \(target.rawValue)"
      if target == .date { message += "; \(PredicateCast.spellingOfDates)" }
    }
    throw ManagedPredicateError(.typeMismatch, message)
  }

  /// Returns the value converted to a class that `CAST` accepts, or nil if it cannot be converted.
  private func converted(to target: PredicateCastTarget) -> AttributeValue? {
    switch (target, self) {
    case (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid), (.url, .url), (.decimal, .decimal):
      return self
    case (.string, _): return text.map { .string($0) }
    case (.number, _) where isNumber: return self
    case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
    case (.number, .string(let text)): return Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
    case (.decimal, .string(let text)): return Decimal(text: text).map { .decimal($0) }
    case (.decimal, .double), (.decimal, .float), (.decimal, .integer), (.decimal, .boolean):
      return text.flatMap { Decimal(text: $0) }.map { .decimal($0) }
    case (.date, _) where isNumber:
      return PredicateArithmetic.double(self).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.date, .string(let text)): return Date(iso8601: text).map { .date($0) }
    case (.data, .string(let text)): return Data(base64Encoded: text).map { .data($0) }
    case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
    case (.url, .string(let text)): return URL(string: text).map { .url($0) }
    default: return nil
    }
  }

  private var text: String? {
    switch self {
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .double(let value): "\(value)"
    case .float(let value): "\(value)"
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    default: nil
    }
  }
}

extension Date {
  /// Creates a date from ISO 8601 text: a day, which means its first moment in UTC, or a date and time with a time
  /// zone. Returns nil for other text.
  init?(iso8601 text: String) {
    guard let seconds = DateText.parseISO8601(text) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}
