@_spi(Archives) internal import PropertyLists

extension Archived {
  /// An array of C numbers of one type. In Apple's archives, an `NSValue` contains it as an object of the class
  /// `_NSKeyedCoderOldStyleArray`.
  ///
  /// ```swift
  /// let array = Archived.CArray(.int, [.int(1), .int(2), .int(3)])
  /// array?.objectiveCType  // "[3i]"
  /// ```
  public struct CArray: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("_NSKeyedCoderOldStyleArray")

    /// The type of the elements.
    public let elementType: CType
    /// The elements, all of type ``elementType``.
    public let elements: [CNumber]

    /// Creates an array. Returns nil if an element has another type.
    public init?(_ elementType: CType, _ elements: [CNumber]) {
      guard elements.allSatisfy({ $0.type == elementType }) else { return nil }
      self.elementType = elementType
      self.elements = elements
    }

    /// The type of the array in the notation of Objective-C's `@encode`, such as `[3i]`.
    public var objectiveCType: String { "[\(elements.count)\(elementType.rawValue)]" }

    public init(coder: KeyedUnarchiver) throws {
      let count = try coder.decode(Int.self, forRawKey: "NS.count")
      let size = try coder.decode(Int.self, forRawKey: "NS.size")
      let code = try coder.decode(Int.self, forRawKey: "NS.type")
      guard let scalar = UInt8(exactly: code), let type = CType(rawValue: String(Unicode.Scalar(scalar))) else {
        throw coder.failure(
          .invalidContents, "the elements of a C array have the type \(code), which is not a number type")
      }
      try coder.require(
        type.mayHave(size: size), "elements of the type \(type.rawValue) in a C array cannot have \(size) bytes")
      // Each element has its own key. Comparing the count with the number of keys finds a wrong count before any
      // element is read.
      try coder.require(
        count >= 0 && count == coder.countOfKeys(beginningWith: "$") - 1,
        "NS.count of a C array is \(count), which is not its number of elements")
      elementType = type
      var elements: [CNumber] = []
      for index in 0..<count { elements.append(try CNumber(type, forRawKey: "$\(index)", in: coder)) }
      self.elements = elements
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(integer: elements.count, forRawKey: "NS.count")
      try coder.encode(integer: elementType.size, forRawKey: "NS.size")
      for code in elementType.rawValue.utf8 { try coder.encode(integer: Int(code), forRawKey: "NS.type") }
      for (index, element) in elements.enumerated() { try element.encode(forRawKey: "$\(index)", with: coder) }
    }
  }
}
