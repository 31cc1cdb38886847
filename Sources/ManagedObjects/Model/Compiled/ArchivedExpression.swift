internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import PropertyLists

/// `NSExpression`, which is there as one of its subclasses only.
class ArchivedExpression: ArchivedPredicatePart, SecureCoding {
  class var archivedClass: ArchivedClass { ArchivedClass("NSExpression") }

  static let types: [any SecureCoding.Type] = [
    ArchivedConstant.self, ArchivedSelf.self, ArchivedVariable.self, ArchivedKeyPath.self, ArchivedFunction.self,
    ArchivedAggregate.self, ArchivedAnyKey.self, ArchivedFetch.self,
  ]

  let expression: ManagedExpression

  fileprivate init(_ expression: ManagedExpression) { self.expression = expression }

  required init(coder: KeyedUnarchiver) throws {
    let (expression, parts) = try Self.expression(coder)
    self.expression = expression
    super.init()
    try contain(parts, coder)
  }

  /// The expression that is being decoded, and what it is made of.
  fileprivate class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    throw coder.failure(.classNotAllowed, "an expression of an unknown class")
  }

  fileprivate static func operand(_ coder: KeyedUnarchiver, forKey key: String) throws -> ArchivedExpression {
    try coder.decode(ArchivedExpression.self, of: types, forKey: key)
  }

  /// The number of `NSExpressionType`.
  fileprivate var number: Int { 0 }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(number, forKey: "NSExpressionType") }

  static func make(_ expression: ManagedExpression) throws -> ArchivedExpression {
    switch expression {
    case .constant: ArchivedConstant(expression)
    case .evaluatedObject: ArchivedSelf(expression)
    case .variable: ArchivedVariable(expression)
    case .keyPath: ArchivedKeyPath(expression)
    case .function, .method: ArchivedFunction(expression)
    case .aggregate: ArchivedAggregate(expression)
    case .anyKey: ArchivedAnyKey(expression)
    case .fetch: ArchivedFetch(expression)
    case .assignment, .element, .subquery, .conditional, .combination:
      throw KeyedArchiveError(.invalidValue, "it is not known how compiled models hold such an expression")
    }
  }
}

/// `NSConstantValueExpression`.
final class ArchivedConstant: ArchivedExpression {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSConstantValueExpression", superclass: super.archivedClass)
  }

  /// The name of a class that stands for itself, as the first operand of functions.
  private(set) var className: String?

  /// A class.
  init(className: String) {
    self.className = className
    super.init(.constant(.null))
  }

  override init(_ expression: ManagedExpression) { super.init(expression) }

  required init(coder: KeyedUnarchiver) throws {
    className = try coder.decodeIfPresent(String.self, forKey: "NSConstantValueClassName")
    try super.init(coder: coder)
  }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    let value = try coder.decodeIfPresent(ArchivedValue.self, forKey: "NSConstantValue") ?? .null
    return (.constant(try PredicateConstant(value)), [])
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    if let className {
      try coder.encode(className, forKey: "NSConstantValueClassName")
    } else if case .constant(let constant) = expression {
      try coder.encode(constant.archivedValue, forKey: "NSConstantValue")
    }
  }
}

/// `NSSelfExpression`.
final class ArchivedSelf: ArchivedExpression {
  override class var archivedClass: ArchivedClass { ArchivedClass("NSSelfExpression", superclass: super.archivedClass) }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    (.evaluatedObject, [])
  }

  override var number: Int { 1 }
}

/// `NSAnyKeyExpression`.
final class ArchivedAnyKey: ArchivedExpression {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSAnyKeyExpression", superclass: super.archivedClass)
  }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    (.anyKey, [])
  }

  override var number: Int { 15 }
}

/// `NSVariableExpression`.
final class ArchivedVariable: ArchivedExpression {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSVariableExpression", superclass: super.archivedClass)
  }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    (.variable(try coder.decode(String.self, forKey: "NSVariable")), [])
  }

  override var number: Int { 2 }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    if case .variable(let name) = expression { try coder.encode(name, forKey: "NSVariable") }
  }
}

/// `NSFunctionExpression`.
class ArchivedFunction: ArchivedExpression {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSFunctionExpression", superclass: super.archivedClass)
  }

  /// The class whose methods are the functions.
  private static let utilities = "_NSPredicateUtilities"

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    let operand = try operand(coder, forKey: "NSOperand")
    let name = try coder.decode(String.self, forKey: "NSSelectorName")
    let arguments = try coder.decodeIfPresent([ArchivedExpression].self, of: types, forKey: "NSArguments") ?? []
    let parts = arguments.map(\.expression)
    if (operand as? ArchivedConstant)?.className == utilities, let function = PredicateFunction(rawValue: name) {
      return (.function(function, parts), arguments)
    }
    let object = (operand as? ArchivedConstant)?.className.map { ManagedExpression.value(.string($0)) }
    return (.method(name, of: object ?? operand.expression, arguments: parts), arguments + [operand])
  }

  override var number: Int { 4 }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    switch expression {
    case .function(let function, let arguments):
      try coder.encode(ArchivedConstant(className: Self.utilities), forKey: "NSOperand")
      try coder.encode(function.rawValue, forKey: "NSSelectorName")
      try coder.encode(Self.values(arguments), forKey: "NSArguments")
    case .method(let name, let operand, let arguments):
      try coder.encode(ArchivedExpression.make(operand), forKey: "NSOperand")
      try coder.encode(name, forKey: "NSSelectorName")
      try coder.encode(Self.values(arguments), forKey: "NSArguments")
    default: return
    }
  }

  fileprivate static func values(_ expressions: [ManagedExpression]) throws -> [ArchivedValue] {
    try expressions.map { ArchivedValue.object(try ArchivedExpression.make($0)) }
  }
}

