private import FoundationEssentials

/// Both are made with stacks of their own, so that the depth of a value costs no stack of the thread.
extension PropertyList: Hashable {
  /// - Complexity: O(*n*) in the number of values below the two.
  public static func == (lhs: PropertyList, rhs: PropertyList) -> Bool {
    guard lhs.isContainer, rhs.isContainer else { return areEqualScalars(lhs, rhs) }
    var pairs = [(lhs, rhs)]
    while let (first, second) = pairs.popLast() {
      switch (first, second) {
      case (.array(let a), .array(let b)):
        guard haveEqualScalars(a, b, containers: &pairs) else { return false }
      case (.dictionary(let a), .dictionary(let b)):
        guard a.keys == b.keys, haveEqualScalars(a.values.elements, b.values.elements, containers: &pairs) else {
          return false
        }
      default:
        guard areEqualScalars(first, second) else { return false }
      }
    }
    return true
  }

  package var isContainer: Bool {
    switch self {
    case .array, .dictionary: true
    default: false
    }
  }

  /// Whether two lists agree in all scalars, and have containers at the same indexes, which are left to compare.
  private static func haveEqualScalars(
    _ first: [PropertyList], _ second: [PropertyList], containers: inout [(PropertyList, PropertyList)]
  ) -> Bool {
    guard first.count == second.count else { return false }
    for (a, b) in zip(first, second) {
      switch (a, b) {
      case (.array, .array), (.dictionary, .dictionary): containers.append((a, b))
      default:
        guard areEqualScalars(a, b) else { return false }
      }
    }
    return true
  }

  private static func areEqualScalars(_ lhs: PropertyList, _ rhs: PropertyList) -> Bool {
    switch (lhs, rhs) {
    case (.string(let a), .string(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.boolean(let a), .boolean(let b)): a == b
    case (.date(let a), .date(let b)): a.secondsBitPattern == b.secondsBitPattern
    case (.data(let a), .data(let b)): a == b
    case (.uid(let a), .uid(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }

  /// - Complexity: O(*n*) in the number of values below this one.
  public func hash(into hasher: inout Hasher) {
    guard isContainer else {
      hasher.combine(kind)
      return hashScalar(into: &hasher)
    }
    var containers = [self]
    while let next = containers.popLast() {
      hasher.combine(next.kind)
      switch next {
      case .array(let elements): Self.hash(elements, into: &hasher, containers: &containers)
      case .dictionary(let entries):
        hasher.combine(entries.keys)
        Self.hash(entries.values.elements, into: &hasher, containers: &containers)
      default: next.hashScalar(into: &hasher)
      }
    }
  }

  private static func hash(_ elements: [PropertyList], into hasher: inout Hasher, containers: inout [PropertyList]) {
    hasher.combine(elements.count)
    for element in elements {
      switch element {
      case .array, .dictionary: containers.append(element)
      default:
        hasher.combine(element.kind)
        element.hashScalar(into: &hasher)
      }
    }
  }

  private func hashScalar(into hasher: inout Hasher) {
    switch self {
    case .string(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .float(let value): hasher.combine(value.bitPattern)
    case .boolean(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.secondsBitPattern)
    case .data(let value): hasher.combine(value)
    case .uid(let value): hasher.combine(value)
    case .null, .array, .dictionary: break
    }
  }
}

extension Date {
  fileprivate var secondsBitPattern: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}
