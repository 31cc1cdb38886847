/// Archived as an `NSSet`, with the elements in `NS.objects`. `NSMutableSet` is also read.
///
/// A set has no order. Its elements are written in an order that depends only on the elements, so that equal sets give
/// equal archives.
extension Set: SecureCoding where Element: SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedClass("NSSet", aliases: ["NSMutableSet"]) }

  public func encode(with coder: KeyedArchiver) throws {
    let elements = Array(self)
    let order = try CanonicalOrder.positions(of: elements, for: coder)
    try coder.encode(references: order.lazy.map { elements[$0] }, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    try self.init(decodedBy: coder) { try Element._unarchive($0, by: coder) }
  }
}

extension Set: ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> Set<Element> {
    try coder.once(reference, Set<String>.self) {
      try Set(decodedBy: coder) { try coder.value(Element.self, of: types, at: $0) }
    }
  }

  /// Decodes the elements of the current object, each by a closure.
  private init(decodedBy coder: KeyedUnarchiver, _ decode: (ArchivedReference) throws -> Element) throws {
    self.init()
    for element in try coder.decodeHashedElements(forRawKey: "NS.objects", decode) {
      if !insert(element).inserted { throw coder.standsTwice(element) }
    }
  }
}
