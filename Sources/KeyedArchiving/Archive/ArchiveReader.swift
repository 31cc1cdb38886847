package import FoundationEssentials
@_spi(Archives) package import PropertyLists

/// Reads the objects of an archive for those who look at all of them, and counts the work.
///
/// In a binary file objects can overlap and be referred to again and again, so that a few kilobytes ask for any amount
/// of work. What is read here may come to no more than `PropertyListDocument.expandedSizeLimit`, in values and bytes.
package struct ArchiveReader {
  package let document: PropertyListDocument
  /// An array: the objects by UID.
  package let objects: FlatNode
  private var budget: WorkBudget
  /// The keys of dictionaries lately read; nil in a reader for one object, where remembering does not pay.
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

  /// Takes work out of the budget; throws when nothing is left.
  @inline(__always)
  package mutating func spend(_ size: Int) throws(KeyedArchiveError) {
    guard budget.spend(size) else { throw limitExceeded }
  }

  private var limitExceeded: KeyedArchiveError {
    KeyedArchiveError(.limitExceeded, "the objects expand to more than \(budget.limit) values and bytes")
  }

  /// Goes on after an error, unless it is the end of all work. An error takes more time than a value.
  package mutating func tolerate(_ error: KeyedArchiveError) throws(KeyedArchiveError) {
    if error.kind == .limitExceeded { throw error }
    try spend(64)
  }

  /// Throws if a container contains itself, or is nested too deeply in the `depth` containers of the same object.
  package mutating func checkNesting(
    of node: FlatNode, in outer: some Sequence<FlatNode>, depth: Int
  ) throws(KeyedArchiveError) {
    guard node.count > 0 else { return }
    try spend(depth)
    guard !outer.contains(node) else { throw KeyedArchiveError(.malformed, "a container that contains itself") }
    let limit = min(max(document.options.limits.depth, 0), ParsingLimits.greatestDepth)
    guard depth < limit else {
      throw KeyedArchiveError(.nestedTooDeeply, "arrays and dictionaries are nested more than \(limit) deep")
    }
  }

  package mutating func object(_ uid: UInt32) throws(KeyedArchiveError) -> FlatNode {
    guard uid < objects.count else {
      throw KeyedArchiveError(
        .malformed, "the UID \(uid) leads out of the object table, which has \(objects.count) objects")
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

  /// All keys of a dictionary; throws what is wrong with one of them, a duplicate included.
  package mutating func shape(of dictionary: FlatNode) throws(KeyedArchiveError) -> DictionaryShape {
    try spend(dictionary.count)
    var known = shapes ?? DictionaryShapes()
    // Taken out, so that there is one owner to change it in place.
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

  /// The fields of an instance, or of the top of the archive.
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

  /// Where a dictionary has the keys that make it an instance or a class description.
  package struct KeyPositions {
    /// Of `$class`.
    package var classReference: Int?
    /// Of `$classname`, for dictionaries without a `$class`.
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
      // Other encodings are decoded to be compared.
      if key.encoding != .ascii, key.encoding != .verbatim { try spend(2 * key.length) }
      if positions.classReference == nil, document.has("$class", as: key) { positions.classReference = entry }
      if positions.className == nil, document.has("$classname", as: key) { positions.className = entry }
    }
    if positions.classReference != nil { positions.className = nil }
    return positions
  }

  /// Nil for a dictionary with a finding in its keys.
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

  /// The class of an instance; nil if its `$class` leads to no class description.
  package mutating func classDescription(
    ofInstance node: FlatNode, classPosition: Int
  ) throws(KeyedArchiveError) -> KeyedArchive.ClassDescription? {
    let reference = try value(ofEntry: classPosition, of: node)
    return reference.kind == .uid ? try classDescription(reference.uid) : nil
  }

  /// The class that an object describes; nil if it is no class description, or has no readable name.
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
  /// What kind of value it is, in an error message.
  package var kindName: String {
    switch kind {
    case .null: "null"
    case .boolean: "a boolean"
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
  /// Whether a node of the object table is the text `$null`, or the null of the binary format.
  @inline(__always)
  package func isNullObject(_ node: FlatNode) -> Bool {
    node.kind == .null || node.kind == .string && node.length <= 10 && has("$null", as: node)
  }
}
