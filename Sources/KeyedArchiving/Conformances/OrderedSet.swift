public import OrderedCollections

/// `NSOrderedSet`, and `NSMutableOrderedSet` where an archive has one: each element under a key with its index.
extension OrderedSet: SecureCoding where Element: SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedClass("NSOrderedSet", aliases: ["NSMutableOrderedSet"]) }

  public func encode(with coder: KeyedArchiver) throws {
    for (index, element) in enumerated() { try coder.encode(element, forRawKey: "NS.object.\(index)") }
  }

  public init(coder: KeyedUnarchiver) throws {
    self.init()
    var elements = HashedElements<Element>()
    while coder.containsRaw("NS.object.\(count)") {
      let element = try elements.next(coder) { try coder.decode(Element.self, forRawKey: "NS.object.\(count)") }
      if !append(element).inserted { throw coder.standsTwice(element) }
    }
    guard coder.countOfKeys(beginningWith: "NS.object.") == count else {
      throw coder.failure(.invalidContents, "an ordered set without an element \(count), and with later ones")
    }
  }
}
