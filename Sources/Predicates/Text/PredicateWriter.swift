internal import FoundationEssentials
internal import KeyedArchiving

extension ManagedPredicate {
  /// Returns text from which ``init(format:_:)`` creates this predicate again.
  ///
  /// ```swift
  /// let predicate = try ManagedPredicate(format: "%K IN %@", "author.name", ["Ada", "Grace"])
  /// print(try predicate.formatText())   // author.name IN {"Ada", "Grace"}
  /// ```
  ///
  /// If this predicate was created from text, the new one is equal to it. Two forms of predicates that are built by
  /// hand change: `AND` or `OR` with only one part becomes that part, and constants of type `Float` become doubles.
  /// Dates, decimal numbers, bytes, UUIDs, URLs and constant collections are written as `CAST(…)` of a literal.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unsupported`` for objects of a store or a context, opaque constants, and
  ///   names that have no form in text; ``ManagedPredicateError/Kind/nestedTooDeeply`` for more than
  ///   ``ManagedPredicate/greatestDepth`` levels.
  /// - Complexity: O(*n*) in the size of the tree; sets are sorted.
  public func formatText() throws(ManagedPredicateError) -> String {
    let predicate = withoutDeepRows
    _ = try predicate.height(within: Self.greatestDepth)
    var writer = PredicateWriter()
    try writer.write(predicate, least: .or)
    return writer.text
  }
}

extension ManagedPredicate: CustomStringConvertible {
  /// The ``formatText()``. If the predicate has no form in text, the error message in angle brackets.
  public var description: String {
    do { return try formatText() } catch { return "<predicate: \(error.message)>" }
  }
}

extension ManagedExpression {
  /// Returns text from which ``init(format:_:)`` creates this expression again. See ``ManagedPredicate/formatText()``.
  ///
  /// - Throws: The errors of ``ManagedPredicate/formatText()``.
  public func formatText() throws(ManagedPredicateError) -> String {
    _ = try height(within: ManagedPredicate.greatestDepth)
    var writer = PredicateWriter()
    try writer.write(self, least: .assignment)
    return writer.text
  }
}

extension ManagedExpression: CustomStringConvertible {
  /// The ``formatText()``. If the expression has no form in text, the error message in angle brackets.
  public var description: String {
    do { return try formatText() } catch { return "<expression: \(error.message)>" }
  }
}

/// Writes a predicate or an expression as text, with the fewest brackets that operator precedence allows.
struct PredicateWriter {
  private(set) var text = ""
  /// True if the text is written only to sort the elements of a set. Then constants of different types have different
  /// texts even if their values are equal, and objects of unknown classes have a text too.
  var isForSorting = false

  mutating func append(_ more: String) { text += more }

  /// The precedence of operators, lowest first.
  enum Strength: Int {
    case or, and, not, assignment, combination, sum, product, power, prefix, operand

    /// The next higher precedence. The right operand of an operator must have at least this precedence to be written
    /// without brackets, because `a - (b - c)` differs from `a - b - c`.
    var above: Strength { Strength(rawValue: rawValue + 1) ?? .operand }
  }

