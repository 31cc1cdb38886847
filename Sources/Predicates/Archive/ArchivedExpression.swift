internal import KeyedArchiving

/// An archived object of a subclass of `NSExpression`.
///
/// Constants, `SELF`, variables, key paths, functions and fetches are archived as in files of Apple's software. Files
/// with other expressions are not known, so the keys of these are guesses: names for their contents.
struct ArchivedExpression: ArchivedForm, Hashable {
  static let archivedClass = ArchivedClass(Class.constant.rawValue, aliases: Class.allCases.map(\.rawValue))
  static let nameInMessages = "NSExpression"

  let expression: ManagedExpression
  /// The number of levels of a decoded expression; 1 for an expression that will be encoded.
  let height: Int
  private let objectClass: Class

  private enum Class: String, CaseIterable {
    case constant = "NSConstantValueExpression"
    case evaluatedObject = "NSSelfExpression"
    case variable = "NSVariableExpression"
    /// The text of a key path. It is the argument of a key-path expression.
    case keyPathSpecifier = "NSKeyPathSpecifierExpression"
    case keyPath = "NSKeyPathExpression"
    case function = "NSFunctionExpression"
    /// `FIRST`, `LAST`, `SIZE`.
    case symbol = "NSSymbolicExpression"
    case fetch = "NSFetchRequestExpression"
    case anyKey = "NSAnyKeyExpression"
    case aggregate = "NSAggregateExpression"
    case subquery = "NSSubqueryExpression"
    case conditional = "NSTernaryExpression"
    case combination = "NSSetExpression"
    case assignment = "NSVariableAssignmentExpression"
  }

  private static let classes = Dictionary(
    uniqueKeysWithValues: Class.allCases.map { objectClass in
      let ancestors = objectClass == .keyPath ? [Class.function.rawValue] : []
      return (objectClass, ArchivedClass(objectClass.rawValue, ancestors: ancestors + ["NSExpression", "NSObject"]))
    })

  private init(_ expression: ManagedExpression, as objectClass: Class) {
    self.expression = expression
    self.objectClass = objectClass
    height = 1
  }

  init(_ expression: ManagedExpression) {
    let objectClass: Class =
      switch expression {
      case .constant: .constant
      case .evaluatedObject: .evaluatedObject
      case .variable: .variable
      case .assignment: .assignment
      case .keyPath: .keyPath
      case .anyKey: .anyKey
      case .aggregate: .aggregate
      case .function, .method, .element: .function
      case .subquery: .subquery
      case .conditional: .conditional
      case .combination: .combination
      case .fetch: .fetch
      }
    self.init(expression, as: objectClass)
  }

  /// A constant that is the class `_NSPredicateUtilities`, whose methods are the functions of predicates. In files,
  /// only the operand of a function is such a constant.
  static let utilities = ArchivedExpression(
    .method("_NSPredicateUtilities", of: .constant(.null), arguments: []), as: .constant)

  /// Returns an expression for `FIRST`, `LAST` or `SIZE`.
  static func symbol(_ name: String) -> ArchivedExpression {
    ArchivedExpression(.method(name, of: .anyKey, arguments: []), as: .symbol)
  }

  /// Returns an `NSKeyPathSpecifierExpression`, which contains the text of a key path.
  static func keyPathSpecifier(_ path: PredicateKeyPath) -> ArchivedExpression {
    ArchivedExpression(.value(.string(path.description)), as: .keyPathSpecifier)
  }

  init(coder: KeyedUnarchiver) throws {
    objectClass = coder.currentClass(among: Class.self) ?? .constant
    (expression, height) = try Self.contents(of: objectClass, coder)
    _ = try coder.checkedHeight(height)
  }

  /// An expression, and its number of levels.
  private typealias Contents = (expression: ManagedExpression, height: Int)

  // Each class has its own decoding function. The temporary values of one class then do not enlarge the stack frame
  // that is repeated for every level of an expression.

