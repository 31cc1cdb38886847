internal import CSQLite
internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// The SQL functions that statements of a store call, and those that Core Data's triggers call.
extension Database {
  /// The names of the SQL functions, with their arguments. All except those for triggers are deterministic.
  enum FunctionName {
    /// The function `managed_holds(object, values …)`. Returns 1 if ``FunctionObject/holds(_:)`` is true for the
    /// values, else 0.
    static let holds = "managed_holds"
    /// The function `managed_compute(object, values …)`. Returns the value that ``FunctionObject/value(_:)`` computes
    /// from the values.
    static let compute = "managed_compute"
    /// The aggregate function `managed_collect(object, values …)`. Returns a list with the values of all rows, which
    /// ``FunctionObject/add(_:to:)`` has added row by row.
    static let collect = "managed_collect"
    /// The function `managed_form(form, text)`. Returns a form of the text that SQL can compare byte by byte, and
    /// returns other values unchanged. `form` is the raw value of a ``TextForm``.
    static let form = "managed_form"
    /// The functions that Core Data's triggers call after they have changed a derived attribute. The arguments are the
    /// table, the entity, the object, the attribute and its value.
    static let derivedChanges = [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ]
  }

  func registerFunctions() throws(ManagedObjectError) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    // SQLite does not retain the objects, but they live as long as the connection.
    let limit = unsafe Unmanaged.passUnretained(workLimit).toOpaque()
    try check(unsafe sqlite3_create_function_v2(handle, FunctionName.holds, -1, flags, limit, holds, nil, nil, nil))
    try check(unsafe sqlite3_create_function_v2(handle, FunctionName.compute, -1, flags, limit, compute, nil, nil, nil))
    try check(
      unsafe sqlite3_create_function_v2(handle, FunctionName.collect, -1, flags, limit, nil, collect, collected, nil))
    try check(unsafe sqlite3_create_function_v2(handle, FunctionName.form, 2, flags, limit, form, nil, nil, nil))
    let changes = unsafe Unmanaged.passUnretained(derivedChanges).toOpaque()
    for name in FunctionName.derivedChanges {
      try check(
        unsafe sqlite3_create_function_v2(
          handle, name, 5, SQLITE_UTF8 | SQLITE_INNOCUOUS, changes, noteDerivedChange, nil, nil, nil))
    }
  }

  private func check(_ code: Int32) throws(ManagedObjectError) { if code != SQLITE_OK { throw failure(code) } }
}

/// The rows whose derived attributes were changed by triggers.
final class DerivedChanges {
  /// The entity number and the primary key of each row.
  var rows: [(entity: Int64, number: Int64)] = []
}

private typealias FunctionArguments = UnsafeMutablePointer<OpaquePointer?>

private func object(_ value: OpaquePointer?) -> FunctionObject? {
  guard let value = unsafe value, let pointer = unsafe sqlite_object(value) else { return nil }
  return unsafe Unmanaged<FunctionObject>.fromOpaque(pointer).takeUnretainedValue()
}

/// Counts the bytes of the arguments as work of the statement. Makes SQLite end the statement if its limit is exceeded.
///
/// - Returns: False if the limit is exceeded.
private func countWork(_ arguments: FunctionObject.Arguments, _ context: OpaquePointer?) -> Bool {
  var size = 0
  for index in 0..<arguments.count { size += arguments[index].size }
  guard size > 0, let limit = unsafe sqlite3_user_data(context) else { return true }
  if unsafe Unmanaged<WorkLimit>.fromOpaque(limit).takeUnretainedValue().count(bytes: size) { return true }
  unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT)
  return false
}

private let holds: @convention(c) (OpaquePointer?, Int32, FunctionArguments?) -> Void = { context, count, values in
  guard let values = unsafe values, count > 0, let test = unsafe object(values[0]) else {
    unsafe sqlite3_result_error(
      context, "the first argument of managed_holds must be an object of this package that tests values", -1)
    return
  }
  let arguments = unsafe FunctionObject.Arguments(values, count: Int(count))
  guard unsafe countWork(arguments, context) else { return }
  if let holds = test.holds(arguments) {
    unsafe sqlite3_result_int(context, holds ? 1 : 0)
  } else {
    unsafe sqlite3_result_error(context, "a value cannot be tested", -1)
  }
}

