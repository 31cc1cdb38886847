public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

extension TypedstreamUnarchiver {
  /// Returns the numbers of a structure of `count` floating-point numbers, some of which may be in nested structures.
  /// Returns nil if the value at the position is not such a structure.
  ///
  /// Names of structures are not compared, because NeXTSTEP's structures have none.
  func reals(at position: TypedstreamPosition, count: Int) -> [Double]? {
    let node = tables.nodes[position.node]
    guard node.kind == .structure else { return nil }
    var numbers: [Double] = []
    for part in tables.nodes[position.node + 1..<node.end] where part.kind != .structure {
      guard part.kind == .float || part.kind == .double, let number = TypedstreamNumber(part)?.double,
        numbers.count < count
      else { return nil }
      numbers.append(number)
    }
    return numbers.count == count ? numbers : nil
  }

  /// Decodes a type that consists of `count` floating-point numbers. In the stream, they are in a structure, which is
  /// inline or in an `NSValue`.
  fileprivate func structure<T: TypedstreamDecodable>(
    _ type: T.Type, at position: TypedstreamPosition, count: Int, _ make: ([Double]) -> T
  ) throws -> T {
    if let numbers = reals(at: position, count: count) { return make(numbers) }
    return try value(type, at: position)
  }
}

extension TypedstreamGroups {
  fileprivate mutating func decodeStructure(count: Int, _ name: String) throws -> [Double] {
    let (type, position) = try decodeTyped()
    guard let numbers = unarchiver.reals(at: position, count: count) else {
      throw failure(.typeMismatch, "expected a \(name), found an NSValue of the type \(type.quoted)")
    }
    return numbers
  }
}

extension Archived.Point: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSValue"] }

  public init(from groups: inout TypedstreamGroups) throws { self.init(try groups.decodeStructure(count: 2, "point")) }

  public static func _decode(
    _ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver
  ) throws -> Archived.Point {
    try unarchiver.structure(Self.self, at: position, count: 2) { Self($0) }
  }

  init(_ numbers: [Double]) { self.init(x: numbers[0], y: numbers[1]) }
}

extension Archived.Size: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSValue"] }

  public init(from groups: inout TypedstreamGroups) throws { self.init(try groups.decodeStructure(count: 2, "size")) }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws
    -> Archived.Size
  {
    try unarchiver.structure(Self.self, at: position, count: 2) { Self($0) }
  }

  init(_ numbers: [Double]) { self.init(width: numbers[0], height: numbers[1]) }
}

extension Archived.Rect: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSValue"] }

  public init(from groups: inout TypedstreamGroups) throws {
    self.init(try groups.decodeStructure(count: 4, "rectangle"))
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws
    -> Archived.Rect
  {
    try unarchiver.structure(Self.self, at: position, count: 4) { Self($0) }
  }

  init(_ numbers: [Double]) { self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) }
}

/// A value is decoded from an `NSValue` or an `NSNumber`. If the value is a structure of two numbers, its name decides
/// whether it is a point, a size or a range. A structure of four floating-point numbers is a rectangle.
extension Archived.Value: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSValue", "NSNumber"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let (type, position) = try groups.decodeTyped()
    let unarchiver = groups.unarchiver
    let node = unarchiver.tables.nodes[position.node]
    if let number = Self.number(node, letter: type) {
      self = .number(number)
    } else if type == "*" {
      self = .cString(try unarchiver.text(at: position))
    } else if type == ":" || type == "%" {
      self = .selector(try unarchiver.text(at: position))
    } else if node.kind == .classReference {
      self = .className(unarchiver.tables.className(node.slot))
    } else if let value = Self.structure(type, position, unarchiver) {
      self = value
    } else {
      throw groups.failure(.invalidContents, "an NSValue has the unknown type \(type.quoted)")
    }
  }

  private static func structure(
    _ type: String, _ position: TypedstreamPosition, _ unarchiver: TypedstreamUnarchiver
  ) -> Archived.Value? {
    if let numbers = unarchiver.reals(at: position, count: 4) { return .rect(Archived.Rect(numbers)) }
    let name = type.prefix { $0 != "=" }
    if let numbers = unarchiver.reals(at: position, count: 2) {
      if name.hasSuffix("Point") { return .point(Archived.Point(numbers)) }
      return name.hasSuffix("Size") ? .size(Archived.Size(numbers)) : nil
    }
    let nodes = unarchiver.tables.nodes
    guard name.hasSuffix("Range"), nodes[position.node].kind == .structure,
      nodes[position.node].end == position.node + 3,
      let location = TypedstreamNumber(nodes[position.node + 1])?.integer(Int.self),
      let length = TypedstreamNumber(nodes[position.node + 2])?.integer(Int.self)
    else { return nil }
    let range = Archived.Range(location: location, length: length)
    return range.range == nil ? nil : .range(range)
  }

  /// Returns the number in a node as a number of the C type with this letter. Returns nil if the node is not a number,
  /// if the letter is not the letter of a type of numbers, or if that type cannot represent the number.
  private static func number(_ node: TypedstreamTables.Node, letter: String) -> Archived.CNumber? {
    guard let number = TypedstreamNumber(node), let type = Archived.CType(rawValue: letter) else { return nil }
    return switch type {
    case .bool: number.integer(UInt8.self).flatMap { $0 < 2 ? .bool($0 == 1) : nil }
    case .char: number.integer(Int8.self).map { .char($0) }
    case .unsignedChar: number.integer(UInt8.self).map { .unsignedChar($0) }
    case .short: number.integer(Int16.self).map { .short($0) }
    case .unsignedShort: number.integer(UInt16.self).map { .unsignedShort($0) }
    case .int: number.integer(Int32.self).map { .int($0) }
    case .unsignedInt: number.integer(UInt32.self).map { .unsignedInt($0) }
    case .long: number.integer(Int64.self).map { .long($0) }
    case .unsignedLong: number.integer(UInt64.self).map { .unsignedLong($0) }
    case .longLong: number.integer(Int64.self).map { .longLong($0) }
    case .unsignedLongLong: number.integer(UInt64.self).map { .unsignedLongLong($0) }
    case .float: number.double.map { .float(Float($0)) }
    case .double: number.double.map { .double($0) }
    }
  }
}
