internal import KeyedArchiving

/// An object of an archive that is an expression: of a class below `NSExpression`.
protocol ArchivedExpression: SecureCoding {
  var content: ArchivedExpressionContent { get }
  init(_ content: ArchivedExpressionContent)
  /// Reads what the class says besides its type.
  static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent
}

/// An expression, and the number of its levels.
struct ArchivedExpressionContent {
  let expression: ManagedExpression
  let height: Int

  init(_ expression: ManagedExpression, height: Int = 1) {
    self.expression = expression
    self.height = height
  }
}

extension ArchivedExpression {
  init(coder: KeyedUnarchiver) throws {
    let content = try Self.expression(in: coder)
    _ = try coder.checkedHeight(content.height)
    self.init(content)
  }

  func encode(with coder: KeyedArchiver) throws { try content.expression.encodeContents(with: coder) }

  fileprivate static func named(_ name: String, below ancestors: String...) -> ArchivedClass {
    ArchivedClass(name, ancestors: ancestors + ["NSExpression", "NSObject"])
  }
}

/// The classes of expressions. The constant, `SELF`, variables, key paths, functions and fetches are as they are in
/// files; the keys of the others have not been seen, and are named after what they hold.
enum ArchivedExpressions {
  struct Constant: ArchivedExpression {
    static let archivedClass = named("NSConstantValueExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      if let name = try coder.decodeIfPresent(String.self, forKey: "NSConstantValueClassName") {
        // A class, which only functions have as their operand.
        return ArchivedExpressionContent(.method(name, of: .constant(.null), arguments: []))
      }
      let constant = try PredicateConstant(
        coder.decodeIfPresent(ArchivedValue.self, forKey: "NSConstantValue") ?? .null, in: coder)
      return ArchivedExpressionContent(.constant(constant), height: try coder.height(of: constant))
    }
  }

  struct EvaluatedObject: ArchivedExpression {
    static let archivedClass = named("NSSelfExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.evaluatedObject)
    }
  }

  struct Variable: ArchivedExpression {
    static let archivedClass = named("NSVariableExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.variable(try coder.decode(String.self, forKey: "NSVariable")))
    }
  }

  /// A part of key paths.
  struct KeyPathSpecifier: ArchivedExpression {
    static let archivedClass = named("NSKeyPathSpecifierExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.value(.string(try coder.decode(String.self, forKey: "NSKeyPath"))))
    }
  }

  struct KeyPath: ArchivedExpression {
    static let archivedClass = named("NSKeyPathExpression", below: "NSFunctionExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let operand = try coder.expressionPart(forKey: "NSOperand")
      let arguments = try coder.expressionParts(forKey: "NSArguments")
      guard arguments.count == 1, case .constant(.value(.string(let text))) = arguments[0].expression,
        let path = PredicateKeyPath(text)
      else { throw coder.failure(.invalidContents, "a key path that is none") }
      return ArchivedExpressionContent(.keyPath(path, of: operand.expression), height: operand.height + 1)
    }
  }

  struct Function: ArchivedExpression {
    static let archivedClass = named("NSFunctionExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let operand = try coder.expressionPart(forKey: "NSOperand")
      let selector = try coder.decode(String.self, forKey: "NSSelectorName")
      let parts = try coder.expressionParts(forKey: "NSArguments")
      let arguments = parts.map(\.expression)
      let height = (parts.map(\.height) + [operand.height]).max().map { $0 + 1 } ?? 1
      guard case .method(utilities, of: .constant(.null), arguments: []) = operand.expression else {
        return ArchivedExpressionContent(
          .method(selector, of: operand.expression, arguments: arguments), height: height)
      }
      if selector == "objectFrom:withIndex:", arguments.count == 2 {
        return ArchivedExpressionContent(.element(place(arguments[1]), of: arguments[0]), height: height)
      }
      guard let function = PredicateFunction(rawValue: selector),
        function.argumentCounts.contains(arguments.count)
      else { throw coder.failure(.invalidContents, "no function \(selector) with \(arguments.count) arguments") }
      return ArchivedExpressionContent(.function(function, arguments), height: height)
    }

    private static func place(_ index: ManagedExpression) -> PredicateSubscript {
      guard case .method(let name, of: .anyKey, arguments: []) = index else { return .index(index) }
      return switch name {
      case "FIRST": .first
      case "LAST": .last
      default: .size
      }
    }
  }

  /// `FIRST`, `LAST`, `SIZE`.
  struct Symbol: ArchivedExpression {
    static let archivedClass = named("NSSymbolicExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let name = try coder.decode(String.self, forKey: "NSSymbol")
      guard ["FIRST", "LAST", "SIZE"].contains(name) else {
        throw coder.failure(.invalidContents, "a symbol that is not FIRST, LAST or SIZE")
      }
      return ArchivedExpressionContent(.method(name, of: .anyKey, arguments: []))
    }
  }

  struct Fetch: ArchivedExpression {
    static let archivedClass = named("NSFetchRequestExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let request = try coder.expressionPart(forKey: "NSFRExpression")
      let context = try coder.expressionPart(forKey: "NSMOCExpression")
      let countOnly = try coder.decodeIfPresent(Bool.self, forKey: "NSCountOnlyFlag") ?? false
      return ArchivedExpressionContent(
        .fetch(request: request.expression, context: context.expression, countOnly: countOnly),
        height: max(request.height, context.height) + 1)
    }
  }

  struct AnyKey: ArchivedExpression {
    static let archivedClass = named("NSAnyKeyExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      ArchivedExpressionContent(.anyKey)
    }
  }

  struct Aggregate: ArchivedExpression {
    static let archivedClass = named("NSAggregateExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let parts = try coder.expressionParts(forKey: "NSCollection")
      return ArchivedExpressionContent(
        .aggregate(parts.map(\.expression)), height: (parts.map(\.height).max() ?? 0) + 1)
    }
  }

  struct Subquery: ArchivedExpression {
    static let archivedClass = named("NSSubqueryExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
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

  struct Conditional: ArchivedExpression {
    static let archivedClass = named("NSTernaryExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let predicate = try coder.predicatePart(forKey: "NSPredicate")
      let first = try coder.expressionPart(forKey: "NSTrueExpression")
      let second = try coder.expressionPart(forKey: "NSFalseExpression")
      return ArchivedExpressionContent(
        .conditional(predicate.predicate, first.expression, second.expression),
        height: max(predicate.height, first.height, second.height) + 1)
    }
  }

  struct Combination: ArchivedExpression {
    static let archivedClass = named("NSSetExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
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

  struct Assignment: ArchivedExpression {
    static let archivedClass = named("NSVariableAssignmentExpression")
    let content: ArchivedExpressionContent
    init(_ content: ArchivedExpressionContent) { self.content = content }

    static func expression(in coder: KeyedUnarchiver) throws -> ArchivedExpressionContent {
      let variable = try coder.expressionPart(forKey: "NSAssignmentVariable")
      let value = try coder.expressionPart(forKey: "NSSubexpression")
      guard case .variable(let name) = variable.expression else {
        throw coder.failure(.invalidContents, "an assignment without a variable")
      }
      return ArchivedExpressionContent(
        .assignment(variable: name, value.expression), height: value.height + 1)
    }
  }

  /// The class that functions are methods of.
  static let utilities = "_NSPredicateUtilities"

  static let types: [any SecureCoding.Type] = [
    Constant.self, EvaluatedObject.self, Variable.self, KeyPathSpecifier.self, KeyPath.self, Function.self, Symbol.self,
    Fetch.self, AnyKey.self, Aggregate.self, Subquery.self, Conditional.self, Combination.self, Assignment.self,
  ]

  /// Returns true for the name of a class that expressions and predicates consist of.
  static func isPart(_ name: String) -> Bool {
    name.hasPrefix("NS") && (name.hasSuffix("Expression") || name.contains("Predicate"))
  }

  static func archived(_ expression: ManagedExpression) -> any SecureCoding {
    let content = ArchivedExpressionContent(expression)
    return switch expression {
    case .constant: Constant(content)
    case .evaluatedObject: EvaluatedObject(content)
    case .variable: Variable(content)
    case .assignment: Assignment(content)
    case .keyPath: KeyPath(content)
    case .anyKey: AnyKey(content)
    case .aggregate: Aggregate(content)
    case .function, .method, .element: Function(content)
    case .subquery: Subquery(content)
    case .conditional: Conditional(content)
    case .combination: Combination(content)
    case .fetch: Fetch(content)
    }
  }
}
