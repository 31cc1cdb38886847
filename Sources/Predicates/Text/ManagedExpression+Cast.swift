internal import FoundationEssentials

/// The classes that `CAST` accepts.
package enum PredicateCastTarget: String, CaseIterable {
  case string = "NSString"
  case number = "NSNumber"
  case decimal = "NSDecimalNumber"
  case date = "NSDate"
  case data = "NSData"
  case uuid = "NSUUID"
  case url = "NSURL"
  case array = "NSArray"
  case set = "NSSet"
  case dictionary = "NSDictionary"
}

extension ManagedExpression {
  /// Returns a call of `CAST`, or the constant that the call represents, such as a date, which has no other form in
  /// text.
  static func cast(_ arguments: [ManagedExpression]) -> ManagedExpression {
    guard arguments.count == 2, case .constant(.value(.string(let name))) = arguments[1],
      let target = PredicateCastTarget(rawValue: name), let constant = constant(arguments[0], as: target)
    else { return .function(.cast, arguments) }
    return .constant(constant)
  }

  private static func constant(_ source: ManagedExpression, as target: PredicateCastTarget) -> PredicateConstant? {
    let elements = plainElements(source)
    if let elements {
      switch target {
      case .array: return .array(elements)
      case .set: return .set(Set(elements))
      case .dictionary: return dictionary(elements)
      default: return nil
      }
    }
    guard case .constant(.value(let value)) = source else { return nil }
    switch (target, value) {
    case (.date, .integer(let seconds)): return .value(.date(Date(timeIntervalSinceReferenceDate: Double(seconds))))
    case (.date, .double(let seconds)): return .value(.date(Date(timeIntervalSinceReferenceDate: seconds)))
    case (.date, .string(let text)): return Date(iso8601: text).map { .value(.date($0)) }
    case (.decimal, .string(let text)): return Decimal(text: text).map { .value(.decimal($0)) }
    case (.data, .string(let text)): return Data(base64Encoded: text).map { .value(.data($0)) }
    case (.uuid, .string(let text)): return UUID(uuidString: text).map { .value(.uuid($0)) }
    case (.url, .string(let text)): return URL(string: text).map { .value(.url($0)) }
    case (.number, .string("nan")): return .value(.double(.nan))
    case (.number, .string("inf")): return .value(.double(.infinity))
    case (.number, .string("-inf")): return .value(.double(-.infinity))
    default: return nil
    }
  }

  /// Returns the elements of a list `{…}` that contains only constants and such lists; nil for anything else.
  private static func plainElements(_ source: ManagedExpression) -> [PredicateConstant]? {
    guard case .aggregate(let elements) = source else { return nil }
    var constants: [PredicateConstant] = []
    for element in elements {
      switch element {
      case .constant(let constant): constants.append(constant)
      default:
        guard let inner = plainElements(element) else { return nil }
        constants.append(.array(inner))
      }
    }
    return constants
  }

  private static func dictionary(_ elements: [PredicateConstant]) -> PredicateConstant? {
    guard elements.count % 2 == 0 else { return nil }
    var entries: [String: PredicateConstant] = [:]
    for index in stride(from: 0, to: elements.count, by: 2) {
      guard case .value(.string(let key)) = elements[index],
        entries.updateValue(elements[index + 1], forKey: key) == nil
      else { return nil }
    }
    return .dictionary(entries)
  }
}

extension PredicateFunction {
  /// Creates the function from its name in predicate text: its selector, with or without the colon at the end. Case is
  /// ignored.
  init?(text: String) {
    if let function = PredicateFunction(rawValue: text) ?? PredicateFunction(rawValue: text + ":") {
      self = function
      return
    }
    let name = text.lowercased()
    guard let function = Self.byLowercasedName[name] ?? Self.byLowercasedName[name + ":"] else { return nil }
    self = function
  }

  private static let byLowercasedName = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })
}
