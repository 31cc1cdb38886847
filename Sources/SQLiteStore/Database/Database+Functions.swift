internal import SQLQueries
internal import SQLiteAccess

/// Registers the SQL functions that statements of a store call, and those that Core Data's triggers call.
extension Database {
  /// The names of the SQL functions, with their arguments. All except those for triggers are deterministic.
  enum FunctionName {
    /// The function `managed_holds(object, values …)`. Returns 1 if ``FunctionObject/holds(_:)`` is true for the
    /// values, else 0.
    static let holds = "managed_holds"
    /// The function `managed_compute(object, values …)`. Returns the value that ``FunctionObject/value(_:)`` computes
    /// from the values.
    static let compute = "managed_compute"
    /// The aggregate function `managed_collect(object, values …)`. Calls ``FunctionObject/add(_:to:)`` for each row,
    /// and returns the list that these calls have filled.
    static let collect = "managed_collect"
    /// The function `managed_form(form, text)`. Returns a text in a form that SQL can compare byte by byte, and any
    /// other value unchanged. `form` is the raw value of a ``TextForm``.
    static let form = "managed_form"
    /// The functions that Core Data's triggers call after they have changed a derived attribute. The arguments are the
    /// table, the entity, the object, the attribute and its value.
    static let derivedChanges = [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ]
  }

  func registerFunctions() throws(Failure) {
    try register(FunctionName.holds, arguments: -1, isDeterministic: true, holds)
    try register(FunctionName.compute, arguments: -1, isDeterministic: true, compute)
    try register(aggregate: FunctionName.collect, arguments: -1, step: collect, end: collected)
    try register(FunctionName.form, arguments: 2, isDeterministic: true, form)
    for name in FunctionName.derivedChanges {
      // The connection owns the function.
      try register(name, arguments: 5, isDeterministic: false) { [unowned self] call in
        notedRows.append((call.arguments[1].integer, call.arguments[2].integer))
      }
    }
  }
}

private func holds(_ call: FunctionCall) {
  guard let test = call.arguments[0].object as? FunctionObject else {
    return call.fail("the first argument of managed_holds must be an object of this package that tests values")
  }
  guard let holds = test.holds(call.arguments) else { return call.fail("a value cannot be tested") }
  call.setResult(Int64(holds ? 1 : 0))
}

private func compute(_ call: FunctionCall) {
  guard let computation = call.arguments[0].object as? FunctionObject else {
    return call.fail("the first argument of managed_compute must be an object of this package that computes values")
  }
  switch computation.value(call.arguments) {
  case .null: break
  case .integer(let value): call.setResult(value)
  case .real(let value): call.setResult(value)
  case .text(let value): call.setResult(value)
  case .blob(let value): call.setResult(value)
  case nil: call.fail("a value cannot be computed")
  }
}

/// The list that one use of ``Database/FunctionName/collect`` has collected so far, as bytes.
private final class Collection {
  var bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }
}

private func collect(_ call: FunctionCall) {
  let collector = call.arguments[0].object as? FunctionObject
  guard let collector, let list = call.state({ collector.emptyList.map(Collection.init) }) else {
    return call.fail("the first argument of managed_collect must be an object of this package that collects values")
  }
  collector.add(call.arguments, to: &list.bytes)
  if collector.failure != nil { call.fail("a value cannot be read") }
}

private func collected(_ call: FunctionCall) {
  if let list: Collection = call.takeState() { call.setResult(list.bytes) }
}

private func form(_ call: FunctionCall) {
  let text = call.arguments[1]
  // Values other than texts are compared as they are.
  guard text.kind == .text else { return call.setResult(text) }
  if let form = TextForm(rawValue: call.arguments[0].integer)?.form(of: text.text) { call.setResult(form) }
}
