internal import KeyedArchiving

extension ManagedExpression {
  /// Writes the contents of the object that stands for the expression. The types are those of `NSExpression.h`, and 10,
  /// 11, 12 and 50 those of files.
  func encodeContents(with coder: KeyedArchiver) throws {
    func encode(type: Int) throws { try coder.encode(type, forKey: "NSExpressionType") }
    switch self {
    case .constant(let constant):
      try encode(type: 0)
      try coder.encode(constant.archivedValue(), forKey: "NSConstantValue")
    case .evaluatedObject: try encode(type: 1)
    case .variable(let name):
      try encode(type: 2)
      try coder.encode(name, forKey: "NSVariable")
    case .assignment(let name, let value):
      try encode(type: 12)
      try coder.encode(.variable(name), forKey: "NSAssignmentVariable")
      try coder.encode(value, forKey: "NSSubexpression")
    case .keyPath(let path, of: let operand):
      let isPlain = operand == .evaluatedObject
      try encode(type: isPlain ? 3 : 4)
      try coder.encode(operand, forKey: "NSOperand")
      let isKey = isPlain && path.keys.count == 1 && !path.keys[0].hasPrefix("@")
      try coder.encode(isKey ? "valueForKey:" : "valueForKeyPath:", forKey: "NSSelectorName")
      // This array is mutable in every file that was found; that of a method may be or not.
      try coder.encode(Archived.Mutable([ArchivedKeyPathText(text: path.description)]), forKey: "NSArguments")
    case .anyKey: try encode(type: 15)
    case .aggregate(let elements):
      try encode(type: 14)
      try coder.encode(elements.map(ArchivedExpressions.archived), forKey: "NSCollection")
    case .function(let function, let arguments):
      try coder.encodeCall(function.rawValue, arguments.map(ArchivedExpressions.archived))
    case .method(let selector, of: let operand, let arguments):
      try encode(type: 4)
      try coder.encode(operand, forKey: "NSOperand")
      try coder.encode(selector, forKey: "NSSelectorName")
      try coder.encode(arguments.map(ArchivedExpressions.archived), forKey: "NSArguments")
    case .element(let place, of: let base):
      let index: any SecureCoding =
        switch place {
        case .index(let index): ArchivedExpressions.archived(index)
        case .first: ArchivedSymbol(name: "FIRST")
        case .last: ArchivedSymbol(name: "LAST")
        case .size: ArchivedSymbol(name: "SIZE")
        }
      try coder.encodeCall("objectFrom:withIndex:", [ArchivedExpressions.archived(base), index])
    case .subquery(let collection, let variable, let predicate):
      try encode(type: 13)
      try coder.encode(collection, forKey: "NSCollection")
      try coder.encode(.variable(variable), forKey: "NSVariableExpression")
      try coder.encode(predicate, forKey: "NSPredicate")
    case .conditional(let predicate, let first, let second):
      try encode(type: 20)
      try coder.encode(predicate, forKey: "NSPredicate")
      try coder.encode(first, forKey: "NSTrueExpression")
      try coder.encode(second, forKey: "NSFalseExpression")
    case .combination(let operation, let first, let second):
      try encode(type: operation == .union ? 5 : operation == .intersect ? 6 : 7)
      try coder.encode(first, forKey: "NSLeftExpression")
      try coder.encode(second, forKey: "NSRightExpression")
    case .fetch(let request, let context, let countOnly):
      try encode(type: 50)
      try coder.encode(request, forKey: "NSFRExpression")
      try coder.encode(context, forKey: "NSMOCExpression")
      try coder.encode(countOnly, forKey: "NSCountOnlyFlag")
    }
  }
}

extension KeyedArchiver {
  /// A function of the class that has all functions.
  fileprivate func encodeCall(_ selector: String, _ arguments: [any SecureCoding]) throws {
    try encode(4, forKey: "NSExpressionType")
    let operand: any SecureCoding = ArchivedUtilities()
    try encode(operand, forKey: "NSOperand")
    try encode(selector, forKey: "NSSelectorName")
    try encode(arguments, forKey: "NSArguments")
  }
}

/// The keys of a path.
private struct ArchivedKeyPathText: SecureCoding, Hashable {
  static var archivedClass: ArchivedClass { ArchivedExpressions.KeyPathSpecifier.archivedClass }
  let text: String

  init(text: String) { self.text = text }
  init(coder: KeyedUnarchiver) throws { text = try coder.decode(String.self, forKey: "NSKeyPath") }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(10, forKey: "NSExpressionType")
    try coder.encode(text, forKey: "NSKeyPath")
  }
}

/// `FIRST`, `LAST`, `SIZE`.
private struct ArchivedSymbol: SecureCoding {
  static var archivedClass: ArchivedClass { ArchivedExpressions.Symbol.archivedClass }
  let name: String

  init(name: String) { self.name = name }
  init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "NSSymbol") }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(11, forKey: "NSExpressionType")
    try coder.encode(name, forKey: "NSSymbol")
  }
}

/// The class that has all functions.
private struct ArchivedUtilities: SecureCoding {
  static var archivedClass: ArchivedClass { ArchivedExpressions.Constant.archivedClass }

  init() {}
  init(coder: KeyedUnarchiver) throws {}

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(0, forKey: "NSExpressionType")
    try coder.encode(ArchivedExpressions.utilities, forKey: "NSConstantValueClassName")
  }
}