private let compute: @convention(c) (OpaquePointer?, Int32, FunctionArguments?) -> Void = { context, count, values in
  guard let values = unsafe values, count > 0, let computation = unsafe object(values[0]) else {
    unsafe sqlite3_result_error(
      context, "the first argument of managed_compute must be an object of this package that computes values", -1)
    return
  }
  let arguments = unsafe FunctionObject.Arguments(values, count: Int(count))
  guard unsafe countWork(arguments, context) else { return }
  switch computation.value(arguments) {
  case .null: unsafe sqlite3_result_null(context)
  case .integer(let value): unsafe sqlite3_result_int64(context, value)
  case .real(let value): unsafe sqlite3_result_double(context, value)
  case .text(let value): unsafe returnText(value, context)
  case .blob(let value):
    unsafe sqlite3_result_blob64(context, Array(value), UInt64(value.count), sqlite_transient())
  case nil: unsafe sqlite3_result_error(context, "a value cannot be computed", -1)
  }
}

private func returnText(_ text: String, _ context: OpaquePointer?) {
  let bytes = text.utf8Span.span
  unsafe bytes.withUnsafeBufferPointer { bytes in
    unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
      unsafe sqlite3_result_text64(
        context, characters.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(characters.count), sqlite_transient(),
        UInt8(SQLITE_UTF8))
    }
  }
}

/// The list that one call of ``Database/FunctionName/collect`` has collected so far, as bytes.
private final class Collection {
  var bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Returns the memory where SQLite keeps the address of a ``Collection`` between the rows; nil if it cannot be
/// allocated.
private func memory(_ context: OpaquePointer?, size: Int32) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
  unsafe sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

private let notACollector =
  "the first argument of managed_collect must be an object of this package that collects values"

private let collect: @convention(c) (OpaquePointer?, Int32, FunctionArguments?) -> Void = { context, count, values in
  guard let values = unsafe values, count > 0, let collector = unsafe object(values[0]) else {
    unsafe sqlite3_result_error(context, notACollector, -1)
    return
  }
  guard let memory = unsafe memory(context, size: Int32(MemoryLayout<UnsafeMutableRawPointer>.size)) else {
    unsafe sqlite3_result_error_nomem(context)
    return
  }
  let arguments = unsafe FunctionObject.Arguments(values, count: Int(count))
  guard unsafe countWork(arguments, context) else { return }
  let collection: Collection
  if let known = unsafe memory.pointee {
    collection = unsafe Unmanaged<Collection>.fromOpaque(known).takeUnretainedValue()
  } else {
    guard let list = collector.emptyList else {
      unsafe sqlite3_result_error(context, notACollector, -1)
      return
    }
    collection = Collection(list)
    unsafe memory.pointee = unsafe Unmanaged.passRetained(collection).toOpaque()
  }
  collector.add(arguments, to: &collection.bytes)
  if collector.failure != nil { unsafe sqlite3_result_error(context, "a value cannot be read", -1) }
}

private let collected: @convention(c) (OpaquePointer?) -> Void = { context in
  guard let memory = unsafe memory(context, size: 0), let known = unsafe memory.pointee else {
    unsafe sqlite3_result_null(context)
    return
  }
  let bytes = unsafe Unmanaged<Collection>.fromOpaque(known).takeRetainedValue().bytes
  unsafe memory.pointee = nil
  unsafe sqlite3_result_blob64(context, bytes, UInt64(bytes.count), sqlite_transient())
}

private let form: @convention(c) (OpaquePointer?, Int32, FunctionArguments?) -> Void = { context, count, values in
  guard let values = unsafe values, count == 2 else { return }
  let arguments = unsafe FunctionObject.Arguments(values, count: 2)
  guard unsafe countWork(arguments, context) else { return }
  // Values other than texts are compared as they are.
  guard arguments[1].kind == .text else {
    unsafe sqlite3_result_value(context, values[1])
    return
  }
  guard let form = TextForm(rawValue: arguments[0].integer)?.form(of: arguments[1].text) else { return }
  unsafe returnText(form, context)
}

private let noteDerivedChange: @convention(c) (OpaquePointer?, Int32, FunctionArguments?) -> Void = {
  context, count, values in
  guard let values = unsafe values, count == 5, let changes = unsafe sqlite3_user_data(context) else { return }
  let arguments = unsafe FunctionObject.Arguments(values, count: 5)
  let list = unsafe Unmanaged<DerivedChanges>.fromOpaque(changes).takeUnretainedValue()
  list.rows.append((arguments[1].integer, arguments[2].integer))
}
