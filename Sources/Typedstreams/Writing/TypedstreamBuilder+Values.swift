internal import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Appends objects of Foundation's classes.
extension TypedstreamBuilder {
  /// Appends a value as the object that `NSArchiver` would write. The expected value must be an object. Equal strings,
  /// numbers, dates and Booleans share one object.
  ///
  /// ```swift
  /// var builder = TypedstreamBuilder()
  /// try builder.beginGroup("@")
  /// try builder.append(.array([.string("Groceries"), .integer(3)]))
  /// let data = try builder.finish().data()
  /// ```
  ///
  /// Sets and dictionaries keep their order. Apple's archiver writes them in the order of a hash table.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not an object, or if the value cannot be
  ///   represented in a typedstream, such as a UUID; ``TypedstreamError/Kind/nestedTooDeeply`` if the stack has no
  ///   room.
  public mutating func append(_ value: ArchivedValue) throws(TypedstreamError) {
    guard CallStack.current.hasRoom else {
      throw TypedstreamError(.nestedTooDeeply, "the values are nested too deeply for the thread's stack")
    }
    switch value {
    case .null, .boolean, .integer, .real, .float, .string, .date:
      if let object = sharedObjects[value] { return try append(object) }
      sharedObjects[value] = try appendScalar(value)
    case .data(let data):
      try object("NSData") { builder throws(TypedstreamError) in try builder.group("i", [UInt8](data)) }
    case .url(let url): try append(url)
    case .array(let elements): try append("NSArray", "i", elements)
    case .set(let elements): try append("NSSet", "I", elements.elements)
    case .dictionary(let entries):
      try object("NSDictionary") { builder throws(TypedstreamError) in
        try builder.group("i", count: entries.count)
        for (key, value) in entries {
          try builder.group(key)
          try builder.group(value)
        }
      }
    case .value(let value): try append(value)
    case .object(let value):
      switch value {
      case let text as Archived.AttributedString: try append(text)
      case let color as Archived.Color: try append(color)
      case let other as ArchivedValue: try append(other)
      default: throw Self.noForm("a value of the type \(type(of: value))")
      }
    case .decimal: throw Self.noForm("a decimal number")
    case .uuid: throw Self.noForm("a UUID")
    }
  }

  static func noForm(_ name: String) -> TypedstreamError {
    invalid("\(name) has no known form in typedstreams")
  }

  private mutating func appendScalar(_ value: ArchivedValue) throws(TypedstreamError) -> Object {
    switch value {
    case .boolean(let value):
      return try number("c") { builder throws(TypedstreamError) in try builder.append(value ? 1 : 0) }
    case .integer(let value):
      if let value = Int32(exactly: value) {
        return try number("i") { builder throws(TypedstreamError) in try builder.append(value) }
      }
      if let value = Int64(exactly: value) {
        return try number("q") { builder throws(TypedstreamError) in try builder.append(value) }
      }
      let unsigned = UInt64(exactly: value) ?? 0
      return try number("Q") { builder throws(TypedstreamError) in try builder.append(unsigned) }
    case .real(let value): return try number("d") { builder throws(TypedstreamError) in try builder.append(value) }
    case .float(let value): return try number("f") { builder throws(TypedstreamError) in try builder.append(value) }
    case .string(let text):
      return try object("NSString", version: 1) { builder throws(TypedstreamError) in
        try builder.beginGroup("+")
        try builder.append(text)
      }
    case .date(let date):
      guard date.timeIntervalSinceReferenceDate.isFinite else {
        throw Self.noForm("a date whose number of seconds is not finite")
      }
      return try object("NSDate") { builder throws(TypedstreamError) in
        try builder.beginGroup("d")
        try builder.append(date.timeIntervalSinceReferenceDate)
      }
    default: return try object("NSNull") { _ throws(TypedstreamError) in }
    }
  }

