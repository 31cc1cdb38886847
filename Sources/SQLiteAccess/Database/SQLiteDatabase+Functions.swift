/// Functions that add SQL functions written in Swift.
extension SQLiteDatabase {
  /// Adds an SQL function to this connection.
  ///
  /// ```swift
  /// try database.addFunction("initials", argumentCount: 1, isDeterministic: true) { arguments in
  ///   guard let name = String(sqliteValue: arguments[0]) else { return nil as String? }
  ///   return String(name.split(separator: " ").compactMap(\.first))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in SQL. A function with the same name and number of arguments is replaced.
  ///   - argumentCount: The number of arguments; nil for any number.
  ///   - isDeterministic: True if the result depends only on the arguments. SQLite then may call the function less
  ///     often, and allows it in indices.
  ///   - isHarmless: True if views and triggers may call the function. A malicious file can contain such views, so use
  ///     false for a function that has side effects.
  ///   - body: The function. If it throws, the statement fails with the error's description.
  /// - Throws: ``SQLiteResultCode/misuse`` if the name is too long or contains a null character, or if the number of
  ///   arguments is not from 0 to 127; ``SQLiteResultCode/busy`` if a function is replaced while a statement is being
  ///   executed.
  public func addFunction<Result: SQLiteConvertible>(
    _ name: String, argumentCount: Int?, isDeterministic: Bool = false, isHarmless: Bool = false,
    _ body: @escaping ([SQLiteValue]) throws -> Result
  ) throws(SQLiteError) {
    let count = try arguments(argumentCount, of: name)
    try connection.register(name, arguments: count, isDeterministic: isDeterministic, isHarmless: isHarmless) { call in
      do { call.setResult(try body(try call.values()).sqliteValue) } catch { call.fail("\(name): \(error)") }
    }
  }

  /// Adds an aggregate SQL function, such as `SUM`, to this connection.
  ///
  /// ```swift
  /// try database.addAggregate("product", argumentCount: 1, initial: 1.0) { product, arguments in
  ///   product *= Double(sqliteValue: arguments[0]) ?? 1
  /// } result: { $0 }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in SQL. A function with the same name and number of arguments is replaced.
  ///   - argumentCount: The number of arguments; nil for any number.
  ///   - initial: The state before the first row of each group.
  ///   - isHarmless: True if views and triggers may call the function.
  ///   - step: Changes the state for a row. If it throws, the statement fails with the error's description.
  ///   - result: Returns the result for the state after the last row.
  /// - Throws: The errors of ``addFunction(_:argumentCount:isDeterministic:isHarmless:_:)``.
  public func addAggregate<State, Result: SQLiteConvertible>(
    _ name: String, argumentCount: Int?, initial: State, isHarmless: Bool = false,
    step: @escaping (inout State, [SQLiteValue]) throws -> Void, result: @escaping (State) throws -> Result
  ) throws(SQLiteError) {
    let count = try arguments(argumentCount, of: name)
    try connection.register(
      aggregate: name, arguments: count, isHarmless: isHarmless,
      step: { call in
        guard let group = call.state({ Group(initial) }) else { return }
        do { try step(&group.state, try call.values()) } catch { call.fail("\(name): \(error)") }
      },
      end: { call in
        let group: Group<State>? = call.takeState()
        do {
          call.setResult(try result(group?.state ?? initial).sqliteValue)
        } catch {
          call.fail("\(name): \(error)")
        }
      })
  }

  private func arguments(_ count: Int?, of name: String) throws(SQLiteError) -> Int32 {
    guard !name.utf8.contains(0) else { throw connection.misuse("a function's name contains a null character", nil) }
    guard let count else { return -1 }
    if (0...127).contains(count) { return Int32(count) }
    throw connection.misuse("\(name): expected 0 to 127 arguments, found \(count)", nil)
  }
}

/// The state of an aggregate function for a group of rows.
private final class Group<State> {
  var state: State

  init(_ state: State) { self.state = state }
}

/// The error for a text argument that is not valid UTF-8.
private struct InvalidText: Error, CustomStringConvertible {
  let index: Int

  var description: String { "argument \(index + 1) is not valid UTF-8" }
}

extension FunctionCall {
  /// Returns the arguments.
  fileprivate func values() throws -> [SQLiteValue] {
    try (0..<arguments.count).map { index in
      let argument = arguments[index]
      switch argument.kind {
      case .integer: return .integer(argument.integer)
      case .real: return .real(argument.real)
      case .text:
        guard let text = argument.validText else { throw InvalidText(index: index) }
        return .text(text)
      case .blob: return .blob(argument.data)
      default: return .null
      }
    }
  }

  fileprivate func setResult(_ value: SQLiteValue) {
    switch value {
    // A function that sets no result returns NULL.
    case .null: break
    case .integer(let value): setResult(value)
    case .real(let value): setResult(value)
    case .text(let value): setResult(value)
    case .blob(let value): setResult(value)
    }
  }
}
