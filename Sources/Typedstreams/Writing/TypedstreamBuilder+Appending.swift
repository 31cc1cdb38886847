@_spi(Archives) internal import PropertyLists

/// Appends values.
extension TypedstreamBuilder {
  /// Returns the index of the type that is expected next, and moves to the type after it. Throws if `fits` returns
  /// false for its letter.
  ///
  /// - Parameter what: the value to append, for the error message.
  mutating func take(_ what: String, where fits: (UInt8) -> Bool) throws(TypedstreamError) -> UInt32 {
    guard frame.type != frame.endOfTypes else { throw Self.invalid("expected the beginning of a group, found \(what)") }
    let typeIndex = frame.type
    guard fits(types[typeIndex].letter) else {
      let type = types[typeIndex]
      let text = String(decoding: bytes[Int(type.start)..<Int(type.start) + Int(type.length)], as: UTF8.self)
      throw Self.invalid("expected a value of the type \(text.quoted), found \(what)")
    }
    frame.type = types[typeIndex].end
    return typeIndex
  }

  private mutating func append(_ kind: Tables.Node.Kind, type: UInt32, _ payload: UInt64 = 0) throws(TypedstreamError) {
    guard nodes.count < Int(UInt32.max) - 1, bytes.count < Int(UInt32.max) else {
      throw TypedstreamError(.limitExceeded, "the stream cannot be larger than 4 GiB")
    }
    nodes.append(Tables.Node(kind, type: type, payload: payload))
    try advance()
  }

  /// Appends an integer. The expected value must be a number that can represent it exactly.
  ///
  /// - Throws: ``TypedstreamError/Kind/numberOutOfRange`` if the type cannot represent the integer,
  ///   ``TypedstreamError/Kind/invalidValue`` if the expected value is not a number.
  public mutating func append(_ value: some BinaryInteger) throws(TypedstreamError) {
    let typeIndex = try take("an integer") { "cCBsSiIlLqQfd".utf8.contains($0) }
    let letter = types[typeIndex].letter
    let signed: Int64?
    let unsigned: UInt64?
    switch letter {
    case UInt8(ascii: "c"): (signed, unsigned) = (Int8(exactly: value).map { Int64($0) }, nil)
    case UInt8(ascii: "s"): (signed, unsigned) = (Int16(exactly: value).map { Int64($0) }, nil)
    case UInt8(ascii: "i"), UInt8(ascii: "l"): (signed, unsigned) = (Int32(exactly: value).map { Int64($0) }, nil)
    case UInt8(ascii: "q"): (signed, unsigned) = (Int64(exactly: value), nil)
    case UInt8(ascii: "C"), UInt8(ascii: "B"): (signed, unsigned) = (nil, UInt8(exactly: value).map { UInt64($0) })
    case UInt8(ascii: "S"): (signed, unsigned) = (nil, UInt16(exactly: value).map { UInt64($0) })
    case UInt8(ascii: "I"), UInt8(ascii: "L"): (signed, unsigned) = (nil, UInt32(exactly: value).map { UInt64($0) })
    case UInt8(ascii: "Q"): (signed, unsigned) = (nil, UInt64(exactly: value))
    case UInt8(ascii: "f"):
      guard let real = Float(exactly: value) else { throw Self.outOfRange("\(value)", letter) }
      return try append(.float, type: typeIndex, UInt64(real.bitPattern))
    default:
      guard let real = Double(exactly: value) else { throw Self.outOfRange("\(value)", letter) }
      return try append(.double, type: typeIndex, real.bitPattern)
    }
    if let signed { return try append(.integer, type: typeIndex, UInt64(bitPattern: signed)) }
    guard let unsigned else { throw Self.outOfRange("\(value)", letter) }
    try append(.unsignedInteger, type: typeIndex, unsigned)
  }

  private static func outOfRange(_ value: String, _ letter: UInt8) -> TypedstreamError {
    TypedstreamError(
      .numberOutOfRange, "the number \(value) does not fit in the type \(Character(Unicode.Scalar(letter)))")
  }

