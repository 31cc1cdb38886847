public import OrderedCollections

/// Archived as an `NSOrderedSet`, with each element under a key that contains its index. `NSMutableOrderedSet` is also
/// read.
extension OrderedSet: SecureCoding where Element: SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedClass("NSOrderedSet", aliases: ["NSMutableOrderedSet"]) }

  public func encode(with coder: KeyedArchiver) throws {
    for (index, element) in enumerated() { try coder.encode(element, forRawKey: "NS.object.\(index)") }
  }

  public init(coder: KeyedUnarchiver) throws {
    try self.init(decodedBy: coder) { try Element._unarchive($0, by: coder) }
  }
}

extension OrderedSet: ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> OrderedSet<Element> {
    try coder.once(reference, OrderedSet<String>.self) {
      try OrderedSet(decodedBy: coder) { try coder.value(Element.self, of: types, at: $0) }
    }
  }

  /// Decodes the elements of the current object, each by a closure.
  private init(decodedBy coder: KeyedUnarchiver, _ decode: (ArchivedReference) throws -> Element) throws {
    self.init()
    var elements = HashedElements<Element>()
    while let node = try coder.node(forRawKey: "NS.object.\(count)") {
      let element = try elements.next(coder) { try decode(ArchivedReference(node: node)) }
      if !append(element).inserted { throw coder.standsTwice(element) }
    }
    try coder.require(
      coder.countOfKeys(beginningWith: "NS.object.") == count,
      "an ordered set has no element \(count), but has later elements")
  }
}
