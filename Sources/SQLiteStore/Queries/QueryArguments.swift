internal import ManagedObjects
internal import SQLQueries

/// The values and function objects that are bound to the parameters of a statement.
struct QueryArguments {
  private let arguments: [Argument]

  private enum Argument {
    case value(SQLValue)
    case object(FunctionObject)
  }

  init(_ bindings: [QueryTranslation.Binding], _ context: FunctionContext) {
    arguments = bindings.map { binding in
      switch binding {
      case .value(let value): .value(value)
      case .test(let test, let leaves): .object(RowTest(test, leaves, context))
      case .computation(let computation, let leaves, let isExternal):
        .object(RowComputation(computation, leaves, isExternal: isExternal, context))
      case .collector(let leaf, let isSet): .object(ValueCollector(leaf, isSet: isSet, context))
      }
    }
  }

  /// True if a function failed, which ended the statement.
  var hasFailed: Bool {
    arguments.contains { if case .object(let object) = $0 { object.failure != nil } else { false } }
  }

  func bind(to statement: Statement) throws(ManagedObjectError) {
    for (index, argument) in arguments.prefix(Int(statement.parameterCount)).enumerated() {
      switch argument {
      case .value(let value): try statement.bind(Int32(index + 1), value)
      case .object(let object): try statement.bind(Int32(index + 1), object: object)
      }
    }
  }
}
