internal import FoundationEssentials
internal import ManagedObjects

/// Conversion of constants to column values, so that SQL can compare an attribute with a constant.
extension ValueTerm {
  /// Converts a constant to the value that the column of the attribute stores for it. Returns nil if the column cannot
  /// store the constant exactly.
  func bound(_ constant: AttributeValue) -> SQLValue? {
    switch (type, constant) {
    case (.integer16, _), (.integer32, _), (.integer64, _):
      switch constant.canonical {
      case .integer(let number): return .integer(number)
      case .double(let number) where !number.isNaN: return .real(number)
      default: return nil
      }
    case (.double, _): return constant.exactDouble.map { .real($0) }
    case (.date, .date(let date)):
      let seconds = date.timeIntervalSinceReferenceDate
      return seconds.isNaN ? nil : .real(seconds)
    case (.uuid, .uuid(let uuid)): return .blob(unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Data($0) })
    case (.binary, .data(let data)): return isExternal ? nil : .blob(data)
    case (.transformable, .data(let data)): return .blob(data)
    default: return nil
    }
  }

  /// Returns the stored values of all attribute values that equal a constant; nil if some of them are unknown.
  func equals(_ constant: AttributeValue) -> [SQLValue]? {
    switch (type, constant) {
    case (.string, .string(let text)): return text.canonicalEquals?.map { .text($0) }
    case (.decimal, _):
      guard let (stored, order) = constant.storedDecimal else { return nil }
      return order == 0 ? [stored] : []
    case (.boolean, _), (.float, _), (.uri, _): return nil
    default: return bound(constant).map { [$0] }
    }
  }

  /// A kind of attribute. SQLite compares two attributes of the same kind with the same result as evaluation in memory.
  enum PlainKind {
    case number, date, uuid, data
  }

  var plainKind: PlainKind? {
    switch type {
    case .integer16, .integer32, .integer64, .double, .boolean: .number
    case .date: .date
    case .uuid: .uuid
    case .binary: isExternal ? nil : .data
    default: nil
    }
  }
}

extension AttributeValue {
  /// The number as a double; nil if a double cannot represent it exactly, and for other values.
  var exactDouble: Double? {
    switch canonical {
    case .integer(let number): Double(exactly: number)
    case .double(let number): number.isNaN ? nil : number
    default: nil
    }
  }

  /// The value that a decimal column stores for this number, and the order of the number that is then read from the
  /// column: −1 if it is less than this one, 0 if it is equal, 1 if it is greater. Nil if this value is not a number,
  /// or is too large to be compared.
  var storedDecimal: (SQLValue, Int)? {
    let stored: SQLValue
    switch canonical {
    case .integer(let number): return (.integer(number), 0)
    case .double(let number): stored = .real(number)
    case .decimal(let number):
      guard let value = StoredDecimal.value(number) else { return nil }
      stored = value
    default: return nil
    }
    guard case .real(let number) = stored, abs(number) < 0x1p53, let value = StoredDecimal.decimal(stored),
      let order = value.comparison(with: self)
    else { return nil }
    return (stored, order)
  }
}

extension Double {
  /// The floats next to this double: `least` is the least float that is not less than it, and `greatest` is the
  /// greatest float that is not greater than it. They are equal if this double is a float.
  var floats: (least: Float?, greatest: Float?) {
    let nearest = Float(self)
    if Double(nearest) == self { return (nearest, nearest) }
    return Double(nearest) < self ? (nearest.upper, nearest) : (nearest, nearest.lower)
  }
}

extension Float {
  /// The next greater float; nil for infinity.
  var upper: Float? { self == .infinity ? nil : nextUp }
  /// The next lesser float; nil for negative infinity.
  var lower: Float? { self == -.infinity ? nil : nextDown }

  /// The greatest double that rounds to this float.
  var greatestDouble: Double {
    if self == .infinity { return .infinity }
    let middle = (Self.whole(self) + Self.whole(nextUp)) / 2
    return Float(middle) == self ? middle : middle.nextDown
  }

  /// The least double that rounds to this float.
  var leastDouble: Double { -(-self).greatestDouble }

  /// Returns the float as a double. Infinity becomes 2¹²⁸, the power of 2 after the greatest float: doubles from the
  /// middle between the greatest float and 2¹²⁸ are rounded to infinity.
  private static func whole(_ value: Float) -> Double {
    value.isInfinite ? (value < 0 ? -0x1p128 : 0x1p128) : Double(value)
  }
}

extension String {
  /// All strings that are canonically equivalent to this one in Unicode; nil if this one is not ASCII, or if there are
  /// more than eight.
  var canonicalEquals: [String]? {
    var hasOthers = false
    for byte in utf8 {
      if byte >= 0x80 { return nil }
      if byte == UInt8(ascii: "K") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "`") { hasOthers = true }
    }
    if !hasOthers { return [self] }
    var equals = [""]
    for scalar in unicodeScalars {
      let forms: [Unicode.Scalar] =
        switch scalar {
        case "K": ["K", "\u{212A}"]
        case ";": [";", "\u{37E}"]
        case "`": ["`", "\u{1FEF}"]
        default: [scalar]
        }
      if forms.count > 1, equals.count >= 8 { return nil }
      if forms.count == 1 {
        for index in equals.indices { equals[index].unicodeScalars.append(scalar) }
      } else {
        equals = equals.flatMap { text in forms.map { text + String($0) } }
      }
    }
    return equals
  }

  /// The least string, in the order of bytes, that is greater than all strings that begin with this one; nil if it is
  /// unknown.
  var afterPrefix: String? {
    guard let last = unicodeScalars.last, last.value < 0x7F else { return nil }
    var scalars = unicodeScalars
    scalars.removeLast()
    scalars.append(Unicode.Scalar(UInt8(last.value) + 1))
    return String(scalars)
  }
}

extension SQLValue {
  /// True for integers, and for ASCII texts that need no escapes in JSON.
  var hasPlainJSON: Bool {
    switch self {
    case .integer: true
    case .text(let text):
      text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    case .null, .real, .blob: false
    }
  }

  var plainJSON: String {
    switch self {
    case .integer(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .null, .real, .blob: "null"
    }
  }
}
