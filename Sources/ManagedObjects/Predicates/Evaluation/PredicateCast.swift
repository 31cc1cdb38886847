internal import FoundationEssentials

/// `CAST(value, 'Class')` of values that are known when the predicate is evaluated.
enum PredicateCast {
  static func cast<Object>(
    _ value: PredicateValue<Object>, to name: PredicateValue<Object>
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    guard case .value(.string(let className)) = name, let target = PredicateCastTarget(rawValue: className) else {
      throw ManagedPredicateError(.unsupported, "CAST to a class that is not one of Foundation's values")
    }
    if value.isNull { return .null }
    if let elements = value.elements {
      switch target {
      case .array: return .array(elements)
      case .set: return .set(Evaluation.distinct(elements))
      default: break
      }
    }
    if case .value(let scalar) = value, let result = scalar.cast(to: target) { return .value(result) }
    throw ManagedPredicateError(.typeMismatch, "\(value.kindName) cannot be cast to \(className)")
  }
}

extension AttributeValue {
  /// The value as one of another class; nil if it has none.
  fileprivate func cast(to target: PredicateCastTarget) -> AttributeValue? {
    switch (target, self) {
    case (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid), (.url, .url), (.decimal, .decimal):
      return self
    case (.string, _): return text.map { .string($0) }
    case (.number, _) where isNumber: return self
    case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
    case (.number, .string(let text)): return Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
    case (.decimal, .string(let text)): return ManagedExpression.decimal(text).map { .decimal($0) }
    case (.decimal, .double), (.decimal, .float), (.decimal, .integer), (.decimal, .boolean):
      return text.flatMap { ManagedExpression.decimal($0) }.map { .decimal($0) }
    case (.date, _) where isNumber:
      return PredicateArithmetic.double(self).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
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