  mutating func write(_ predicate: ManagedPredicate, least: Strength) throws(ManagedPredicateError) {
    switch predicate {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): try write(comparison)
    case .and(let parts): try write(parts, "AND", .and, least, empty: true)
    case .or(let parts): try write(parts, "OR", .or, least, empty: false)
    case .not(let part):
      text += "NOT "
      try write(part, least: .not)
    }
  }

  private mutating func write(
    _ parts: [ManagedPredicate], _ word: String, _ own: Strength, _ least: Strength, empty: Bool
  ) throws(ManagedPredicateError) {
    guard parts.count != 1 else { return try write(parts[0], least: least) }
    guard !parts.isEmpty else { return try write(.constant(empty), least: least) }
    let needsBrackets = own.rawValue < least.rawValue
    if needsBrackets { text += "(" }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += " \(word) " }
      try write(part, least: own.above)
    }
    if needsBrackets { text += ")" }
  }

  private mutating func write(_ comparison: PredicateComparison) throws(ManagedPredicateError) {
    switch comparison.modifier {
    case .direct: break
    case .any: text += "ANY "
    case .all: text += "ALL "
    }
    try write(comparison.left, least: .combination)
    text += " " + comparison.comparator.rawValue
    let options = comparison.options
    if !options.isEmpty {
      text += "["
      if options.contains(.caseInsensitive) { text += "c" }
      if options.contains(.diacriticInsensitive) { text += "d" }
      if options.contains(.normalized) { text += "n" }
      if options.contains(.localeSensitive) { text += "l" }
      text += "]"
    }
    text += " "
    try write(comparison.right, least: .combination)
  }

  mutating func write(_ expression: ManagedExpression, least: Strength) throws(ManagedPredicateError) {
    let own = Self.strength(expression)
    let needsBrackets = own.rawValue < least.rawValue
    if needsBrackets { text += "(" }
    try write(plain: expression)
    if needsBrackets { text += ")" }
  }

  private static func strength(_ expression: ManagedExpression) -> Strength {
    switch expression {
    case .assignment: .assignment
    case .combination: .combination
    case .function(let function, let arguments): sign(function, arguments)?.strength ?? .operand
    // A negative number is written as a minus sign and digits.
    case .constant(.value(.integer(let value))) where value < 0: .prefix
    case .constant(.value(.double(let value))) where value.sign == .minus && value.isFinite: .prefix
    case .constant(.value(.float(let value))) where value.sign == .minus && value.isFinite: .prefix
    default: .operand
    }
  }

  private static func sign(
    _ function: PredicateFunction, _ arguments: [ManagedExpression]
  ) -> (text: String, strength: Strength)? {
    switch (function, arguments.count) {
    case (.add, 2): (" + ", .sum)
    case (.subtract, 2): (" - ", .sum)
    case (.multiply, 2): (" * ", .product)
    case (.divide, 2): (" / ", .product)
    case (.power, 2): (" ** ", .power)
    case (.negate, 1): ("-", .prefix)
    default: nil
    }
  }

  private mutating func write(plain expression: ManagedExpression) throws(ManagedPredicateError) {
    switch expression {
    case .constant(let constant): try write(constant)
    case .evaluatedObject: text += "SELF"
    case .variable(let name): try write(variable: name)
    case .assignment(let name, let value):
      try write(variable: name)
      text += " := "
      try write(value, least: .assignment)
    case .keyPath(let path, of: let operand):
      if operand != .evaluatedObject {
        try write(operand, least: .operand)
        text += "."
      }
      for (index, key) in path.keys.enumerated() {
        if index > 0 { text += "." }
        write(key: key)
      }
    case .anyKey: text += "ANYKEY"
    case .aggregate(let elements):
      text += "{"
      try write(list: elements)
      text += "}"
    case .function(let function, let arguments): try write(function, arguments)
    case .method(let selector, of: let operand, let arguments):
      text += "FUNCTION("
      try write(operand, least: .assignment)
      text += ", "
      write(quoted: selector)
      if !arguments.isEmpty { text += ", " }
      try write(list: arguments)
      text += ")"
    case .element(let elementSubscript, of: let base):
      try write(base, least: .operand)
      text += "["
      switch elementSubscript {
      case .index(let index): try write(index, least: .assignment)
      case .first: text += "FIRST"
      case .last: text += "LAST"
      case .size: text += "SIZE"
      }
      text += "]"
    case .subquery(let collection, let variable, let predicate):
      text += "SUBQUERY("
      try write(collection, least: .assignment)
      text += ", "
      try write(variable: variable)
      text += ", "
      try write(predicate, least: .or)
      text += ")"
    case .conditional(let predicate, let first, let second):
      text += "TERNARY("
      try write(predicate, least: .or)
      text += ", "
      try write(list: [first, second])
      text += ")"
    case .combination(let operation, let first, let second):
      try write(first, least: .combination)
      text += " \(operation.rawValue) "
      try write(second, least: Strength.combination.above)
    case .fetch(let request, let context, let countOnly):
      text += "FETCH("
      try write(list: [request, context, .value(.boolean(countOnly))])
      text += ")"
    }
  }

  private mutating func write(
    _ function: PredicateFunction, _ arguments: [ManagedExpression]
  ) throws(ManagedPredicateError) {
    if let sign = Self.sign(function, arguments) {
      if arguments.count == 2 {
        try write(arguments[0], least: sign.strength)
        text += sign.text
        try write(arguments[1], least: sign.strength.above)
      } else {
        text += sign.text
        try write(negated: arguments[0])
      }
      return
    }
    if function == .cast {
      text += "CAST"
    } else {
      let name = function.rawValue
      text += name.utf8.dropLast().contains(UInt8(ascii: ":")) ? name : name.filter { $0 != ":" }
    }
    text += "("
    try write(list: arguments)
    text += ")"
  }

  /// Writes the operand of a minus sign. A number is put in brackets, because the sign would become a part of it.
  private mutating func write(negated operand: ManagedExpression) throws(ManagedPredicateError) {
    let start = text.utf8.count
    try write(operand, least: .prefix)
    let first = text.utf8.dropFirst(start).first { $0 != UInt8(ascii: "-") }
    guard let first, (48...57).contains(first) else { return }
    let index = text.utf8.index(text.startIndex, offsetBy: start)
    text.insert("(", at: index)
    text += ")"
  }

  private mutating func write(list: [ManagedExpression]) throws(ManagedPredicateError) {
    for (index, element) in list.enumerated() {
      if index > 0 { text += ", " }
      try write(element, least: .assignment)
    }
  }
}