/// `NSKeyPathExpression`: a call of `valueForKey:` or `valueForKeyPath:`.
final class ArchivedKeyPath: ArchivedFunction {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSKeyPathExpression", superclass: super.archivedClass)
  }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    let operand = try operand(coder, forKey: "NSOperand")
    let arguments = try coder.decode(
      [ArchivedPredicatePart].self, of: [ArchivedKeyPathSpecifier.self] + types, forKey: "NSArguments")
    let text: String? =
      switch arguments.first {
      case let specifier as ArchivedKeyPathSpecifier: specifier.path
      case let constant as ArchivedConstant:
        if case .constant(.value(.string(let text))) = constant.expression { text } else { nil }
      default: nil
      }
    guard arguments.count == 1, let text, let path = PredicateKeyPath(text) else {
      throw coder.failure(.invalidContents, "a key path of no keys")
    }
    return (.keyPath(path, of: operand.expression), [operand])
  }

  private var isOfSelf: Bool { if case .keyPath(_, .evaluatedObject) = expression { true } else { false } }

  override var number: Int { isOfSelf ? 3 : 4 }

  override func encode(with coder: KeyedArchiver) throws {
    guard case .keyPath(let path, let operand) = expression else { return }
    try coder.encode(number, forKey: "NSExpressionType")
    try coder.encode(ArchivedExpression.make(operand), forKey: "NSOperand")
    try coder.encode(isOfSelf && path.keys.count == 1 ? "valueForKey:" : "valueForKeyPath:", forKey: "NSSelectorName")
    try coder.encode(
      Archived.Mutable([ArchivedValue.object(ArchivedKeyPathSpecifier(path.description))]), forKey: "NSArguments")
  }
}

/// `NSKeyPathSpecifierExpression`.
final class ArchivedKeyPathSpecifier: ArchivedPredicatePart, SecureCoding {
  static let archivedClass = ArchivedClass("NSKeyPathSpecifierExpression", ancestors: ["NSExpression", "NSObject"])

  let path: String

  init(_ path: String) { self.path = path }

  init(coder: KeyedUnarchiver) throws { path = try coder.decode(String.self, forKey: "NSKeyPath") }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(10, forKey: "NSExpressionType")
    try coder.encode(path, forKey: "NSKeyPath")
  }
}

/// `NSAggregateExpression`. No file with one was found; the key is the one that GNUstep's class has.
final class ArchivedAggregate: ArchivedExpression {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSAggregateExpression", superclass: super.archivedClass)
  }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    let elements = try coder.decode([ArchivedExpression].self, of: types, forKey: "NSCollection")
    return (.aggregate(elements.map(\.expression)), elements)
  }

  override var number: Int { 14 }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    if case .aggregate(let elements) = expression {
      try coder.encode(ArchivedFunction.values(elements), forKey: "NSCollection")
    }
  }
}

/// `NSFetchRequestExpression`.
final class ArchivedFetch: ArchivedExpression {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSFetchRequestExpression", superclass: super.archivedClass)
  }

  override class func expression(_ coder: KeyedUnarchiver) throws -> (ManagedExpression, [ArchivedPredicatePart]) {
    let request = try operand(coder, forKey: "NSFRExpression")
    let context = try operand(coder, forKey: "NSMOCExpression")
    let countOnly = try coder.decodeIfPresent(Bool.self, forKey: "NSCountOnlyFlag") ?? false
    return (.fetch(request: request.expression, context: context.expression, countOnly: countOnly), [request, context])
  }

  override var number: Int { 50 }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    guard case .fetch(let request, let context, let countOnly) = expression else { return }
    try coder.encode(ArchivedExpression.make(request), forKey: "NSFRExpression")
    try coder.encode(ArchivedExpression.make(context), forKey: "NSMOCExpression")
    try coder.encode(countOnly, forKey: "NSCountOnlyFlag")
  }
}

extension PredicateConstant {
  fileprivate init(_ value: ArchivedValue) throws {
    switch value {
    case .array(let elements): self = .array(try elements.map { try PredicateConstant($0) })
    case .set(let elements): self = .set(Set(try elements.map { try PredicateConstant($0) }))
    case .dictionary(let entries):
      var table: [String: PredicateConstant] = [:]
      for (key, value) in entries {
        guard case .string(let key) = key else {
          throw KeyedArchiveError(.invalidContents, "a dictionary in a predicate with a key that is no string")
        }
        table[key] = try PredicateConstant(value)
      }
      self = .dictionary(table)
    case .object(let object as OpaqueObject): self = .opaque(object)
    default: self = .value(try AttributeValue(value, for: .undefined))
    }
  }

  fileprivate var archivedValue: ArchivedValue? {
    get throws {
      switch self {
      case .value(let value): return try value.archived(for: .undefined)
      case .array(let elements): return .array(try elements.map { try $0.archivedValue ?? .null })
      case .set(let elements): return .set(OrderedSet(try elements.map { try $0.archivedValue ?? .null }))
      case .dictionary(let entries):
        let sorted = entries.sorted { $0.key.precedes($1.key) }
        return .dictionary(
          OrderedDictionary(
            uniqueKeysWithValues: try sorted.map { (ArchivedValue.string($0), try $1.archivedValue ?? .null) }))
      case .opaque(let object): return .object(object)
      }
    }
  }
}
