/// A type whose values are scalar nodes. `Codable` has one function per type; here, one generic function serves all.
protocol NodeScalar: Codable {
  /// Returns the value of a node. Throws if the node is of another kind, or if its value does not fit into this type.
  ///
  /// - Parameter step: The step from the value of `decoder` to the node. It is evaluated only for errors.
  static func value(of node: FlatNode, in decoder: DocumentDecoder, _ step: @autoclosure () -> CodingStep) throws
    -> Self

  func node(in encoder: DocumentEncoder, _ step: @autoclosure () -> CodingStep) throws -> FlatNode
}

extension Bool: NodeScalar {
  @inline(__always)
  static func value(
    of node: FlatNode, in decoder: DocumentDecoder, _ step: @autoclosure () -> CodingStep
  ) throws -> Bool {
    guard node.kind == .boolean else { throw decoder.mismatch(Bool.self, node, step()) }
    return node.boolean
  }

  @inline(__always)
  func node(in encoder: DocumentEncoder, _ step: @autoclosure () -> CodingStep) -> FlatNode { .boolean(self) }
}

extension String: NodeScalar {
  @inline(__always)
  static func value(
    of node: FlatNode, in decoder: DocumentDecoder, _ step: @autoclosure () -> CodingStep
  ) throws -> String {
    guard node.kind == .string, !decoder.context.isNull(node) else { throw decoder.mismatch(String.self, node, step()) }
    do { return try decoder.context.text(of: node) } catch { throw decoder.failure(error, step()) }
  }

  @inline(__always)
  func node(in encoder: DocumentEncoder, _ step: @autoclosure () -> CodingStep) throws -> FlatNode {
    guard utf8.count != 5 || self != "$null" else {
      throw encoder.failure(
        self, "the string \"$null\" cannot be encoded, because it means nil in property lists", step())
    }
    return encoder.context.string(self)
  }
}

extension Double: NodeScalar {
  @inline(__always)
  static func value(
    of node: FlatNode, in decoder: DocumentDecoder, _ step: @autoclosure () -> CodingStep
  ) throws -> Double {
    switch node.kind {
    case .real: return node.real
    case .float: return Double(node.float)
    case .integer: return Double(Int64(bitPattern: node.payload))
    case .unsignedInteger: return Double(node.payload)
    default: throw decoder.mismatch(Double.self, node, step())
    }
  }

  @inline(__always)
  func node(in encoder: DocumentEncoder, _ step: @autoclosure () -> CodingStep) -> FlatNode { .real(self) }
}

extension Float: NodeScalar {
  @inline(__always)
  static func value(
    of node: FlatNode, in decoder: DocumentDecoder, _ step: @autoclosure () -> CodingStep
  ) throws -> Float {
    switch node.kind {
    case .real:
      let value = Float(node.real)
      guard value.isFinite || !node.real.isFinite else {
        throw decoder.corrupted("the number \(node.real) does not fit into Float", step())
      }
      return value
    case .float: return node.float
    case .integer: return Float(Int64(bitPattern: node.payload))
    case .unsignedInteger: return Float(node.payload)
    default: throw decoder.mismatch(Float.self, node, step())
    }
  }

  @inline(__always)
  func node(in encoder: DocumentEncoder, _ step: @autoclosure () -> CodingStep) -> FlatNode { .float(self) }
}

extension Int: NodeScalar {}
extension Int8: NodeScalar {}
extension Int16: NodeScalar {}
extension Int32: NodeScalar {}
extension Int64: NodeScalar {}
extension Int128: NodeScalar {}
extension UInt: NodeScalar {}
extension UInt8: NodeScalar {}
extension UInt16: NodeScalar {}
extension UInt32: NodeScalar {}
extension UInt64: NodeScalar {}
extension UInt128: NodeScalar {}

extension NodeScalar where Self: FixedWidthInteger {
  @inline(__always)
  static func value(
    of node: FlatNode, in decoder: DocumentDecoder, _ step: @autoclosure () -> CodingStep
  ) throws -> Self {
    if node.kind == .integer, let value = Self(exactly: Int64(bitPattern: node.payload)) { return value }
    return try converted(node, decoder, step())
  }

  /// Converts a large integer, or a real with an integral value. Throws for other values, and if the value does not fit
  /// into this type.
  private static func converted(_ node: FlatNode, _ decoder: DocumentDecoder, _ step: CodingStep) throws -> Self {
    let value: Self?
    let text: String
    switch node.kind {
    case .integer, .unsignedInteger: (value, text) = (Self(exactly: node.integer), node.integer.description)
    case .real: (value, text) = (Self(exactly: node.real), node.real.description)
    case .float: (value, text) = (Self(exactly: node.float), node.float.description)
    default: throw decoder.mismatch(Self.self, node, step)
    }
    guard let value else { throw decoder.corrupted("the number \(text) does not fit into \(Self.self)", step) }
    return value
  }

  @inline(__always)
  func node(in encoder: DocumentEncoder, _ step: @autoclosure () -> CodingStep) throws -> FlatNode {
    if Self.bitWidth > 64, PropertyList.Integer(exactly: self) == nil {
      throw encoder.failure(self, "an integer that needs more than 64 bits", step())
    }
    return .integer(self)
  }
}
