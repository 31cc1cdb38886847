internal import ManagedObjects
internal import SQLQueries

/// A condition that an SQL function evaluates in memory for the values of a row.
final class RowTest: FunctionObject {
  private let test: ValueTest
  private let leaves: [Leaf.Kind]
  private let context: FunctionContext

  init(_ test: ValueTest, _ leaves: [Leaf.Kind], _ context: FunctionContext) {
    self.test = test
    self.leaves = leaves
    self.context = context
  }

  override func holds(_ arguments: Arguments) -> Bool? {
    do {
      if leaves.count == 1, case .attribute(let type, let isExternal) = leaves[0] {
        guard let value = context.value(arguments[1], type, isExternal, self) else { return nil }
        return try test.holds(value)
      }
      var values: [PredicateValue<AttributeValue>] = []
      values.reserveCapacity(leaves.count)
      var next = 1
      for leaf in leaves {
        guard let value = context.value(arguments, &next, leaf, self) else { return nil }
        values.append(value)
      }
      return try test.holds(values)
    } catch {
      fail(error)
      return nil
    }
  }
}

/// An expression that an SQL function evaluates in memory with the values of a row.
final class RowComputation: FunctionObject {
  private let computation: ValueComputation
  private let leaves: [Leaf.Kind]
  private let isExternal: Bool
  private let context: FunctionContext

  init(_ computation: ValueComputation, _ leaves: [Leaf.Kind], isExternal: Bool, _ context: FunctionContext) {
    self.computation = computation
    self.leaves = leaves
    self.isExternal = isExternal
    self.context = context
  }

  override func value(_ arguments: Arguments) -> SQLValue? {
    var values: [PredicateValue<AttributeValue>] = []
    values.reserveCapacity(leaves.count)
    var next = 1
    for leaf in leaves {
      guard let value = context.value(arguments, &next, leaf, self) else { return nil }
      values.append(value)
    }
    do { return try SQLValue(saving: computation.value(values), isExternal: isExternal) } catch {
      fail(error)
      return nil
    }
  }
}

/// An object that collects the values of many rows into a list, for the SQL function ``Database/FunctionName/collect``.
final class ValueCollector: FunctionObject {
  private let leaf: Leaf.Kind
  private let isSet: Bool
  private let context: FunctionContext

  /// Creates a collector of values.
  ///
  /// - Parameter isSet: True if the list represents a set.
  init(_ leaf: Leaf.Kind, isSet: Bool, _ context: FunctionContext) {
    self.leaf = leaf
    self.isSet = isSet
    self.context = context
  }

  /// The size of the largest list, in bytes. Requests with larger lists are executed in memory.
  private static let greatestSize = 1 << 28

  override var emptyList: [UInt8]? { ValueCode.start(isSet: isSet) }

  override func add(_ arguments: Arguments, to bytes: inout [UInt8]) {
    if bytes.count > Self.greatestSize { return fail(ManagedObjectError(.sqlite, "a list of values is too long")) }
    var next = 1
    switch context.value(arguments, &next, leaf, self) {
    case .value(let value): ValueCode.append(value, to: &bytes)
    case .constant(.object(let key)): ValueCode.append(key, to: &bytes)
    default: break
    }
  }
}

/// The parts of a store that SQL functions need to read values.
struct FunctionContext {
  let entityIndices: [Int64: Int]
  let storeNumber: StoreNumber
  let externalData: ExternalData

  /// Returns the value of an attribute from an argument of an SQL function; nil after an error, which `object` records.
  @inline(__always)
  func value(
    _ argument: FunctionObject.Argument, _ type: AttributeType, _ isExternal: Bool, _ object: FunctionObject
  ) -> AttributeValue? {
    do {
      if let value = try ValueReading.value(argument, type, isExternal ? externalData : nil) { return value }
      object.fail(ManagedObjectError(.invalidValue, "a row has a value that is not of the type \(type.name)"))
    } catch {
      object.fail(error)
    }
    return nil
  }

  fileprivate func value(
    _ arguments: FunctionObject.Arguments, _ next: inout Int, _ leaf: Leaf.Kind, _ object: FunctionObject
  ) -> PredicateValue<AttributeValue>? {
    defer { next += 1 }
    let argument = arguments[next]
    switch leaf {
    case .attribute(let type, let isExternal): return value(argument, type, isExternal, object).map { .value($0) }
    case .object:
      next += 1
      let number = arguments[next]
      if number.kind == .null { return .null }
      guard let index = entityIndices[argument.integer] else {
        object.fail(ManagedObjectError(.invalidValue, "a row has the unknown entity number \(argument.integer)"))
        return nil
      }
      return .constant(.object(RowKey(store: storeNumber, entityIndex: index, number: number.integer)))
    case .list:
      if argument.kind == .null { return .null }
      if let list = ValueCode.list(Array(argument.data)) { return list }
      object.fail(
        ManagedObjectError(
          .invalidValue, "the statement returned an invalid list of values for a predicate: please report this"))
      return nil
    }
  }
}
