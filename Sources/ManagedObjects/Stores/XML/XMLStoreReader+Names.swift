/// Methods that list the entities and properties of a file, which must be known before its objects are read if the
/// model has renaming identifiers.
extension XMLStoreReader {
  /// Returns the names of the properties that the objects of each entity have, by the name of the entity. This reader
  /// stays before the objects.
  ///
  /// - Complexity: O(*n*) in the size of the file.
  func namesInObjects() throws(Failure) -> [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    // The entity of the previous object, and its properties in the order in which they occurred first. Most objects are
    // like the previous one, so that few names are decoded.
    var (entity, bytes, order) = ("", [UInt8](), [[UInt8]]())
    var orders: [String: [[UInt8]]] = [:]
    var copy = self
    while try copy.nextElement() {
      while let (key, value) = try copy.reader.nextAttribute() {
        guard isText(key, "type"), bytes.isEmpty || !isBytes(value, bytes) else { continue }
        orders[entity] = order
        entity = reader.attributeText(value)
        bytes = [UInt8](reader.bytes, value)
        order = orders[entity] ?? []
        names[entity] = names[entity] ?? []
      }
      var index = 0
      while try copy.nextElement() {
        while let (key, value) = try copy.reader.nextAttribute() {
          guard isText(key, "name") else { continue }
          if let next = (index..<min(order.count, index + 8)).first(where: { isBytes(value, order[$0]) }) {
            index = next + 1
          } else if names[entity, default: []].insert(reader.attributeText(value)).inserted {
            order.insert([UInt8](reader.bytes, value), at: index)
            index += 1
          }
        }
        _ = try copy.readContent()
      }
    }
    return names
  }
}