  private static func contents(of objectClass: Class, _ coder: KeyedUnarchiver) throws -> Contents {
    switch objectClass {
    case .constant: return try constant(coder)
    case .evaluatedObject: return (.evaluatedObject, 1)
    case .variable: return (.variable(try coder.decode(String.self, forKey: "NSVariable")), 1)
    case .keyPathSpecifier: return (.value(.string(try coder.decode(String.self, forKey: "NSKeyPath"))), 1)
    case .keyPath: return try keyPath(coder)
    case .function: return try function(coder)
    case .symbol: return try symbol(coder)
    case .fetch: return try fetch(coder)
    case .anyKey: return (.anyKey, 1)
    case .aggregate: return try aggregate(coder)
    case .subquery: return try subquery(coder)
    case .conditional: return try conditional(coder)
    case .combination: return try combination(coder)
    case .assignment: return try assignment(coder)
    }
  }

  private static func part(_ key: String, _ coder: KeyedUnarchiver) throws -> ArchivedExpression {
    try coder.decode(forKey: key)
  }

  private static func parts(_ key: String, _ coder: KeyedUnarchiver) throws -> [ArchivedExpression] {
    try coder.decodeIfPresent(forKey: key) ?? []
  }

  private static func predicate(_ coder: KeyedUnarchiver) throws -> ArchivedPredicate {
    try coder.decode(forKey: "NSPredicate")
  }

  @inline(never)
  private static func constant(_ coder: KeyedUnarchiver) throws -> Contents {
    if let name = try coder.decodeIfPresent(String.self, forKey: "NSConstantValueClassName") {
      return (.method(name, of: .constant(.null), arguments: []), 1)
    }
    let constant = try PredicateConstant(
      coder.decodeIfPresent(ArchivedValue.self, forKey: "NSConstantValue") ?? .null, in: coder)
    return (.constant(constant), try coder.height(of: constant))
  }

  @inline(never)
  private static func keyPath(_ coder: KeyedUnarchiver) throws -> Contents {
    let operand = try part("NSOperand", coder)
    let arguments = try parts("NSArguments", coder)
    guard arguments.count == 1, case .constant(.value(.string(let text))) = arguments[0].expression,
      let path = PredicateKeyPath(text)
    else { throw coder.failure(.invalidContents, "the argument of an NSKeyPathExpression is not a key path") }
    return (.keyPath(path, of: operand.expression), operand.height + 1)
  }

  @inline(never)
  private static func function(_ coder: KeyedUnarchiver) throws -> Contents {
    let operand = try part("NSOperand", coder)
    let selector = try coder.decode(String.self, forKey: "NSSelectorName")
    let parts = try parts("NSArguments", coder)
    let arguments = parts.map(\.expression)
    let height = parts.reduce(operand.height) { max($0, $1.height) } + 1
    guard operand.expression == utilities.expression else {
      return (.method(selector, of: operand.expression, arguments: arguments), height)
    }
    if selector == "objectFrom:withIndex:", arguments.count == 2 {
      return (.element(elementSubscript(arguments[1]), of: arguments[0]), height)
    }
    guard let function = PredicateFunction(rawValue: selector), function.argumentCounts.contains(arguments.count)
    else { throw coder.failure(.invalidContents, "\(selector) is not a function with \(arguments.count) arguments") }
    return (.function(function, arguments), height)
  }

  private static func symbol(_ coder: KeyedUnarchiver) throws -> Contents {
    let name = try coder.decode(String.self, forKey: "NSSymbol")
    guard ["FIRST", "LAST", "SIZE"].contains(name) else {
      throw coder.failure(.invalidContents, "the symbol of an NSSymbolicExpression must be FIRST, LAST or SIZE")
    }
    return (symbol(name).expression, 1)
  }

