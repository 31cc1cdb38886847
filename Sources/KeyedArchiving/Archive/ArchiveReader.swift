package import FoundationEssentials
@_spi(Archives) package import PropertyLists

/// Reads the objects of an archive for code that visits all of them, such as views and checks. Limits the total work.
///
/// Objects in a binary file can overlap and be referenced many times, so reading a few kilobytes can require any amount
/// of work. The number of values and bytes that a reader reads is limited to `PropertyListDocument.expandedSizeLimit`.
package struct ArchiveReader {
  package let document: PropertyListDocument
  /// The object table, an array: the objects by UID.
  package let objects: FlatNode
  private var budget: WorkBudget
  /// A cache of the keys of recently read dictionaries. Nil in a reader that reads only one object, for which a cache
  /// would be useless.
  private var shapes: DictionaryShapes?
  private var classes: [UInt32: KeyedArchive.ClassDescription?] = [:]

  package init(_ archive: KeyedArchive) { self.init(archive.document, archive.objectsNode.flat, shapes: nil) }

  package init(forAllOf archive: KeyedArchive) { self.init(forAllOf: archive.objectsNode.flat, in: archive.document) }

  package init(forAllOf objects: FlatNode, in document: PropertyListDocument) {
    self.init(document, objects, shapes: DictionaryShapes())
  }

  private init(_ document: PropertyListDocument, _ objects: FlatNode, shapes: DictionaryShapes?) {
    self.document = document
    self.objects = objects
    self.shapes = shapes
    budget = WorkBudget(document.expandedSizeLimit)
  }

  /// Subtracts a number of values or bytes from the budget. Throws ``KeyedArchiveError/Kind/limitExceeded`` if the
  /// budget is used up.
  @inline(__always)
  package mutating func spend(_ size: Int) throws(KeyedArchiveError) {
    guard budget.spend(size) else { throw limitExceeded }
  }

  private var limitExceeded: KeyedArchiveError {
    KeyedArchiveError(.limitExceeded, "the objects expand to more than \(budget.limit) values and bytes")
  }

  /// Subtracts 64 from the budget, so that the caller can continue after an error. An error takes more time than a
  /// value. Throws if the budget is used up, or if `error` already reports this.
  package mutating func tolerate(_ error: KeyedArchiveError) throws(KeyedArchiveError) {
    if error.kind == .limitExceeded { throw error }
    try spend(64)
  }

  /// Throws if a container contains itself or is nested too deeply.
  ///
  /// - Parameters:
  ///   - outer: the containers that are in the same object and contain `node`.
  ///   - depth: the number of these containers.
  package mutating func checkNesting(
    of node: FlatNode, in outer: some Sequence<FlatNode>, depth: Int
  ) throws(KeyedArchiveError) {
    guard node.count > 0 else { return }
    try spend(depth)
    guard !outer.contains(node) else { throw KeyedArchiveError(.malformed, "a container contains itself") }
    let limit = min(max(document.options.limits.depth, 0), ParsingLimits.greatestDepth)
    guard depth < limit else {
      throw KeyedArchiveError(.nestedTooDeeply, "arrays and dictionaries are nested more than \(limit) deep")
    }
  }

  package mutating func object(_ uid: UInt32) throws(KeyedArchiveError) -> FlatNode {
    guard uid < objects.count else {
      throw KeyedArchiveError(
        .malformed, "the UID \(uid) is outside the object table, which has \(objects.count) objects")
    }
    return try element(Int(uid), of: objects)
  }

  @inline(__always)
  package mutating func element(_ position: Int, of array: FlatNode) throws(KeyedArchiveError) -> FlatNode {
    try spend(1)
    return try translated(document.element(position, of: array))
  }

  @inline(__always)
  package mutating func value(ofEntry entry: Int, of dictionary: FlatNode) throws(KeyedArchiveError) -> FlatNode {
    try spend(1)
    return try translated(document.value(ofEntry: entry, of: dictionary))
  }

  package mutating func child(_ position: Int, of container: FlatNode) throws(KeyedArchiveError) -> FlatNode {
    container.kind == .array ? try element(position, of: container) : try value(ofEntry: position, of: container)
  }

  package mutating func key(ofEntry entry: Int, of dictionary: FlatNode) throws(KeyedArchiveError) -> String {
    try text(of: keyNode(ofEntry: entry, of: dictionary))
  }

  package func keyNode(ofEntry entry: Int, of dictionary: FlatNode) throws(KeyedArchiveError) -> FlatNode {
    try translated(document.keyNode(ofEntry: entry, of: dictionary))
  }

  /// Returns all keys of a dictionary. Throws if a key is invalid or a duplicate.
  package mutating func shape(of dictionary: FlatNode) throws(KeyedArchiveError) -> DictionaryShape {
    try spend(dictionary.count)
    var known = shapes ?? DictionaryShapes()
    // The cache is moved out of the property, so that it has one owner and can be changed in place.
    shapes = nil
    defer { shapes = known }
    do { return try document.shape(of: dictionary, in: &known) } catch {
      throw error.kind == .limitExceeded ? limitExceeded : KeyedArchiveError(error)
    }
  }

  package mutating func text(of node: FlatNode) throws(KeyedArchiveError) -> String {
    try spend(1 + node.length)
    return try translated(document.text(of: node))
  }

  package mutating func data(of node: FlatNode) throws(KeyedArchiveError) -> Data {
    try spend(1 + node.length)
    return document.data(of: node)
  }

  /// Returns the encoded keys and values of an instance, or of the top of the archive.
  package mutating func fields(
    of node: PropertyListDocument.Node, isObject: Bool
  ) throws(KeyedArchiveError) -> [KeyedArchive.Field] {
    var fields: [KeyedArchive.Field] = []
    for entry in 0..<node.count {
      let key = try key(ofEntry: entry, of: node.flat)
      if isObject, key == "$class" { continue }
      let userKey = ArchiveKey.unescaped(key)
      do {
        let value = try translated(node.value(ofEntry: entry))
        fields.append(KeyedArchive.Field(key: userKey, value: value.uid.map { .reference($0) } ?? .inline(value)))
      } catch {
        var error = error
        if !isObject { error.path = PropertyListKeyPath([.key(userKey)]) }
        throw error
      }
    }
    return fields
  }

  /// The positions of the keys that make a dictionary an instance or a class description.
  package struct KeyPositions {
    /// The position of `$class`.
    package var classReference: Int?
    /// The position of `$classname`, if there is no `$class`.
    package var className: Int?

    package init(classReference: Int? = nil, className: Int? = nil) {
      self.classReference = classReference
      self.className = className
    }
  }

  package mutating func keyPositions(of dictionary: FlatNode) throws(KeyedArchiveError) -> KeyPositions {
    if shapes != nil, let positions = try positionsByShape(of: dictionary) { return positions }
    try spend(dictionary.count)
    var positions = KeyPositions()
    for entry in 0..<dictionary.count {
      let key = try keyNode(ofEntry: entry, of: dictionary)
      // Comparing a key in another encoding takes more work, because the key must be decoded first.
      if key.encoding != .ascii, key.encoding != .verbatim { try spend(2 * key.length) }
      if positions.classReference == nil, document.has("$class", as: key) { positions.classReference = entry }
      if positions.className == nil, document.has("$classname", as: key) { positions.className = entry }
    }
    if positions.classReference != nil { positions.className = nil }
    return positions
  }

  /// Returns the positions of `$class` and `$classname`, which it finds with the cache of keys. Returns nil if the
  /// dictionary has an invalid or duplicate key.
  private mutating func positionsByShape(of dictionary: FlatNode) throws(KeyedArchiveError) -> KeyPositions? {
    do {
      let shape = try shape(of: dictionary)
      let classReference = shape.classPosition
      return KeyPositions(
        classReference: classReference,
        className: classReference == nil ? shape.keys.firstIndex(of: "$classname") : nil)
    } catch {
      try tolerate(error)
      return nil
    }
  }

  package mutating func kind(ofDictionary node: FlatNode) throws(KeyedArchiveError) -> KeyedArchive.Object.Kind {
    let positions = try keyPositions(of: node)
    if positions.classReference != nil { return .instance }
    return positions.className == nil ? .malformed : .classDescription
  }

  /// Returns the class of an instance, or nil if its `$class` does not lead to a class description.
  package mutating func classDescription(
    ofInstance node: FlatNode, classPosition: Int
  ) throws(KeyedArchiveError) -> KeyedArchive.ClassDescription? {
    let reference = try value(ofEntry: classPosition, of: node)
    return reference.kind == .uid ? try classDescription(reference.uid) : nil
  }

  /// Returns the class that an object describes. Returns nil if the object is not a class description, or if it cannot
  /// be read.
  package mutating func classDescription(_ uid: UInt32) throws(KeyedArchiveError) -> KeyedArchive.ClassDescription? {
    if let known = classes[uid] { return known }
    var description: KeyedArchive.ClassDescription?
    do {
      description = try readClassDescription(uid)
    } catch  where error.kind != .limitExceeded {}
    classes[uid] = description
    return description
  }

  private mutating func readClassDescription(
    _ uid: UInt32
  ) throws(KeyedArchiveError) -> KeyedArchive.ClassDescription? {
    guard uid < objects.count else { return nil }
    let node = try object(uid)
    guard node.kind == .dictionary else { return nil }
    let positions = try keyPositions(of: node)
    guard positions.classReference == nil, let position = positions.className else { return nil }
    let nameNode = try value(ofEntry: position, of: node)
    guard nameNode.kind == .string else { return nil }
    let name = try text(of: nameNode)
    var classes: [String] = []
    var hints: [String] = []
    for entry in 0..<node.count where entry != position {
      switch try key(ofEntry: entry, of: node) {
      case "$classes": classes = try names(value(ofEntry: entry, of: node))
      case "$classhints": hints = try names(value(ofEntry: entry, of: node))
      default: break
      }
    }
    return KeyedArchive.ClassDescription(uid: PropertyList.UID(uid), name: name, classes: classes, hints: hints)
  }

  private mutating func names(_ node: FlatNode) throws(KeyedArchiveError) -> [String] {
    guard node.kind == .array else { return [] }
    var names: [String] = []
    for position in 0..<node.count {
      let name = try element(position, of: node)
      if name.kind == .string { names.append(try text(of: name)) }
    }
    return names
  }
}

extension FlatNode {
  /// The kind of the value, for error messages.
  package var kindName: String {
    switch kind {
    case .null: "null"
    case .boolean: "a Boolean"
    case .integer, .unsignedInteger: "an integer"
    case .real, .float: "a real"
    case .date: "a date"
    case .uid: "a UID"
    case .string: "a string"
    case .data: "data"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }
}

extension PropertyListDocument {
  /// Returns true if a value of the object table represents nil: it is the string `$null`, or null in the binary
  /// format.
  @inline(__always)
  package func isNullObject(_ node: FlatNode) -> Bool {
    node.kind == .null || node.kind == .string && node.length <= 10 && has("$null", as: node)
  }
}
