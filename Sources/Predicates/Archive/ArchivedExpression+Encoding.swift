internal import KeyedArchiving

extension ManagedExpression {
  /// Writes the contents of the expression's object in an archive. The type numbers come from `NSExpression.h`, except
  /// 12 and 50, which come from files of Apple's software.
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
      // In all files that were examined, the arguments of a key path are a mutable array. The arguments of a method can
      // be a mutable or an immutable array.
      try coder.encode(Archived.Mutable([ArchivedExpression.keyPathSpecifier(path)]), forKey: "NSArguments")
    case .anyKey: try encode(type: 15)
    case .aggregate(let elements):
      try encode(type: 14)
      try coder.encode(elements.map(ArchivedExpression.init), forKey: "NSCollection")
    case .function(let function, let arguments):
      try coder.encodeCall(function.rawValue, arguments.map(ArchivedExpression.init))
    case .method(let selector, of: let operand, let arguments):
      try encode(type: 4)
      try coder.encode(operand, forKey: "NSOperand")
      try coder.encode(selector, forKey: "NSSelectorName")
      try coder.encode(arguments.map(ArchivedExpression.init), forKey: "NSArguments")
    case .element(let elementSubscript, of: let base):
      let index: ArchivedExpression =
        switch elementSubscript {
        case .index(let index): ArchivedExpression(index)
        case .first: .symbol("FIRST")
        case .last: .symbol("LAST")
        case .size: .symbol("SIZE")
        }
      try coder.encodeCall("objectFrom:withIndex:", [ArchivedExpression(base), index])
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
  /// Encodes a call of a function. As in Apple's files, it is archived as a call of a method of the class
  /// `_NSPredicateUtilities`.
  fileprivate func encodeCall(_ selector: String, _ arguments: [ArchivedExpression]) throws {
    try encode(4, forKey: "NSExpressionType")
    try encode(ArchivedExpression.utilities, forKey: "NSOperand")
    try encode(selector, forKey: "NSSelectorName")
    try encode(arguments, forKey: "NSArguments")
  }
}