  /// Appends an object. The closure `groups` appends its groups.
  @discardableResult
  mutating func object(
    _ name: String, version: Int32 = 0, superclass: TypedstreamClass = .object,
    _ groups: (inout TypedstreamBuilder) throws(TypedstreamError) -> Void
  ) throws(TypedstreamError) -> Object {
    let object = try beginObject(TypedstreamClass(name, version: version, superclass: superclass))
    try groups(&self)
    try endObject()
    return object
  }

  private static let valueClass = TypedstreamClass("NSValue")

  /// Appends an `NSNumber` of a type. The closure `value` appends the number.
  private mutating func number(
    _ type: String, _ value: (inout TypedstreamBuilder) throws(TypedstreamError) -> Void
  ) throws(TypedstreamError) -> Object {
    try object("NSNumber", superclass: Self.valueClass) { builder throws(TypedstreamError) in
      try builder.typed(type, value)
    }
  }

  /// Appends two groups: one with the text of a type, and one with a value of that type. The closure `value` appends
  /// the value.
  private mutating func typed(
    _ type: String, _ value: (inout TypedstreamBuilder) throws(TypedstreamError) -> Void
  ) throws(TypedstreamError) {
    try beginGroup("*")
    try append(type)
    try beginGroup(type)
    try value(&self)
  }

  mutating func group(_ value: ArchivedValue) throws(TypedstreamError) {
    try beginGroup("@")
    try append(value)
  }

  mutating func group(_ type: String, count: Int) throws(TypedstreamError) {
    try beginGroup(type)
    try append(count)
  }

  /// Appends two groups for data: its length, and its bytes.
  private mutating func group(_ type: String, _ data: [UInt8]) throws(TypedstreamError) {
    try group(type, count: data.count)
    try beginGroup("[\(data.count)c]")
    try append(data: data)
  }

  private mutating func append(
    _ name: String, _ countType: String, _ elements: [ArchivedValue]
  ) throws(TypedstreamError) {
    try object(name) { builder throws(TypedstreamError) in
      try builder.group(countType, count: elements.count)
      for element in elements { try builder.group(element) }
    }
  }

  private mutating func append(_ url: URL) throws(TypedstreamError) {
    // The object of a URL contains the object of its base URL, which can have a base URL too.
    try object("NSURL") { builder throws(TypedstreamError) in
      try builder.beginGroup("c")
      try builder.append(url.baseURL == nil ? 0 : 1)
      if let base = url.baseURL {
        try builder.beginGroup("@")
        try builder.append(base)
      }
      try builder.group(.string(url.relativeString))
    }
  }

  private mutating func append(_ value: Archived.Value) throws(TypedstreamError) {
    let numbers: [Double]
    let type: String
    switch value {
    case .point(let point): (type, numbers) = ("{_NSPoint=ff}", [point.x, point.y])
    case .size(let size): (type, numbers) = ("{_NSSize=ff}", [size.width, size.height])
    case .rect(let rect):
      type = "{_NSRect={_NSPoint=ff}{_NSSize=ff}}"
      numbers = [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height]
    case .range(let range):
      try object("NSValue") { builder throws(TypedstreamError) in
        try builder.typed("{_NSRange=QQ}") { builder throws(TypedstreamError) in
          try builder.append(range.location)
          try builder.append(range.length)
        }
      }
      return
    case .number(let number): return try append(number)
    case .edgeInsets: throw Self.noForm("NSEdgeInsets")
    case .array: throw Self.noForm("an array of C numbers")
    case .cString(let text): return try append("*", text)
    case .selector(let text): return try append(":", text)
    case .className: throw Self.noForm("a class without its version")
    }
    // Writes floats, as 32-bit programs did, if they can represent all numbers. Otherwise, uses the form of 64-bit
    // programs.
    let isWide = !numbers.allSatisfy { $0.isNaN || Double(Float($0)) == $0 }
    try object("NSValue") { builder throws(TypedstreamError) in
      let type = isWide ? Self.wide[type] ?? type : type
      try builder.typed(type) { builder throws(TypedstreamError) in
        for number in numbers { try builder.append(number) }
      }
    }
  }

