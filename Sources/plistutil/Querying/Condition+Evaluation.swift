import FoundationEssentials
import PropertyLists
import SystemFiles

/// Asking values.
extension Condition {
  /// Whether a value meets the condition.
  ///
  /// - Parameters:
  ///   - path: the way from the root to it.
  ///   - Throws: what is wrong with a binary document.
  func isMet(
    by node: PropertyListDocument.Node, at path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> Bool {
    switch self {
    case .all(let conditions):
      for condition in conditions where try !condition.isMet(by: node, at: path) { return false }
      return true
    case .any(let conditions):
      for condition in conditions where try condition.isMet(by: node, at: path) { return true }
      return false
    case .not(let condition): return try !condition.isMet(by: node, at: path)
    case .pattern(let field, let pattern): return try field.matches(pattern, node, path)
    case .comparison(let field, .unequal, let literal): return try !field.isEqual(to: literal, node, path)
    case .comparison(let field, .equal, let literal): return try field.isEqual(to: literal, node, path)
    case .comparison(let field, let comparison, .value(let literal)):
      guard let value = try field.value(of: node, path) else { return false }
      return Comparison(value, literal).meets(comparison)
    case .comparison: return false
    }
  }
}

extension Condition.Field {
  /// The value that the path leads to; nil if there is none.
  private func target(
    _ node: PropertyListDocument.Node
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard !path.components.isEmpty else { return node }
    do throws(PropertyListError) {
      return try node.descendant(at: path)
    } catch {
      guard error.kind == .noSuchValue else { throw error }
      return nil
    }
  }

  /// What the field has to be compared: nil if there is nothing, or a container.
  fileprivate func value(
    of node: PropertyListDocument.Node, _ path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> PropertyList? {
    switch name {
    case .key:
      guard case .key(let key)? = path.last else { return nil }
      return .string(key)
    case .kind, .path: return nil
    case .value:
      guard let target = try target(node), target.kind != .array, target.kind != .dictionary else { return nil }
      return try PropertyList(target)
    case .count:
      guard let target = try target(node), target.kind == .array || target.kind == .dictionary else { return nil }
      return .integer(PropertyList.Integer(target.count))
    case .size:
      guard let target = try target(node) else { return nil }
      if let data = target.data { return .integer(PropertyList.Integer(data.count)) }
      return try target.string.map { .integer(PropertyList.Integer($0.utf8.count)) }
    }
  }

  fileprivate func isEqual(
    to literal: Condition.Literal, _ node: PropertyListDocument.Node, _ path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> Bool {
    switch literal {
    case .kind(let kind): return try target(node)?.kind == kind
    case .path(let wanted): return wanted.components == path
    case .value(let literal):
      guard let value = try value(of: node, path) else { return false }
      return Comparison(value, literal) == .equal
    }
  }

  fileprivate func matches(
    _ pattern: ConditionPattern, _ node: PropertyListDocument.Node, _ path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> Bool {
    switch pattern {
    case .path(let pattern):
      var state = pattern.start
      for component in path { state = pattern.next(state, component) }
      return pattern.isMatch(state)
    case .text(let pattern):
      let text =
        name == .kind ? try target(node).map { KindName($0.kind).name } : try value(of: node, path)?.rawText
      return text.map { FileSystem.matches($0, pattern: pattern) } ?? false
    }
  }
}

/// How a value stands to another.
private enum Comparison {
  case less, equal, greater
  /// Of the same kind, and neither less nor greater: `true` and `false`, for example.
  case different
  /// Of two kinds, or not a number.
  case incomparable

  init(_ first: PropertyList, _ second: PropertyList) {
    switch (first, second) {
    case (.integer(let a), .integer(let b)): self.init(a, b)
    case (.string(let a), .string(let b)): self.init(a.utf8, b.utf8)
    case (.data(let a), .data(let b)): self.init(a, b)
    case (.date(let a), .date(let b)): self.init(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
    case (.boolean(let a), .boolean(let b)): self = a == b ? .equal : .different
    case (.null, .null): self = .equal
    case (.integer(let a), _):
      if let b = second.real { self.init(a, b) } else { self = .incomparable }
    case (_, .integer(let b)):
      if let a = first.real { self = Comparison(b, a).reversed } else { self = .incomparable }
    default:
      if let a = first.real, let b = second.real { self.init(a, b) } else { self = .incomparable }
    }
  }

  private init<Value: Comparable>(_ first: Value, _ second: Value) {
    self = first < second ? .less : first > second ? .greater : first == second ? .equal : .incomparable
  }

  private init(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) {
    self =
      first.lexicographicallyPrecedes(second)
      ? .less : second.lexicographicallyPrecedes(first) ? .greater : .equal
  }

  /// An integer and a real, exactly.
  private init(_ integer: PropertyList.Integer, _ real: Double) {
    guard !real.isNaN else {
      self = .incomparable
      return
    }
    // Beyond every integer of a property list.
    guard real.magnitude < 0x1p65 else {
      self = real > 0 ? .less : .greater
      return
    }
    let whole = Int128(real.rounded(.down))
    if integer.int128 == whole {
      self = real > real.rounded(.down) ? .less : .equal
    } else {
      self = integer.int128 < whole ? .less : .greater
    }
  }

  private var reversed: Comparison {
    switch self {
    case .less: .greater
    case .greater: .less
    default: self
    }
  }

  func meets(_ comparison: Condition.Operator) -> Bool {
    switch comparison {
    case .equal: self == .equal
    case .unequal: self != .equal
    case .less: self == .less
    case .lessOrEqual: self == .less || self == .equal
    case .greater: self == .greater
    case .greaterOrEqual: self == .greater || self == .equal
    }
  }
}