  /// Appends a floating-point number. The expected value must be a real that can represent it exactly.
  ///
  /// - Throws: ``TypedstreamError/Kind/numberOutOfRange`` if the type cannot represent the number,
  ///   ``TypedstreamError/Kind/invalidValue`` if the expected value is not a real.
  public mutating func append(_ value: Double) throws(TypedstreamError) {
    let typeIndex = try take("a real") { "fd".utf8.contains($0) }
    if types[typeIndex].letter == UInt8(ascii: "d") { return try append(.double, type: typeIndex, value.bitPattern) }
    guard value.isNaN || Double(Float(value)) == value else { throw Self.outOfRange("\(value)", UInt8(ascii: "f")) }
    try append(.float, type: typeIndex, UInt64(Float(value).bitPattern))
  }

  /// Appends a floating-point number. The expected value must be a real.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not a real.
  public mutating func append(_ value: Float) throws(TypedstreamError) {
    let typeIndex = try take("a real") { "fd".utf8.contains($0) }
    if types[typeIndex].letter == UInt8(ascii: "d") {
      return try append(.double, type: typeIndex, Double(value).bitPattern)
    }
    try append(.float, type: typeIndex, UInt64(value.bitPattern))
  }

  /// Appends text. The expected value must be a string of the type `+`, `*`, `:` or `%`.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not a string.
  public mutating func append(_ text: String) throws(TypedstreamError) { try append(string: Array(text.utf8)) }

  /// Appends the bytes of a string. The expected value must be a string of the type `+`, `*`, `:` or `%`.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not a string.
  public mutating func append(string text: [UInt8]) throws(TypedstreamError) {
    let typeIndex = try take("a string") { "+*:%".utf8.contains($0) }
    switch types[typeIndex].letter {
    case UInt8(ascii: "+"):
      let range = try keep(text)
      try append(.string, type: typeIndex, UInt64(range.count) << 32 | UInt64(range.lowerBound))
    case UInt8(ascii: "*"):
      // The slot of the C string if it is new.
      let slot = UInt32(truncatingIfNeeded: slots.count)
      let known = stringNumbers[text].flatMap { cStringSlots[$0] }
      if known == nil {
        slots.append(Tables.Slot(kind: .cString, content: 0, classSlot: Tables.Slot.none, detail: 0))
        let number = try sharedString(text)
        slots[Int(slot)].content = number
        cStringSlots[number] = slot
      }
      try append(.cString, type: typeIndex, UInt64(known ?? slot))
    default: try append(.sharedString, type: typeIndex, UInt64(try sharedString(text)))
    }
  }

  /// Appends data. The expected value must be an array of the same number of bytes (`[Nc]` or `[NC]`).
  ///
  /// ```swift
  /// try builder.beginGroup("[\(bytes.count)c]")
  /// try builder.append(data: bytes)
  /// ```
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not such an array.
  public mutating func append(data: [UInt8]) throws(TypedstreamError) {
    let typeIndex = try take("data") { $0 == Tables.TypeNode.rawArray }
    guard Int(types[typeIndex].count) == data.count else {
      throw Self.invalid("expected \(types[typeIndex].count) bytes of data, found \(data.count)")
    }
    let range = try keep(data)
    try append(.data, type: typeIndex, UInt64(range.count) << 32 | UInt64(range.lowerBound))
  }

  /// Appends nil. The expected value must be an object, a class or a string.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not one of these.
  public mutating func appendNull() throws(TypedstreamError) {
    try append(.null, type: try take("nil") { "@#*:%+".utf8.contains($0) })
  }

  /// Appends a class. The expected value must be a class.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not a class.
  public mutating func append(_ class: TypedstreamClass) throws(TypedstreamError) {
    let typeIndex = try take("a class") { $0 == UInt8(ascii: "#") }
    try append(.classReference, type: typeIndex, UInt64(try classSlot(`class`)))
  }

  /// Appends a reference to an object that has begun before. The expected value must be an object.
  ///
  /// ```swift
  /// try builder.beginGroup("@@")
  /// let author = try builder.beginObject(TypedstreamClass("Author"))
  /// try builder.beginGroup("+")
  /// try builder.append("Ada")
  /// try builder.endObject()
  /// try builder.append(author)   // the second value of the group is the same object
  /// ```
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not an object, or if this stream has no
  ///   object with this ``Object/id``.
  public mutating func append(_ object: Object) throws(TypedstreamError) {
    guard slots.indices.contains(object.id), slots[object.id].kind == .object else {
      throw Self.invalid("number \(object.id) is not an object of this stream")
    }
    try append(.reference, type: try take("an object") { $0 == UInt8(ascii: "@") }, UInt64(object.id))
  }
}
