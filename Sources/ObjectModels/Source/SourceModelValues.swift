internal import FoundationEssentials
package import Predicates

/// A limit that has a field in Xcode's editor. Models store it as a predicate and an error code.
package enum SourceLimit: CaseIterable {
  case minimum, maximum, pattern

  /// The name of the attribute in source files.
  var name: String {
    switch self {
    case .minimum: "minValueString"
    case .maximum: "maxValueString"
    case .pattern: "regularExpressionString"
    }
  }

  /// The name of the attribute in source files, for dates.
  var dateName: String { self == .minimum ? "minDateTimeInterval" : "maxDateTimeInterval" }

  /// Returns the Cocoa error code for a value outside the limit (`CoreDataErrors.h`).
  func code(_ type: AttributeType) -> Int {
    switch (self, type) {
    case (.pattern, _): 1680
    case (.minimum, .string): 1670
    case (.maximum, .string): 1660
    case (.minimum, .date): 1640
    case (.maximum, .date): 1630
    case (.minimum, _): 1620
    case (.maximum, _): 1610
    }
  }

  package func validation(of type: AttributeType, _ value: AttributeValue) -> PropertyValidation {
    let length = PredicateKeyPath("length").map { ManagedExpression.keyPath($0) }
    let predicate: ManagedPredicate =
      switch self {
      case .pattern: .comparing(.evaluatedObject, .matches, .value(value))
      case .minimum, .maximum:
        .comparing(
          type == .string ? length ?? .evaluatedObject : .evaluatedObject,
          self == .minimum ? .greaterThanOrEqual : .lessThanOrEqual, .value(value))
      }
    return PropertyValidation(predicate, warning: .code(code(type)))
  }

  /// Returns the limit if a validation represents a limit of this kind; nil for any other validation.
  func value(in validation: PropertyValidation, of type: AttributeType) -> AttributeValue? {
    guard case .comparison(let comparison) = validation.predicate,
      case .constant(.value(let value)) = comparison.right, self.validation(of: type, value) == validation
    else { return nil }
    return value
  }
}

/// A Boolean property of a fetch request, with its names in source files. Some names occur in two spellings.
struct SourceFlag {
  let path: any WritableKeyPath<FetchRequest, Bool> & Sendable
  let names: [String]
  /// The value of the property if the XML attribute is missing.
  let standard: Bool

  static let all = [
    SourceFlag(path: \.includesSubentities, names: ["includeSubentities", "includesSubentities"], standard: true),
    SourceFlag(
      path: \.includesPropertyValues, names: ["includePropertyValues", "includesPropertyValues"], standard: true),
    SourceFlag(path: \.includesPendingChanges, names: ["includesPendingChanges"], standard: true),
    SourceFlag(
      path: \.returnsObjectsAsFaults, names: ["returnObjectsAsFaults", "returnsObjectsAsFaults"], standard: true),
    SourceFlag(
      path: \.returnsDistinctResults, names: ["returnDistinctResults", "returnsDistinctResults"], standard: false),
  ]
}

extension AttributeValue {
  /// Creates a value from its text in a source file. Returns nil if the text is not a value of the type.
  ///
  /// A number can have the text of a Boolean, such as `YES`: if a Boolean attribute is changed to an integer, Xcode
  /// keeps the text.
  init?(sourceText text: String, _ type: AttributeType) {
    let truth: Bool? =
      switch text {
      case "YES", "true", "1": true
      case "NO", "false", "0": false
      default: nil
      }
    let value: AttributeValue? =
      switch type {
      case .integer16, .integer32, .integer64:
        Int64(text).map { .integer($0) } ?? Double(text).flatMap { Int64(exactly: $0) }.map { .integer($0) }
          ?? truth.flatMap { type.normalized(.boolean($0)) }
      case .decimal: Decimal(text: text).map { .decimal($0) } ?? truth.flatMap { type.normalized(.boolean($0)) }
      case .double: Double(text).map { .double($0) } ?? truth.flatMap { type.normalized(.boolean($0)) }
      case .float: Float(text).map { .float($0) } ?? truth.flatMap { type.normalized(.boolean($0)) }
      case .boolean: truth.map { .boolean($0) }
      case .string: .string(text)
      case .date: Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .uuid: UUID(uuidString: text).map { .uuid($0) }
      case .uri: URL(string: text).map { .url($0) }
      case .binary, .undefined, .transformable, .objectID, .composite: nil
      }
    guard let value, type.normalized(value) != nil else { return nil }
    self = value
  }

  /// Returns the text in a source file, or nil if the value has no text form.
  func sourceText(_ type: AttributeType) -> String? {
    switch self {
    case .null, .data, .composite: nil
    case .boolean(let value): type == .boolean ? (value ? "YES" : "NO") : (value ? "1" : "0")
    case .integer(let value): type == .boolean ? (value == 0 ? "NO" : "YES") : "\(value)"
    case .decimal(let value): value.description
    case .double(let value): "\(value)"
    case .float(let value): "\(value)"
    case .string(let value): value
    case .date(let value): Self.seconds(value)
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    }
  }

  private static func seconds(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    return Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
  }
}
