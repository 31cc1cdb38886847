internal import KeyedArchiving

/// An object of an archive that is an expression.
protocol ArchivedExpression: SecureCoding {
  var content: ArchivedExpressionContent { get }
}

/// An expression, and the number of its levels.
struct ArchivedExpressionContent: Hashable {
  let expression: ManagedExpression
  let height: Int

  init(_ expression: ManagedExpression, height: Int = 1) {
    self.expression = expression
    self.height = height
  }
}

/// A class below `NSExpression`: its name, and the contents of its objects.
protocol ExpressionClass {
  static var archivedClass: ArchivedClass { get }
  static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent
  /// Writes what ``read(_:)`` makes an expression of.
  static func write(_ expression: ManagedExpression, with coder: KeyedArchiver) throws
}

extension ExpressionClass {
  static func write(_ expression: ManagedExpression, with coder: KeyedArchiver) throws {
    try expression.encodeContents(with: coder)
  }

  fileprivate static func named(_ name: String, below ancestors: String...) -> ArchivedClass {
    ArchivedClass(name, ancestors: ancestors + ["NSExpression", "NSObject"])
  }
}

/// An object of a class below `NSExpression`.
struct ExpressionObject<Class: ExpressionClass>: ArchivedExpression, Hashable {
  static var archivedClass: ArchivedClass { Class.archivedClass }

  let content: ArchivedExpressionContent

  init(_ expression: ManagedExpression) { content = ArchivedExpressionContent(expression) }

  init(coder: KeyedUnarchiver) throws {
    content = try Class.read(coder)
    _ = try coder.checkedHeight(content.height)
  }

  func encode(with coder: KeyedArchiver) throws { try Class.write(content.expression, with: coder) }
}

