/// An order for what Swift has in another order in each process: that of the values themselves.
extension EncodedNodes {
  /// Elements, each of `groupSize` values, in ascending order: numbers by value, strings by their UTF-16 code units.
  func sorted(_ values: [FlatNode], groupSize: Int) -> [FlatNode] {
    let groups = stride(from: 0, through: values.count - groupSize, by: groupSize)
    return groups.sorted { precedes(values[$0..<$0 + groupSize], values[$1..<$1 + groupSize]) }
      .flatMap { values[$0..<$0 + groupSize] }
  }

  /// It keeps its own stack, so that the depth of a value costs no stack of the thread.
  private func precedes(_ first: ArraySlice<FlatNode>, _ second: ArraySlice<FlatNode>) -> Bool {
    let order = compare(first[first.startIndex], second[second.startIndex])
    if order != 0 { return order < 0 }
    // The next pair stands last.
    var pairs = Array(zip(first, second).reversed())
    while let (a, b) = pairs.popLast() {
      let order = compare(a, b)
      if order != 0 { return order < 0 }
      guard a.kind.isContainer else { continue }
      pairs += zip(children(of: a), children(of: b)).reversed()
    }
    return false
  }

  /// Below, equal or above 0, as the first value is before, like or behind the second; containers only by their size.
  private func compare(_ first: FlatNode, _ second: FlatNode) -> Int {
    guard first.kind == second.kind else { return Int(first.kind.rawValue) - Int(second.kind.rawValue) }
    switch first.kind {
    case .null: return 0
    case .boolean, .unsignedInteger, .uid: return order(first.payload, second.payload)
    case .integer: return order(Int64(bitPattern: first.payload), Int64(bitPattern: second.payload))
    case .real, .date:
      if first.payload == second.payload { return 0 }
      return first.real.isTotallyOrdered(belowOrEqualTo: second.real) ? -1 : 1
    case .float:
      if first.payload == second.payload { return 0 }
      return first.float.isTotallyOrdered(belowOrEqualTo: second.float) ? -1 : 1
    case .string, .data: return KeyOrder.compare(bytes(of: first), bytes(of: second))
    case .array, .dictionary: return order(first.count, second.count)
    }
  }

  private func order<T: Comparable>(_ first: T, _ second: T) -> Int { first < second ? -1 : first == second ? 0 : 1 }
}

/// A collection that hashes its elements or its keys, and has them in another order in each process.
package protocol HashedCollection {
  /// How many values of a container without keys stand for one element.
  static var valuesPerElement: Int { get }
}

extension Set: HashedCollection {
  package static var valuesPerElement: Int { 1 }
}

extension Dictionary: HashedCollection {
  package static var valuesPerElement: Int { 2 }
}
