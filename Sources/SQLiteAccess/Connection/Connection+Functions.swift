internal import CSQLite

/// Functions that register closures of the program as SQL functions.
extension Connection {
  /// Makes a function of the program an SQL function of this connection.
  ///
  /// The bytes of the arguments count as work of the statement that calls the function.
  ///
  /// - Parameters:
  ///   - count: The number of arguments; -1 for any number.
  ///   - isDeterministic: True if the result depends only on the arguments.
  ///   - isHarmless: True if views and triggers of the file may call the function.
  package func register(
    _ name: String, arguments count: Int32, isDeterministic: Bool, isHarmless: Bool = true,
    _ body: @escaping (FunctionCall) -> Void
  ) throws(Failure) {
    let function = unsafe Unmanaged.passRetained(Function(workLimit, body, { _ in })).toOpaque()
    // SQLite releases the function when it is replaced, when the connection closes, and after an error.
    try check(
      unsafe sqlite3_create_function_v2(
        handle, name, count, flags(isDeterministic, isHarmless), function, callFunction, nil, nil, releaseFunction))
  }

  /// Makes functions of the program an aggregate SQL function of this connection.
  ///
  /// - Parameters:
  ///   - count: The number of arguments; -1 for any number.
  ///   - step: Called with each row. Keeps values in ``FunctionCall/state(_:)``.
  ///   - end: Called after the last row. Gets the state with ``FunctionCall/takeState()``, and sets the result.
  package func register(
    aggregate name: String, arguments count: Int32, isHarmless: Bool = true, step: @escaping (FunctionCall) -> Void,
    end: @escaping (FunctionCall) -> Void
  ) throws(Failure) {
    let function = unsafe Unmanaged.passRetained(Function(workLimit, step, end)).toOpaque()
    try check(
      unsafe sqlite3_create_function_v2(
        handle, name, count, flags(true, isHarmless), function, nil, callFunction, endFunction, releaseFunction))
  }

  private func flags(_ isDeterministic: Bool, _ isHarmless: Bool) -> Int32 {
    SQLITE_UTF8 | (isHarmless ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY) | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
  }

  private func check(_ code: Int32) throws(Failure) { if code != SQLITE_OK { throw failure(code, .running, nil) } }
}

/// An SQL function of the program.
private final class Function {
  private let workLimit: WorkLimit
  let body: (FunctionCall) -> Void
  let end: (FunctionCall) -> Void

  init(_ workLimit: WorkLimit, _ body: @escaping (FunctionCall) -> Void, _ end: @escaping (FunctionCall) -> Void) {
    self.workLimit = workLimit
    self.body = body
    self.end = end
  }

  /// Counts the bytes of the arguments as work of the statement.
  ///
  /// - Returns: False if the limit is exceeded.
  func countWork(_ arguments: FunctionCall.Arguments) -> Bool {
    var size = 0
    for index in 0..<arguments.count { size += arguments[index].size }
    return size == 0 || workLimit.count(bytes: size)
  }
}

private func function(_ context: OpaquePointer?) -> Function? {
  guard let function = unsafe sqlite3_user_data(context) else { return nil }
  return unsafe Unmanaged<Function>.fromOpaque(function).takeUnretainedValue()
}

private typealias FunctionArguments = UnsafeMutablePointer<OpaquePointer?>

private let callFunction: @convention(c) (OpaquePointer?, Int32, FunctionArguments?) -> Void = {
  context, count, values in
  guard let function = unsafe function(context) else { return }
  let arguments = unsafe FunctionCall.Arguments(values, count: Int(count))
  let call = unsafe FunctionCall(context, arguments)
  guard function.countWork(arguments) else { return call.interrupt() }
  function.body(call)
}

private let endFunction: @convention(c) (OpaquePointer?) -> Void = { context in
  if let function = unsafe function(context) {
    function.end(unsafe FunctionCall(context, FunctionCall.Arguments(nil, count: 0)))
  }
}

private let releaseFunction: @convention(c) (UnsafeMutableRawPointer?) -> Void = { function in
  if let function = unsafe function { unsafe Unmanaged<Function>.fromOpaque(function).release() }
}
