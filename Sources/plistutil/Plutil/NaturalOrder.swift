/// The order of dictionary keys in Apple's tool. Numbers in text are compared by value, and case is ignored.
/// Punctuation comes before digits, and digits come before letters. For ASCII, this is the order of Unicode's
/// collation.
enum NaturalOrder {
  /// The punctuation of ASCII in its order (CLDR root collation).
  private static let marks = Array("\t\n\u{B}\u{C}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$".unicodeScalars)

  /// The rank of each ASCII character. Control characters come first.
  private static let ranks: [UInt32] = {
    var ranks = (0..<128 as Range<UInt32>).map { $0 }
    for (rank, mark) in marks.enumerated() { ranks[Int(mark.value)] = 32 + UInt32(rank) }
    for value in UInt32(48)...57 { ranks[Int(value)] = 100 + value - 48 }
    for value in UInt32(97)...122 {
      ranks[Int(value)] = 110 + value - 97
      ranks[Int(value) - 32] = 110 + value - 97
    }
    return ranks
  }()

  static func precedes(_ first: String, _ second: String) -> Bool {
    let a = parts(of: first)
    let b = parts(of: second)
    for (x, y) in zip(a, b) where x.rank != y.rank || x.number != y.number {
      if x.rank != y.rank { return x.rank < y.rank }
      // Leading zeros were removed, so the number with more digits is larger.
      if x.number.count != y.number.count { return x.number.count < y.number.count }
      return x.number.lexicographicallyPrecedes(y.number)
    }
    if a.count != b.count { return a.count < b.count }
    // The keys differ only in case and leading zeros. Lowercase comes first.
    for (x, y) in zip(first.unicodeScalars, second.unicodeScalars) where x != y {
      if (x.properties.isLowercase) != (y.properties.isLowercase) { return x.properties.isLowercase }
      break
    }
    return first.utf8.count != second.utf8.count
      ? first.utf8.count < second.utf8.count : first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  private struct Part {
    var rank: UInt32
    /// The digits of a number, without leading zeros.
    var number: [UInt8] = []
  }

  private static func parts(of text: String) -> [Part] {
    var parts: [Part] = []
    var isInNumber = false
    for scalar in text.unicodeScalars {
      if let digit = UInt8(exactly: scalar.value), (48...57).contains(digit) {
        if !isInNumber { parts.append(Part(rank: ranks[48])) }
        isInNumber = true
        if digit != 48 || !parts[parts.count - 1].number.isEmpty { parts[parts.count - 1].number.append(digit) }
        continue
      }
      isInNumber = false
      if scalar.isASCII {
        parts.append(Part(rank: ranks[Int(scalar.value)]))
      } else {
        parts += scalar.properties.lowercaseMapping.unicodeScalars.map { Part(rank: $0.value + 128) }
      }
    }
    return parts
  }
}