  @inline(never)
  private static func fetch(_ coder: KeyedUnarchiver) throws -> Contents {
    let (request, context) = (try part("NSFRExpression", coder), try part("NSMOCExpression", coder))
    let countOnly = try coder.decodeIfPresent(Bool.self, forKey: "NSCountOnlyFlag") ?? false
    return (
      .fetch(request: request.expression, context: context.expression, countOnly: countOnly),
      max(request.height, context.height) + 1
    )
  }

  @inline(never)
  private static func aggregate(_ coder: KeyedUnarchiver) throws -> Contents {
    let parts = try parts("NSCollection", coder)
    return (.aggregate(parts.map(\.expression)), (parts.map(\.height).max() ?? 0) + 1)
  }

  @inline(never)
  private static func subquery(_ coder: KeyedUnarchiver) throws -> Contents {
    let (collection, variable) = (try part("NSCollection", coder), try part("NSVariableExpression", coder))
    let predicate = try predicate(coder)
    guard case .variable(let name) = variable.expression else {
      throw coder.failure(.invalidContents, "an NSSubqueryExpression has no variable")
    }
    return (
      .subquery(collection.expression, variable: name, predicate.predicate),
      max(collection.height, predicate.height) + 1
    )
  }

  @inline(never)
  private static func conditional(_ coder: KeyedUnarchiver) throws -> Contents {
    let predicate = try predicate(coder)
    let (first, second) = (try part("NSTrueExpression", coder), try part("NSFalseExpression", coder))
    return (
      .conditional(predicate.predicate, first.expression, second.expression),
      max(predicate.height, first.height, second.height) + 1
    )
  }

  @inline(never)
  private static func combination(_ coder: KeyedUnarchiver) throws -> Contents {
    let operation: PredicateSetOperation
    switch try coder.decode(Int.self, forKey: "NSExpressionType") {
    case 5: operation = .union
    case 6: operation = .intersect
    case 7: operation = .minus
    default: throw coder.failure(.invalidContents, "an NSSetExpression has an unknown type")
    }
    let (first, second) = (try part("NSLeftExpression", coder), try part("NSRightExpression", coder))
    return (.combination(operation, first.expression, second.expression), max(first.height, second.height) + 1)
  }

  @inline(never)
  private static func assignment(_ coder: KeyedUnarchiver) throws -> Contents {
    let (variable, value) = (try part("NSAssignmentVariable", coder), try part("NSSubexpression", coder))
    guard case .variable(let name) = variable.expression else {
      throw coder.failure(.invalidContents, "an NSVariableAssignmentExpression has no variable")
    }
    return (.assignment(variable: name, value.expression), value.height + 1)
  }

  private static func elementSubscript(_ index: ManagedExpression) -> PredicateSubscript {
    guard case .method(let name, of: .anyKey, arguments: []) = index else { return .index(index) }
    return switch name {
    case "FIRST": .first
    case "LAST": .last
    default: .size
    }
  }

  func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    try coder.reference(toValue: self, as: Self.classes[objectClass] ?? Self.archivedClass)
  }

  /// Writes the contents of an expression. The type numbers come from `NSExpression.h`, except 10 and 11, which come
  /// from files of Apple's software.
  func encode(with coder: KeyedArchiver) throws {
    func encode(type: Int) throws { try coder.encode(type, forKey: "NSExpressionType") }
    switch (objectClass, expression) {
    case (.constant, .method(let name, of: _, _)):
      try encode(type: 0)
      try coder.encode(name, forKey: "NSConstantValueClassName")
    case (.keyPathSpecifier, .constant(.value(.string(let text)))):
      try encode(type: 10)
      try coder.encode(text, forKey: "NSKeyPath")
    case (.symbol, .method(let name, of: _, _)):
      try encode(type: 11)
      try coder.encode(name, forKey: "NSSymbol")
    default: try expression.encodeContents(with: coder)
    }
  }
}

extension ManagedExpression {
  /// Returns true if `name` has the form of the class names in archived expressions and predicates.
  package static func isArchivedPart(_ name: String) -> Bool {
    name.hasPrefix("NS") && (name.hasSuffix("Expression") || name.contains("Predicate"))
  }
}
