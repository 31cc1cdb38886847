public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// Functions that decode a whole archive in one call. To decode classes as types of other names, or classes that have
/// no type, create an unarchiver and call ``setClass(_:forClassName:)``.
extension KeyedUnarchiver {
  /// Decodes the root object of an archive, which has the key `root`.
  ///
  /// - Parameter limits: the limits for the size of the input and of what is read from it; see `ParsingLimits`.
  /// - Throws: ``KeyedArchiveError``, or an error of a type's own ``SecureCoding/init(coder:)``.
  /// - Complexity: O(*n*) in the size of the graph.
  public static func unarchivedObject<Root: SecureCoding>(
    of type: Root.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try KeyedUnarchiver(forReadingFrom: data, limits: limits).decode(type, forKey: KeyedArchiver.rootObjectKey)
  }

  /// Decodes the root object of the archive in a file.
  ///
  /// - Parameter limits: the limits for the size of the file and of what is read from it; see `ParsingLimits`.
  /// - Throws: The errors of decoding from data, and ``KeyedArchiveError/Kind/propertyList(_:)`` if the file cannot be
  ///   read.
  public static func unarchivedObject<Root: SecureCoding>(
    of type: Root.Type, from url: URL, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try KeyedUnarchiver(forReadingFrom: url, limits: limits).decode(type, forKey: KeyedArchiver.rootObjectKey)
  }

  /// Decodes the root object of an archive as one of several types.
  ///
  /// ```swift
  /// let attachment = try KeyedUnarchiver.unarchivedObject(of: [Photo.self, Video.self], from: data)
  /// if let photo = attachment as? Photo { show(photo) }
  /// ```
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)-(Root.Type,Data,_)``.
  public static func unarchivedObject(
    of types: [any SecureCoding.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> any SecureCoding {
    try unarchivedObject((any SecureCoding).self, of: types, from: data, limits: limits)
  }

  /// Decodes the root object of an archive as `base`: a class or a protocol, or a collection of it. Objects of the
  /// class or protocol may have any of several types; see ``decode(_:of:forKey:)``.
  ///
  /// ```swift
  /// let shapes = try KeyedUnarchiver.unarchivedObject([Shape].self, of: [Circle.self, Square.self], from: data)
  /// ```
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)-(Root.Type,Data,_)`` and ``decode(_:of:forKey:)``.
  public static func unarchivedObject<Base>(
    _ base: Base.Type, of types: [any SecureCoding.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Base {
    try KeyedUnarchiver(forReadingFrom: data, limits: limits)
      .decode(base, of: types, forKey: KeyedArchiver.rootObjectKey)
  }

  /// Decodes the root object of an archive as an array.
  ///
  /// ```swift
  /// let notes = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClass: Note.self, from: data)  // [Note]
  /// ```
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)-(Root.Type,Data,_)``.
  public static func unarchivedArrayOfObjects<Element: SecureCoding>(
    ofClass type: Element.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> [Element] {
    try unarchivedObject(of: [Element].self, from: data, limits: limits)
  }

  /// Decodes the root object of an archive as an array with elements of several types.
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)-(Root.Type,Data,_)``.
  public static func unarchivedArrayOfObjects(
    ofClasses types: [any SecureCoding.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> [any SecureCoding] {
    try unarchivedObject([any SecureCoding].self, of: types, from: data, limits: limits)
  }

  /// Decodes the root object of an archive as a dictionary.
  ///
  /// ```swift
  /// let prices = try KeyedUnarchiver.unarchivedDictionary(
  ///   ofKeyClass: String.self, objectClass: Decimal.self, from: data)  // [String: Decimal]
  /// ```
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)-(Root.Type,Data,_)``.
  public static func unarchivedDictionary<Key: SecureCoding & Hashable, Value: SecureCoding>(
    ofKeyClass keyType: Key.Type, objectClass valueType: Value.Type, from data: Data,
    limits: ParsingLimits = ParsingLimits()
  ) throws -> [Key: Value] {
    try unarchivedObject(of: [Key: Value].self, from: data, limits: limits)
  }

  /// Decodes the root object of an archive as a dictionary with keys and values of several types.
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)-(Root.Type,Data,_)``;
  ///   ``KeyedArchiveError/Kind/typeMismatch`` for a key that is not `Hashable`.
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
