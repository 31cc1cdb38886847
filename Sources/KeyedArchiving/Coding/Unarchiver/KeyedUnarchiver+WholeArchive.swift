public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// The whole of an archive in one call. For class names or unknown classes of one archive's own, make an unarchiver.
extension KeyedUnarchiver {
  /// The value that an archive has under the key `root`.
  ///
  /// - Parameter limits: how large the input may be, and how much larger what is decoded.
  /// - Throws: ``KeyedArchiveError``, or what a type's own ``SecureCoding/init(coder:)`` throws.
  /// - Complexity: O(*n*) in the size of the graph.
  public static func unarchivedObject<Root: SecureCoding>(
    of type: Root.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try KeyedUnarchiver(forReadingFrom: data, limits: limits).decode(type, forKey: KeyedArchiver.rootObjectKey)
  }

  /// The value that the archive in a file has under the key `root`.
  ///
  /// - Parameter limits: how large the file may be, and how much larger what is decoded.
  /// - Throws: as for bytes in memory, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be read.
  public static func unarchivedObject<Root: SecureCoding>(
    of type: Root.Type, from url: URL, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try KeyedUnarchiver(forReadingFrom: url, limits: limits).decode(type, forKey: KeyedArchiver.rootObjectKey)
  }

  /// The value that an archive has under the key `root`, of one of several types.
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedObject(
    of types: [any SecureCoding.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> any SecureCoding {
    try unarchivedObject((any SecureCoding).self, of: types, from: data, limits: limits)
  }

  /// The value that an archive has under the key `root`, in which the types named stand for the class or the protocol
  /// that they have in common; see ``decode(_:of:forKey:)``.
  ///
  /// ```swift
  /// let shapes = try KeyedUnarchiver.unarchivedObject([Shape].self, of: [Circle.self, Square.self], from: data)
  /// ```
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedObject<Base>(
    _ base: Base.Type, of types: [any SecureCoding.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Base {
    try KeyedUnarchiver(forReadingFrom: data, limits: limits)
      .decode(base, of: types, forKey: KeyedArchiver.rootObjectKey)
  }

  /// The array that an archive has under the key `root`.
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedArrayOfObjects<Element: SecureCoding>(
    ofClass type: Element.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> [Element] {
    try unarchivedObject(of: [Element].self, from: data, limits: limits)
  }

  /// The array that an archive has under the key `root`, with elements of several types.
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedArrayOfObjects(
    ofClasses types: [any SecureCoding.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> [any SecureCoding] {
    try unarchivedObject([any SecureCoding].self, of: types, from: data, limits: limits)
  }

  /// The dictionary that an archive has under the key `root`.
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedDictionary<Key: SecureCoding & Hashable, Value: SecureCoding>(
    ofKeyClass keyType: Key.Type, objectClass valueType: Value.Type, from data: Data,
    limits: ParsingLimits = ParsingLimits()
  ) throws -> [Key: Value] {
    try unarchivedObject(of: [Key: Value].self, from: data, limits: limits)
  }

  /// The dictionary that an archive has under the key `root`, with keys and values of several types.
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``; ``KeyedArchiveError/Kind/typeMismatch`` for a key that is not
  ///   `Hashable`.
  public static func unarchivedDictionary(
    ofKeyClasses keyTypes: [any SecureCoding.Type], objectClasses valueTypes: [any SecureCoding.Type], from data: Data,
    limits: ParsingLimits = ParsingLimits()
  ) throws -> [AnyHashable: any SecureCoding] {
    let coder = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    guard let node = try coder.node(forUserKey: KeyedArchiver.rootObjectKey) else {
      throw coder.noValue(KeyedArchiver.rootObjectKey)
    }
    let entries = try coder.dictionary(
      AnyHashable.self, of: keyTypes, (any SecureCoding).self, of: valueTypes, at: ArchivedReference(node: node))
    return Dictionary(uniqueKeysWithValues: Array(entries))
  }
}
