import FoundationEssentials
import Predicates
import PropertyLists
import SystemFiles

/// Tests the values of one document with a condition.
final class ConditionRun {
  private let predicate: PreparedPredicate
  fileprivate let fields: [ConditionField?]
  /// The number of bytes that may still be used for elements and entries of containers that the predicate reads.
  private var room: WorkBudget
  /// The last error: a defect of the document, or an exceeded limit.
  private var failure: PropertyListError?

  init(_ predicate: PreparedPredicate, _ fields: [ConditionField?], _ document: PropertyListDocument) {
    self.predicate = predicate
    self.fields = fields
    room = WorkBudget(document.expandedByteLimit)
  }

  /// Returns true if a value meets the condition.
  ///
  /// - Parameter path: the path from the root to the value.
  /// - Throws: an error for a defect of a binary document, or ``PropertyListError/Kind/limitExceeded``.
  func holds(
    for node: PropertyListDocument.Node, at path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> Bool {
    do { return try predicate.evaluate(with: ConditionSubject(node: node, run: self, path: path)) } catch {
      if let failure { throw failure }
      let kind: PropertyListError.Kind = error.kind == .nestedTooDeeply ? .nestedTooDeeply : .limitExceeded
      throw PropertyListError(kind, "the condition: \(error.message)", keyPath: PropertyListKeyPath(path))
    }
  }

  fileprivate func failed(_ error: PropertyListError) -> ManagedPredicateError {
    failure = error
    return ManagedPredicateError(.unsupported, error.message)
  }

  /// Subtracts the size of a value that is created for the predicate from the budget. Throws if not enough is left.
  fileprivate func use(_ count: Int) throws(PropertyListError) {
    guard room.spend(ParsingLimits.bytesPerValue + count) else {
      throw PropertyListError(.limitExceeded, "the condition reads too many nested values")
    }
  }
}

/// An object that the predicate is evaluated with: the tested value, whose keys are its fields, or a dictionary inside
/// the tested value, which has its own keys.
struct ConditionSubject: PredicateSubject {
  fileprivate let node: PropertyListDocument.Node
  fileprivate let run: ConditionRun
  /// The path from the root to the tested value; nil for a dictionary inside it.
  fileprivate let path: [PropertyListKeyPath.Component]?

  /// Returns true if both are the same node. Two dictionaries with equal entries are not equal.
  static func == (first: ConditionSubject, second: ConditionSubject) -> Bool {
    first.node.document === second.node.document && first.node.index == second.node.index
  }

  func hash(into hasher: inout Hasher) { hasher.combine(node.index) }

  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<ConditionSubject> {
    do {
      guard let path else { return try node.value(forKey: key.name).map(value) ?? .null }
      // A key that is created during the evaluation has no field.
      guard run.fields.indices.contains(key.index) else { return .null }
      return try run.fields[key.index].map { field throws(PropertyListError) in try value(of: field, path) } ?? .null
    } catch {
      throw run.failed(error)
    }
  }

  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<ConditionSubject>] {
    guard node.kind == .dictionary else { return [] }
    do { return try values(in: node) } catch { throw run.failed(error) }
  }

  private func value(
    of field: ConditionField, _ path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> PredicateValue<ConditionSubject> {
    switch field.form {
    case .isPath(let wanted): return .value(.boolean(wanted.components == path))
    case .matchesPath(let pattern):
      var state = pattern.start
      for component in path { state = pattern.next(state, component) }
      return .value(.boolean(pattern.isMatch(state)))
    case .matches(let pattern):
      let text = try text(of: field, path)
      return .value(.boolean(text.map { FileSystem.matches($0, pattern: pattern) } ?? false))
    case .any, .string, .number, .boolean, .date: break
    }
    switch field.name {
    case .key, .kind: return try text(of: field, path).map { .value(.string($0)) } ?? .null
    case .path: return .value(.string(path.isEmpty ? "/" : PropertyListKeyPath(path).text(.dots)))
    case .value:
      guard let target = try node.descendant(ifAt: field.path) else { return .null }
      if case .any = field.form { return try value(target) }
      return try field.form.has(target) ? .value(Self.scalar(target)) : .null
    case .count:
      guard let target = try node.descendant(ifAt: field.path), target.kind == .array || target.kind == .dictionary
      else {
        return .null
      }
      return .value(.integer(Int64(target.count)))
    case .size:
      guard let target = try node.descendant(ifAt: field.path) else { return .null }
      if let data = target.data { return .value(.integer(Int64(data.count))) }
      return try target.string.map { .value(.integer(Int64($0.utf8.count))) } ?? .null
    }
  }

  /// Returns the text of a field for patterns; nil if the field is not a scalar, or does not exist.
  private func text(
    of field: ConditionField, _ path: [PropertyListKeyPath.Component]
  ) throws(PropertyListError) -> String? {
    if field.name == .key {
      guard case .key(let key)? = path.last else { return nil }
      return key
    }
    guard let target = try node.descendant(ifAt: field.path) else { return nil }
    if field.name == .kind { return KindName(target.kind).name }
    return target.kind == .array || target.kind == .dictionary ? nil : try PropertyList(target).rawText
  }

  /// Converts a value for the predicate.
  private func value(_ node: PropertyListDocument.Node) throws(PropertyListError) -> PredicateValue<ConditionSubject> {
    switch node.kind {
    case .dictionary: return .object(ConditionSubject(node: node, run: run, path: nil))
    case .array: return .array(try values(in: node))
    default: return .value(try Self.scalar(node))
    }
  }

  /// Returns the elements of an array, or the values of a dictionary.
  private func values(
    in node: PropertyListDocument.Node
  ) throws(PropertyListError) -> [PredicateValue<ConditionSubject>] {
    guard CallStack.current.hasRoom else {
      throw PropertyListError(.nestedTooDeeply, "the condition reads arrays that are nested too deeply")
    }
    var values: [PredicateValue<ConditionSubject>] = []
    for child in node.children {
      let value = try value(child.get())
      let count =
        switch value {
        case .value(.string(let text)): text.utf8.count
        case .value(.data(let data)): data.count
        default: 0
        }
      try run.use(count)
      values.append(value)
    }
    return values
  }

  private static func scalar(_ node: PropertyListDocument.Node) throws(PropertyListError) -> AttributeValue {
    switch node.kind {
    case .string: try node.string.map { .string($0) } ?? .null
    case .integer: node.integer.map { AttributeValue($0) } ?? .null
    case .real: node.real.map { .double($0) } ?? .null
    case .boolean: node.boolean.map { .boolean($0) } ?? .null
    case .date: node.date.map { .date($0) } ?? .null
    case .data: node.data.map { .data($0) } ?? .null
    case .uid: node.uid.map { .integer(Int64($0.value)) } ?? .null
    case .null, .array, .dictionary: .null
    }
  }
}

extension ConditionField.Form {
  /// Returns true if a value is of the type.
  fileprivate func has(_ node: PropertyListDocument.Node) -> Bool {
    switch (self, node.kind) {
    case (.string, .string), (.boolean, .boolean), (.number, .integer): true
    case (.number, .real): node.real?.isNaN == false
    case (.date, .date): node.date?.timeIntervalSinceReferenceDate.isNaN == false
    default: false
    }
  }
}
