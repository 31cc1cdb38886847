/// `NSArray`, and `NSMutableArray` where an archive has one: the elements as `NS.objects`.
extension Array: SecureCoding where Element: SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedArray.archivedClass }

  public func encode(with coder: KeyedArchiver) throws {
    // An array of any values may consist of nothing but arrays.
    if Element.self != ArchivedValue.self { coder.noteCollection() }
    try coder.encode(references: self, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    if Element.self != ArchivedValue.self { coder.noteCollection() }
    self = try coder.decodeElements(forRawKey: "NS.objects") { try Element._unarchive($0, by: coder) }
  }
}

/// An array of elements of several types.
struct ArchivedArray: SecureCoding {
  static let archivedClass = ArchivedClass("NSArray", aliases: ["NSMutableArray"])

  let elements: [any SecureCoding]

  init(_ elements: [any SecureCoding]) { self.elements = elements }

  init(coder: KeyedUnarchiver) throws {
    elements = try coder.decodeElements(forRawKey: "NS.objects") { try ArchivedValue._unarchive($0, by: coder).base }
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(rawKey: "NS.objects") { coder in
      try coder.array(elements) { element throws in try element._archive(by: coder).node }
    }
  }
}
