/// `NSSet`, and `NSMutableSet` where an archive has one: the elements as `NS.objects`.
///
/// A set has no order, so its elements are written in the one that Apple's classes would have them in, as far as that
/// depends on the elements alone; see ``CanonicalOrder``.
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

  /// The elements of the object that is being decoded.
  private init(decodedBy coder: KeyedUnarchiver, _ decode: (ArchivedReference) throws -> Element) throws {
    self.init()
    for element in try coder.decodeHashedElements(forRawKey: "NS.objects", decode) {
      if !insert(element).inserted { throw coder.standsTwice(element) }
    }
  }
}
