/// The byte ranges of the parts of the file of an ``XMLStore``, so that what does not change is written as it was.
struct XMLFileLayout: Sendable {
  /// All up to the end of `</databaseInfo>`.
  var head: Range<Int>
  /// In the head, all before the root.
  var prolog: Range<Int>
  /// In the head, the digits of `nextObjectID`.
  var lastNumber: Range<Int>
  /// The metadata in the head.
  var metadata: StoreMetadata
  /// The objects by ascending number, each with the space before it. Together with the head and the tail they are the
  /// file.
  var objects: [Object]
  /// All after the last object.
  var tail: Range<Int>
  /// False if these are offsets in another text than the bytes of the file, since that is not UTF-8.
  var isOfFile: Bool
  /// The order in which the objects of each entity have their properties.
  var orders: [XMLPropertyOrder]

  struct Object: Sendable {
    let number: Int64
    let range: Range<Int>
  }
}

/// The order of the properties in the objects of an entity, as numbers of ``XMLNames/Entity/properties``. Which it is
/// in Apple's files, nobody knows; so it is learned from the file.
struct XMLPropertyOrder: Sendable {
  private(set) var attributes: [Int] = []
  private(set) var relationships: [Int] = []
  private var known: [Bool]

  init(propertyCount: Int) { known = Array(repeating: false, count: propertyCount) }

  /// Inserts a property at an index among those of its kind, unless it is known.
  mutating func insert(_ property: Int, at index: Int, isAttribute: Bool) {
    guard !known[property] else { return }
    known[property] = true
    if isAttribute {
      attributes.insert(property, at: min(index, attributes.count))
    } else {
      relationships.insert(property, at: min(index, relationships.count))
    }
  }

  /// All properties: attributes, then relationships; of each kind first those whose order is known, then the others by
  /// name.
  func all(_ entity: XMLNames.Entity) -> [Int] {
    let others = entity.properties.indices.filter { !known[$0] }
    return attributes + others.filter { entity.properties[$0].isAttribute } + relationships
      + others.filter { !entity.properties[$0].isAttribute }
  }
}
