/// The byte ranges of the parts of an ``XMLStore`` file. A save copies the unchanged parts from the old file.
struct XMLFileLayout: Sendable {
  /// The part up to the end of `</databaseInfo>`.
  var head: Range<Int>
  /// The part of the head before the root element.
  var prolog: Range<Int>
  /// The digits of `nextObjectID` in the head; empty if it is missing.
  var lastNumber: Range<Int>
  /// The metadata that the head contains.
  var metadata: StoreMetadata
  /// The objects, sorted by primary key, each with the white space before it. Objects to which a reference was added
  /// when the file was read are left out, so that the next save writes them.
  var objects: [Object]
  /// The part after the last object.
  var tail: Range<Int>
  /// True if the ranges are offsets in the file. False if they are offsets in its text, because the file is not UTF-8
  /// or begins with a byte order mark.
  var isOfFile: Bool
  /// The order of the properties in the objects of each entity.
  var orders: [XMLPropertyOrder]

  struct Object: Sendable {
    let number: Int64
    let range: Range<Int>
  }
}

/// The order of the properties in the objects of an entity, as indexes in ``XMLNames/Entity/properties``. The order is
/// learned from the file, because the rule of Apple's framework is unknown.
struct XMLPropertyOrder: Sendable {
  private(set) var attributes: [Int] = []
  private(set) var relationships: [Int] = []
  private var known: [Bool]

  init(propertyCount: Int) { known = Array(repeating: false, count: propertyCount) }

  /// Inserts a property at an index among the attributes, or among the relationships. Does nothing if the order has the
  /// property.
  mutating func insert(_ property: Int, at index: Int, isAttribute: Bool) {
    guard !known[property] else { return }
    known[property] = true
    if isAttribute {
      attributes.insert(property, at: min(index, attributes.count))
    } else {
      relationships.insert(property, at: min(index, relationships.count))
    }
  }

  /// Returns all properties of an entity: attributes, then relationships. In both groups, the properties with a known
  /// order come first, then the others, sorted by name.
  func all(_ entity: XMLNames.Entity) -> [Int] {
    let others = entity.properties.indices.filter { !known[$0] }
    return attributes + others.filter { entity.properties[$0].isAttribute } + relationships
      + others.filter { !entity.properties[$0].isAttribute }
  }
}