  private static let wide = [
    "{_NSPoint=ff}": "{CGPoint=dd}", "{_NSSize=ff}": "{CGSize=dd}",
    "{_NSRect={_NSPoint=ff}{_NSSize=ff}}": "{CGRect={CGPoint=dd}{CGSize=dd}}",
  ]

  private mutating func append(_ type: String, _ text: String) throws(TypedstreamError) {
    try object("NSValue") { builder throws(TypedstreamError) in
      try builder.typed(type) { builder throws(TypedstreamError) in try builder.append(text) }
    }
  }

  private mutating func append(_ number: Archived.CNumber) throws(TypedstreamError) {
    try object("NSValue") { builder throws(TypedstreamError) in
      try builder.typed(number.type.rawValue) { builder throws(TypedstreamError) in
        switch number {
        case .bool(let value): try builder.append(value ? 1 : 0)
        case .char(let value): try builder.append(value)
        case .unsignedChar(let value): try builder.append(value)
        case .short(let value): try builder.append(value)
        case .unsignedShort(let value): try builder.append(value)
        case .int(let value): try builder.append(value)
        case .unsignedInt(let value): try builder.append(value)
        case .long(let value), .longLong(let value): try builder.append(value)
        case .unsignedLong(let value), .unsignedLongLong(let value): try builder.append(value)
        case .float(let value): try builder.append(value)
        case .double(let value): try builder.append(value)
        }
      }
    }
  }

  /// Appends text with attributes. Each set of attributes follows the first run that uses it.
  private mutating func append(_ text: Archived.AttributedString) throws(TypedstreamError) {
    try object("NSAttributedString") { builder throws(TypedstreamError) in
      try builder.group(.string(text.text))
      var numbers: [Archived.AttributedString.Attributes: Int] = [:]
      for run in text.runs where run.length > 0 {
        let known = numbers[run.attributes]
        let number = known ?? numbers.count + 1
        try builder.beginGroup("iI")
        try builder.append(number)
        try builder.append(run.length)
        if known != nil { continue }
        numbers[run.attributes] = number
        let entries = run.attributes.map { (ArchivedValue.string($0.key), $0.value) }
        try builder.group(.dictionary(.init(uniqueKeysWithValues: entries)))
      }
    }
  }

  private mutating func append(_ color: Archived.Color) throws(TypedstreamError) {
    try object("NSColor") { builder throws(TypedstreamError) in
      guard case .inline(let kind) = color.fields["NSColorSpace"],
        let kind = kind.integer.flatMap({ Int8(exactly: $0) })
      else { throw Self.noForm("a color without the number of its color space") }
      try builder.beginGroup("c")
      try builder.append(kind)
      if kind == 6 {
        guard case .string(let catalog) = color.fields["NSCatalogName"],
          case .string(let name) = color.fields["NSColorName"], case .color(let fallback) = color.fields["NSColor"]
        else { throw Self.noForm("a named color without a catalog, name or color") }
        try builder.beginGroup("@@@")
        try builder.append(.string(catalog))
        try builder.append(.string(name))
        try builder.append(fallback)
        return
      }
      guard let count = Archived.Color.componentCounts[Int(kind)], var components = color.components else {
        throw Self.noForm("a color in the color space \(kind)")
      }
      // Keyed archives leave out the opacity of opaque colors, but typedstreams contain it.
      if components.count == count - 1 { components.append(1) }
      guard components.count == count else { throw Self.noForm("a color with \(components.count) components") }
      try builder.beginGroup(String(repeating: "f", count: count))
      for component in components { try builder.append(Float(component)) }
    }
  }
}

extension Archived.Color {
  /// The number of components of each kind of color in a typedstream, including the opacity. 1 and 2 are RGB
  /// (calibrated and device), 3 and 4 are white (calibrated and device), 5 is CMYK (device).
  static let componentCounts = [1: 4, 2: 4, 3: 2, 4: 2, 5: 5]
}
