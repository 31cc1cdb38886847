/// A string, folded once for many comparisons.
@usableFromInline
struct FoldedText: Hashable, Sendable {
  let rules: TextRules
  /// The folded scalars, without the bit ``TextRules/boundary``.
  private let scalars: [UInt32]
  private let isASCII: Bool
  /// For each index, the length of the longest proper prefix that is also a suffix of the scalars up to it (Knuth,
  /// Morris, Pratt).
  private let borders: [Int32]

  @usableFromInline init(_ text: String, _ rules: TextRules) {
    self.rules = rules
    let scalars = rules.units(of: text).map { $0 & ~TextRules.boundary }
    self.scalars = scalars
    isASCII = scalars.allSatisfy { $0 < 0x80 }
    var borders: [Int32] = [0]
    borders.reserveCapacity(scalars.count)
    var length = 0
    for index in scalars.indices.dropFirst() {
      while length > 0, scalars[index] != scalars[length] { length = Int(borders[length - 1]) }
      if scalars[index] == scalars[length] { length += 1 }
      borders.append(Int32(truncatingIfNeeded: length))
    }
    self.borders = borders
  }

  /// Calls one of two closures: `ascii` with the bytes of the text if it is ASCII, otherwise `units` with its folded
  /// scalars.
  @inline(__always)
  private func look<T>(at text: String, ascii: (Span<UInt8>) -> T, units: ([UInt32]) -> T) -> T {
    let bytes = text.utf8Span.span
    return bytes.isASCII ? ascii(bytes) : units(rules.units(of: text))
  }

  @usableFromInline func isEqual(to text: String) -> Bool {
    look(at: text) { bytes in
      isASCII && bytes.count == scalars.count && matches(bytes, at: 0)
    } units: { units in
      units.count == scalars.count && matches(units, at: 0)
    }
  }

  func isPrefix(of text: String) -> Bool {
    look(at: text) { bytes in
      isASCII && bytes.count >= scalars.count && matches(bytes, at: 0)
    } units: { units in
      units.count >= scalars.count && matches(units, at: 0) && TextRules.isBoundary(scalars.count, in: units)
    }
  }

  func isSuffix(of text: String) -> Bool {
    look(at: text) { bytes in
      isASCII && bytes.count >= scalars.count && matches(bytes, at: bytes.count - scalars.count)
    } units: { units in
      let start = units.count - scalars.count
      return start >= 0 && TextRules.isBoundary(start, in: units) && matches(units, at: start)
    }
  }

  /// True if the text contains this string, as whole characters. Every text contains the empty string.
  @usableFromInline func isContained(in text: String) -> Bool {
    if scalars.isEmpty { return true }
    return look(at: text) { bytes in
      guard isASCII else { return false }
      var length = 0
      for index in bytes.indices {
        let scalar = UInt32(rules.folded(bytes[index]))
        while length > 0, scalar != scalars[length] { length = Int(borders[length - 1]) }
        if scalar == scalars[length] { length += 1 }
        if length == scalars.count { return true }
      }
      return false
    } units: { units in
      var length = 0
      for index in units.indices {
        let scalar = units[index] & ~TextRules.boundary
        while length > 0, scalar != scalars[length] { length = Int(borders[length - 1]) }
        if scalar == scalars[length] { length += 1 }
        guard length == scalars.count else { continue }
        let start = index + 1 - length
        if TextRules.isBoundary(start, in: units), TextRules.isBoundary(index + 1, in: units) { return true }
        length = Int(borders[length - 1])
      }
      return false
    }
  }

  /// Returns the order of a text relative to this one, by the values of the folded scalars.
  func order(of text: String) -> PredicateOrder {
    look(at: text) { bytes in
      for index in 0..<min(bytes.count, scalars.count) {
        let scalar = UInt32(rules.folded(bytes[index]))
        if scalar != scalars[index] { return PredicateOrder(scalar, scalars[index]) }
      }
      return PredicateOrder(bytes.count, scalars.count)
    } units: { units in
      for index in 0..<min(units.count, scalars.count) {
        let scalar = units[index] & ~TextRules.boundary
        if scalar != scalars[index] { return PredicateOrder(scalar, scalars[index]) }
      }
      return PredicateOrder(units.count, scalars.count)
    }
  }

  @inline(__always)
  private func matches(_ bytes: Span<UInt8>, at start: Int) -> Bool {
    for index in scalars.indices where UInt32(rules.folded(bytes[start + index])) != scalars[index] { return false }
    return true
  }

  private func matches(_ units: [UInt32], at start: Int) -> Bool {
    for index in scalars.indices where units[start + index] & ~TextRules.boundary != scalars[index] { return false }
    return true
  }
}

extension Span<UInt8> {
  /// True if all bytes are ASCII.
  package var isASCII: Bool {
    var all: UInt8 = 0
    for index in indices { all |= self[index] }
    return all < 0x80
  }
}

/// The order of two values.
@usableFromInline
package enum PredicateOrder: Hashable, Sendable {
  case less, equal, greater

  @inline(__always)
  @inlinable package init<T: Comparable>(_ first: T, _ second: T) {
    self = first < second ? .less : first == second ? .equal : .greater
  }

  @inlinable package var reversed: PredicateOrder {
    switch self {
    case .less: .greater
    case .equal: .equal
    case .greater: .less
    }
  }
}