/// The classes of expressions. The constant, `SELF`, variables, key paths, functions and fetches are as they are in
/// files; the keys of the others have not been seen, and are named after what they hold.
package enum ArchivedExpressions {
  enum Constant: ExpressionClass {
    static let archivedClass = named("NSConstantValueExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      if let name = try coder.decodeIfPresent(String.self, forKey: "NSConstantValueClassName") {
        // A class, which only functions have as their operand.
        return ArchivedExpressionContent(.method(name, of: .constant(.null), arguments: []))
      }
      let constant = try PredicateConstant(
        coder.decodeIfPresent(ArchivedValue.self, forKey: "NSConstantValue") ?? .null, in: coder)
      return ArchivedExpressionContent(.constant(constant), height: try coder.height(of: constant))
    }

    static func write(_ expression: ManagedExpression, with coder: KeyedArchiver) throws {
      guard case .method(let name, of: .constant(.null), arguments: []) = expression else {
        return try expression.encodeContents(with: coder)
      }
      try coder.encode(0, forKey: "NSExpressionType")
      try coder.encode(name, forKey: "NSConstantValueClassName")
    }
  }

  enum EvaluatedObject: ExpressionClass {
    static let archivedClass = named("NSSelfExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.evaluatedObject)
    }
  }

  enum Variable: ExpressionClass {
    static let archivedClass = named("NSVariableExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.variable(try coder.decode(String.self, forKey: "NSVariable")))
    }
  }

  /// A part of key paths.
  enum KeyPathSpecifier: ExpressionClass {
    static let archivedClass = named("NSKeyPathSpecifierExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.value(.string(try coder.decode(String.self, forKey: "NSKeyPath"))))
    }

    static func write(_ expression: ManagedExpression, with coder: KeyedArchiver) throws {
      guard case .constant(.value(.string(let text))) = expression else {
        return try expression.encodeContents(with: coder)
      }
      try coder.encode(10, forKey: "NSExpressionType")
      try coder.encode(text, forKey: "NSKeyPath")
    }
  }

  enum KeyPath: ExpressionClass {
    static let archivedClass = named("NSKeyPathExpression", below: "NSFunctionExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let operand = try coder.expressionPart(forKey: "NSOperand")
      let arguments = try coder.expressionParts(forKey: "NSArguments")
      guard arguments.count == 1, case .constant(.value(.string(let text))) = arguments[0].expression,
        let path = PredicateKeyPath(text)
      else { throw coder.failure(.invalidContents, "a key path that is none") }
      return ArchivedExpressionContent(.keyPath(path, of: operand.expression), height: operand.height + 1)
    }
  }

  enum Function: ExpressionClass {
    static let archivedClass = named("NSFunctionExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let operand = try coder.expressionPart(forKey: "NSOperand")
      let selector = try coder.decode(String.self, forKey: "NSSelectorName")
      let parts = try coder.expressionParts(forKey: "NSArguments")
      let arguments = parts.map(\.expression)
      let height = (parts.map(\.height) + [operand.height]).max().map { $0 + 1 } ?? 1
      guard operand.expression == utilities else {
        return ArchivedExpressionContent(
          .method(selector, of: operand.expression, arguments: arguments), height: height)
      }
      if selector == "objectFrom:withIndex:", arguments.count == 2 {
        return ArchivedExpressionContent(.element(elementSubscript(arguments[1]), of: arguments[0]), height: height)
      }
      guard let function = PredicateFunction(rawValue: selector), function.argumentCounts.contains(arguments.count)
      else { throw coder.failure(.invalidContents, "no function \(selector) with \(arguments.count) arguments") }
      return ArchivedExpressionContent(.function(function, arguments), height: height)
    }

    private static func elementSubscript(_ index: ManagedExpression) -> PredicateSubscript {
      guard case .method(let name, of: .anyKey, arguments: []) = index else { return .index(index) }
      return switch name {
      case "FIRST": .first
      case "LAST": .last
      default: .size
      }
    }
  }

  /// `FIRST`, `LAST`, `SIZE`.
  enum Symbol: ExpressionClass {
    static let archivedClass = named("NSSymbolicExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let name = try coder.decode(String.self, forKey: "NSSymbol")
      guard ["FIRST", "LAST", "SIZE"].contains(name) else {
        throw coder.failure(.invalidContents, "a symbol that is not FIRST, LAST or SIZE")
      }
      return ArchivedExpressionContent(.method(name, of: .anyKey, arguments: []))
    }

    static func write(_ expression: ManagedExpression, with coder: KeyedArchiver) throws {
      guard case .method(let name, of: .anyKey, arguments: []) = expression else {
        return try expression.encodeContents(with: coder)
      }
      try coder.encode(11, forKey: "NSExpressionType")
      try coder.encode(name, forKey: "NSSymbol")
    }
  }

  enum Fetch: ExpressionClass {
    static let archivedClass = named("NSFetchRequestExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let request = try coder.expressionPart(forKey: "NSFRExpression")
      let context = try coder.expressionPart(forKey: "NSMOCExpression")
      let countOnly = try coder.decodeIfPresent(Bool.self, forKey: "NSCountOnlyFlag") ?? false
      return ArchivedExpressionContent(
        .fetch(request: request.expression, context: context.expression, countOnly: countOnly),
        height: max(request.height, context.height) + 1)
    }
  }

  enum AnyKey: ExpressionClass {
    static let archivedClass = named("NSAnyKeyExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.anyKey)
    }
  }

  enum Aggregate: ExpressionClass {
    static let archivedClass = named("NSAggregateExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let parts = try coder.expressionParts(forKey: "NSCollection")
      return ArchivedExpressionContent(
        .aggregate(parts.map(\.expression)), height: (parts.map(\.height).max() ?? 0) + 1)
    }
  }

  enum Subquery: ExpressionClass {
    static let archivedClass = named("NSSubqueryExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let collection = try coder.expressionPart(forKey: "NSCollection")
      let variable = try coder.expressionPart(forKey: "NSVariableExpression")
      let predicate = try coder.predicatePart(forKey: "NSPredicate")
      guard case .variable(let name) = variable.expression else {
        throw coder.failure(.invalidContents, "a subquery without a variable")
      }
      return ArchivedExpressionContent(
        .subquery(collection.expression, variable: name, predicate.predicate),
        height: max(collection.height, predicate.height) + 1)
    }
  }

  enum Conditional: ExpressionClass {
    static let archivedClass = named("NSTernaryExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let predicate = try coder.predicatePart(forKey: "NSPredicate")
      let first = try coder.expressionPart(forKey: "NSTrueExpression")
      let second = try coder.expressionPart(forKey: "NSFalseExpression")
      return ArchivedExpressionContent(
        .conditional(predicate.predicate, first.expression, second.expression),
        height: max(predicate.height, first.height, second.height) + 1)
    }
  }

  enum Combination: ExpressionClass {
    static let archivedClass = named("NSSetExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let operation: PredicateSetOperation
      switch try coder.decode(Int.self, forKey: "NSExpressionType") {
      case 5: operation = .union
      case 6: operation = .intersect
      case 7: operation = .minus
      default: throw coder.failure(.invalidContents, "a combination of sets of no known type")
      }
      let first = try coder.expressionPart(forKey: "NSLeftExpression")
      let second = try coder.expressionPart(forKey: "NSRightExpression")
      return ArchivedExpressionContent(
        .combination(operation, first.expression, second.expression), height: max(first.height, second.height) + 1)
    }
  }

  enum Assignment: ExpressionClass {
    static let archivedClass = named("NSVariableAssignmentExpression")

    static func read(_ coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let variable = try coder.expressionPart(forKey: "NSAssignmentVariable")
      let value = try coder.expressionPart(forKey: "NSSubexpression")
      guard case .variable(let name) = variable.expression else {
        throw coder.failure(.invalidContents, "an assignment without a variable")
      }
      return ArchivedExpressionContent(.assignment(variable: name, value.expression), height: value.height + 1)
    }
  }

  /// The class that functions are methods of.
  static let utilities = ManagedExpression.method("_NSPredicateUtilities", of: .constant(.null), arguments: [])

  /// `FIRST`, `LAST` or `SIZE`.
  static func symbol(_ name: String) -> any SecureCoding {
    ExpressionObject<Symbol>(.method(name, of: .anyKey, arguments: []))
  }

  static let types: [any SecureCoding.Type] = [
    ExpressionObject<Constant>.self, ExpressionObject<EvaluatedObject>.self, ExpressionObject<Variable>.self,
    ExpressionObject<KeyPathSpecifier>.self, ExpressionObject<KeyPath>.self, ExpressionObject<Function>.self,
    ExpressionObject<Symbol>.self, ExpressionObject<Fetch>.self, ExpressionObject<AnyKey>.self,
    ExpressionObject<Aggregate>.self, ExpressionObject<Subquery>.self, ExpressionObject<Conditional>.self,
    ExpressionObject<Combination>.self, ExpressionObject<Assignment>.self,
  ]

  /// Returns true for the name of a class that expressions and predicates consist of.
  package static func isPart(_ name: String) -> Bool {
    name.hasPrefix("NS") && (name.hasSuffix("Expression") || name.contains("Predicate"))
  }

  static func archived(_ expression: ManagedExpression) -> any SecureCoding {
    switch expression {
    case .constant: ExpressionObject<Constant>(expression)
    case .evaluatedObject: ExpressionObject<EvaluatedObject>(expression)
    case .variable: ExpressionObject<Variable>(expression)
    case .assignment: ExpressionObject<Assignment>(expression)
    case .keyPath: ExpressionObject<KeyPath>(expression)
    case .anyKey: ExpressionObject<AnyKey>(expression)
    case .aggregate: ExpressionObject<Aggregate>(expression)
    case .function, .method, .element: ExpressionObject<Function>(expression)
    case .subquery: ExpressionObject<Subquery>(expression)
    case .conditional: ExpressionObject<Conditional>(expression)
    case .combination: ExpressionObject<Combination>(expression)
    case .fetch: ExpressionObject<Fetch>(expression)
    }
  }
}
