public import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists

extension NIBArchive {
  /// The value of a key. The case for a number depends on the width that the number has in the file.
  ///
  /// ```swift
  /// switch label["UIText"] {
  /// case .object(let index): print(nib.objects[index].className ?? "no class")  // NSString
  /// case .null, nil: print("no text")
  /// case let value?: print(value)
  /// }
  /// ```
  public enum Value: Sendable {
    case int8(Int8)
    case int16(Int16)
    case int32(Int32)
    case int64(Int64)
    case boolean(Bool)
    case float(Float)
    case double(Double)
    /// Bytes. For points, sizes and rectangles, see ``numbers``.
    case data(Data)
    /// Nil.
    case null
    /// A reference to the object at this index of ``NIBArchive/objects``. In a damaged file, the index may be invalid.
    case object(Int)
  }
}

extension NIBArchive.Value {
  /// The value of an integer of any width. Nil for other values.
  ///
  /// ```swift
  /// label["UITag"]?.integer  // 7, whether the file has .int8(7) or .int64(7)
  /// ```
  public var integer: Int64? {
    switch self {
    case .int8(let value): Int64(value)
    case .int16(let value): Int64(value)
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .boolean, .float, .double, .data, .null, .object: nil
    }
  }

  /// The numbers in data that contains floats or doubles: a byte for the type, then the numbers.
  ///
  /// ```swift
  /// view["UIBounds"]?.numbers  // [0.0, 0.0, 320.0, 480.5]
  /// ```
  ///
  /// Points and sizes have two numbers, rectangles and insets four, transforms six. Nil for other values, and for data
  /// in any other form. Other data may have this form by chance, because a file does not store what data is for.
  public var numbers: [Double]? {
    guard case .data(let data) = self else { return nil }
    return PackedNumbers(data.bytes).map(\.doubles)
  }
}

extension NIBArchive.Value: Hashable {
  /// Compares numbers by their bits, so that a NaN is equal to itself, and -0 is not equal to 0.
  public static func == (first: NIBArchive.Value, second: NIBArchive.Value) -> Bool {
    switch (first, second) {
    case (.int8(let left), .int8(let right)): left == right
    case (.int16(let left), .int16(let right)): left == right
    case (.int32(let left), .int32(let right)): left == right
    case (.int64(let left), .int64(let right)): left == right
    case (.boolean(let left), .boolean(let right)): left == right
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.data(let left), .data(let right)): left == right
    case (.null, .null): true
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .int8(let value): hasher.combine(value)
    case .int16(let value): hasher.combine(value)
    case .int32(let value): hasher.combine(value)
    case .int64(let value): hasher.combine(value)
    case .boolean(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .data(let value): hasher.combine(value)
    case .null: hasher.combine(0)
    case .object(let index): hasher.combine(index)
    }
  }
}

/// Floats or doubles that were read from data, which begins with a byte for their type.
struct PackedNumbers {
  let isDouble: Bool
  let doubles: [Double]

  /// Reads the numbers. Returns nil for bytes in another form. There can be at most 16 numbers, because no known
  /// structure has more.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount > 1, bytes.byteCount <= 1 + 16 * 8 else { return nil }
    switch NIBArchive.ValueType(rawValue: bytes[0]) {
    case .float: isDouble = false
    case .double: isDouble = true
    default: return nil
    }
    let width = isDouble ? 8 : 4
    guard (bytes.byteCount - 1).isMultiple(of: width), (bytes.byteCount - 1) / width <= 16 else { return nil }
    var doubles: [Double] = []
    for offset in stride(from: 1, to: bytes.byteCount, by: width) {
      doubles.append(
        isDouble
          ? Double(bitPattern: bytes.littleEndianWord(at: offset))
          : Double(Float(bitPattern: bytes.littleEndianUInt32(at: offset))))
    }
    self.doubles = doubles
  }

  /// The numbers as text, `{0, 0, 320, 480.5}`, each with the fewest digits that identify it. Nil unless there are two,
  /// four or six numbers and all are finite.
  var text: String? {
    guard [2, 4, 6].contains(doubles.count), doubles.allSatisfy(\.isFinite) else { return nil }
    let numbers = doubles.map { number in
      let text = isDouble ? number.description : Float(number).description
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    return "{" + numbers.joined(separator: ", ") + "}"
  }
}
