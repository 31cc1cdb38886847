internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Methods that read objects.
extension XMLStoreReader {
  /// Reads the objects and the rest of the document.
  ///
  /// - Parameter isMember: for each entity, true if the store can have its objects.
  mutating func readObjects(store: StoreNumber, isMember: [Bool]) throws(Failure) {
    var start = head.end
    var last = 0
    while try nextElement() {
      guard reader.isNamed("object") else { throw Failure("expected <object>", at: reader.range.lowerBound) }
      guard let entity = try readObject(store, isMember, guess: last) else {
        start = reader.range.upperBound
        continue
      }
      last = entity
      let end = reader.range.upperBound
      objects[objects.count - 1] = XMLFileLayout.Object(number: objects[objects.count - 1].number, range: start..<end)
      start = end
    }
    _ = try reader.next()
    if let fitting { noteUnknown(fitting) }
  }

  /// Notes the unknown properties with the numbers of objects that have them.
  private func noteUnknown(_ fitting: ModelFitting) {
    for (entity, misfits) in misfits.enumerated() {
      for property in misfits.ignored where property.isUnknown {
        fitting.noteUnknown(property.name, of: entity, objectCount: property.count)
      }
    }
  }

  /// Reads an object.
  ///
  /// - Parameter guess: the index of the previous object's entity, whose name is compared first.
  /// - Returns: the index of the object's entity; nil if the object is ignored.
  private mutating func readObject(_ store: StoreNumber, _ isMember: [Bool], guess: Int) throws(Failure) -> Int? {
    let offset = reader.range.lowerBound
    var entity: Int?
    var unknownEntity: String?
    var number: Int64?
    while let (name, value) = try reader.nextAttribute() {
      if isText(name, "type"), entity == nil, unknownEntity == nil {
        guard let known = self.entity(value, guess: guess), isMember[known] else {
          if fitting != nil {
            unknownEntity = reader.attributeText(value)
            continue
          }
          throw Failure("\(shown(value)) is not an entity of the store", at: value.lowerBound)
        }
        entity = known
      } else if isText(name, "id"), number == nil {
        guard let known = objectNumber(value) else {
          throw Failure("\(shown(value)) is not an object ID", at: value.lowerBound)
        }
        number = known
      } else {
        throw Failure("unknown or repeated XML attribute \(shown(name)) of an object", at: name.lowerBound)
      }
    }
    if let unknownEntity {
      fitting?.noteUnknown(unknownEntity)
      if let number { ignoredNumbers.insert(number) }
      try skipProperties()
      return nil
    }
    guard let entity, let number else { throw Failure("the type or id of an object is missing", at: offset) }
    objects.append(XMLFileLayout.Object(number: number, range: offset..<offset))
    objectEntities.append(Int32(truncatingIfNeeded: entity))
    var values = emptyValues[entity]
    var (attributeIndex, relationshipIndex) = (0, 0)
    while try nextElement() {
      if reader.isNamed("attribute") {
        try readAttribute(entity, &values, &attributeIndex)
      } else if reader.isNamed("relationship") {
        try readRelationship(entity, &relationshipIndex)
      } else {
        throw Failure("expected <attribute> or <relationship>", at: reader.range.lowerBound)
      }
    }
    rows[entity].append(
      StoreRow(key: RowKey(store: store, entityIndex: entity, number: number), version: 1, values: values))
    return entity
  }

  /// Reads the rest of an object, without its properties.
  private mutating func skipProperties() throws(Failure) {
    while try nextElement() {
      while try reader.nextAttribute() != nil {}
      _ = try readContent()
    }
  }

  private mutating func readAttribute(
    _ entity: Int, _ values: inout [RowValue], _ orderIndex: inout Int
  ) throws(Failure) {
    let start = reader.range.lowerBound
    var (name, type) = (Range<Int>?.none, Range<Int>?.none)
    while let (key, value) = try reader.nextAttribute() {
      if isText(key, "name"), name == nil {
        name = value
      } else if isText(key, "type"), type == nil {
        type = value
      } else {
        throw Failure("unknown or repeated XML attribute \(shown(key)) of an attribute", at: key.lowerBound)
      }
    }
    guard let name, let type else { throw Failure("the name or type of an attribute is missing", at: start) }
    guard let property = try property(name, entity, &orderIndex, isAttribute: true),
      case .attribute(let declared) = names.entities[entity].properties[property].kind
    else {
      _ = try readContent()
      return
    }
    var kind = declared
    try check(type, &kind, property, entity)
    let range = try readContent()
    let value: AttributeValue?
    if let range {
      value = Self.value(reader.bytes.extracting(range), kind)
    } else {
      value = Self.value(text.rawBytes, kind)
    }
    guard let value = fitting == nil ? value : fitted(value, range, declared, property, entity) else {
      let shown = (range.map { reader.text($0) } ?? String(decoding: text, as: UTF8.self)).quoted
      throw Failure("\(shown) is not a value of type \(kind.name)", at: range?.lowerBound ?? start)
    }
    values[names.entities[entity].properties[property].slot] = .attribute(value)
  }

  /// Returns a value converted to the model's type if possible. Text that is not a value of the declared type is kept.
  private mutating func fitted(
    _ value: AttributeValue?, _ range: Range<Int>?, _ type: AttributeType, _ property: Int, _ entity: Int
  ) -> AttributeValue {
    let found = value ?? .string(range.map { reader.text($0) } ?? String(decoding: text, as: UTF8.self))
    let fitted = type == .undefined ? found : found.fitted(to: type)
    if value == nil, misfits[entity].withOtherText.insert(property).inserted {
      noteChanged(property, entity, "expected \(type.name), found other text")
    }
    return fitted
  }

  private func noteChanged(_ property: Int, _ entity: Int, _ difference: String) {
    fitting?.noteChanged(propertyName(property, entity), of: entity, difference)
  }

  /// Returns the name of a property in the model.
  private func propertyName(_ property: Int, _ entity: Int) -> String {
    fitting?.name(ofSlot: names.entities[entity].properties[property].slot, of: entity) ?? ""
  }

  /// Checks that a name in the file is that of an attribute's type. If the type is `undefined`, or the model has
  /// another version, changes it to the type in the file.
  @inline(__always)
  private mutating func check(
    _ name: Range<Int>, _ type: inout AttributeType, _ property: Int, _ entity: Int
  ) throws(Failure) {
    if type != .undefined, isText(name, XMLStoreText.typeName(type)) { return }
    if fitting != nil, let known = misfits[entity].types[property], isBytes(name, known.name) {
      type = known.type
      return
    }
    let text = reader.attributeText(name)
    if type == .undefined {
      guard let known = XMLStoreText.typeOfUndefined(text) else {
        throw Failure("\(text.quoted) is not an attribute type", at: name.lowerBound)
      }
      type = known
    } else if !XMLStoreText.isName(text, of: type) {
      if fitting != nil {
        noteChanged(property, entity, "expected \(type.name), found the type \(text.quoted)")
        type = XMLStoreText.typeOfUndefined(text) ?? .string
        misfits[entity].types[property] = ([UInt8](reader.bytes, name), type)
        return
      }
      throw Failure("expected the type \"\(XMLStoreText.typeName(type))\", found \(text.quoted)", at: name.lowerBound)
    }
  }

  @inline(__always)
  private static func value(_ text: RawSpan, _ type: AttributeType) -> AttributeValue? {
    guard type == .string else { return XMLStoreText.value(text, type) }
    guard text.firstIndex(of: UInt8(ascii: "\\"), from: 0) != nil else {
      return .string(String(knownUTF8: text, isASCII: text.isASCII))
    }
    var bytes: [UInt8] = []
    XMLStoreText.unescape(text, into: &bytes)
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  private mutating func readRelationship(_ entity: Int, _ orderIndex: inout Int) throws(Failure) {
    let start = reader.range.lowerBound
    var (name, ids) = (Range<Int>?.none, Range<Int>?.none)
    var (type, destination) = (Range<Int>?.none, Range<Int>?.none)
    while let (key, value) = try reader.nextAttribute() {
      if isText(key, "name"), name == nil {
        name = value
      } else if isText(key, "type"), type == nil {
        // The minimum and maximum counts, which are ignored, because the model has them, too.
        type = value
      } else if isText(key, "destination"), destination == nil {
        destination = value
      } else if isText(key, "idrefs"), ids == nil {
        ids = value
      } else {
        throw Failure("unknown or repeated XML attribute \(shown(key)) of a relationship", at: key.lowerBound)
      }
    }
    guard let name else { throw Failure("the name of a relationship is missing", at: start) }
    guard let property = try property(name, entity, &orderIndex, isAttribute: false) else {
      _ = try readContent()
      return
    }
    guard
      case .relationship(let entities, let destinationName, let isToMany, _) = names.entities[entity].properties[
        property
      ].kind
    else { return }
    if let destination, !isBytes(destination, destinationName),
      misfits[entity].destinations[property].map({ !isBytes(destination, $0) }) ?? true
    {
      let text = reader.attributeText(destination)
      if let fitting {
        if fitting.entity(named: text).map({ !entities.contains($0) }) ?? true {
          noteChanged(property, entity, "its destination is the entity \(text.quoted) in the store")
        }
        misfits[entity].destinations[property] = [UInt8](reader.bytes, destination)
      } else if Array(text.utf8) != destinationName {
        throw Failure("the destination of the relationship is not \(shown(destination))", at: destination.lowerBound)
      }
    }
    if let range = try readContent() {
      guard range.allSatisfy({ reader.bytes[$0].isWhiteSpace }) else {
        throw Failure("a relationship cannot contain text", at: range.lowerBound)
      }
    } else {
      throw Failure("a relationship cannot contain text", at: start)
    }
    guard let ids else { return }
    try readReferences(ids, entity, property, isToMany: isToMany, at: start)
  }

  private mutating func readReferences(
    _ ids: Range<Int>, _ entity: Int, _ property: Int, isToMany: Bool, at offset: Int
  ) throws(Failure) {
    let first = referredNumbers.count
    var index = ids.lowerBound
    while true {
      while index < ids.upperBound, reader.bytes[index].isWhiteSpace { index += 1 }
      guard index < ids.upperBound else { break }
      let start = index
      while index < ids.upperBound, !reader.bytes[index].isWhiteSpace { index += 1 }
      guard let number = objectNumber(start..<index) else {
        throw Failure("\(shown(start..<index)) is not an object ID", at: start)
      }
      referredNumbers.append(number)
    }
    let count = referredNumbers.count - first
    if !isToMany, count > 1, let fitting {
      referredNumbers.removeLast(count)
      fitting.noteIgnoredReferences(
        propertyName(property, entity), of: entity,
        "several references of a to-one relationship are ignored")
      return
    }
    if !isToMany, count > 1 { throw Failure("a to-one relationship cannot have \(count) objects", at: ids.lowerBound) }
    guard count > 0 else { return }
    references.append(
      Reference(
        entity: Int32(truncatingIfNeeded: entity), row: Int32(truncatingIfNeeded: rows[entity].count),
        property: Int32(truncatingIfNeeded: property), first: first, count: count, offset: offset))
  }

  /// Returns the index of the property with a name; nil if it is ignored. Throws if the object already had the
  /// property. Most objects of an entity have their properties in the same order, so the next property in that order is
  /// compared first.
  ///
  /// - Parameter orderIndex: the index in that order of the expected property. The method advances it.
  private mutating func property(
    _ name: Range<Int>, _ entity: Int, _ orderIndex: inout Int, isAttribute: Bool
  ) throws(Failure) -> Int? {
    guard let property = try findProperty(name, entity, &orderIndex, isAttribute) else { return nil }
    guard lastObjects[entity][property] != objects.count else {
      if let fitting {
        fitting.noteUnknown(reader.attributeText(name), of: entity)
        return nil
      }
      throw Failure("\(shown(name)) occurs twice in an object", at: name.lowerBound)
    }
    lastObjects[entity][property] = objects.count
    return property
  }

  private mutating func findProperty(
    _ name: Range<Int>, _ entity: Int, _ orderIndex: inout Int, _ isAttribute: Bool
  ) throws(Failure) -> Int? {
    let order = isAttribute ? orders[entity].attributes : orders[entity].relationships
    for next in orderIndex..<max(orderIndex, min(order.count, orderIndex + 8))
    where isBytes(name, names.entities[entity].properties[order[next]].name) {
      orderIndex = next + 1
      return order[next]
    }
    if fitting != nil, passIgnored(name, entity, isAttribute) { return nil }
    let text = reader.attributeText(name)
    let property = names.entities[entity].property(named: text) ?? renamedProperty(text, entity)
    guard let property, names.entities[entity].properties[property].isAttribute == isAttribute else {
      if fitting != nil {
        let isFirst = misfits[entity].add(
          text, [UInt8](reader.bytes, name), isAttribute: isAttribute, isUnknown: property == nil)
        if let property, isFirst {
          noteChanged(
            property, entity,
            isAttribute
              ? "expected a relationship, found an attribute: it is empty"
              : "expected an attribute, found a relationship: it reads as nil")
        }
        return nil
      }
      throw Failure(
        "the entity has no \(isAttribute ? "attribute" : "relationship") \(shown(name))", at: name.lowerBound)
    }
    orders[entity].insert(property, at: orderIndex, isAttribute: isAttribute)
    orderIndex += 1
    return property
  }

  /// Counts a property that was ignored in an earlier object. Returns false for other properties.
  private mutating func passIgnored(_ name: Range<Int>, _ entity: Int, _ isAttribute: Bool) -> Bool {
    let count = misfits[entity].ignored.count
    for _ in 0..<min(count, 8) {
      let index = misfits[entity].next % count
      misfits[entity].next = index + 1
      if misfits[entity].ignored[index].isAttribute == isAttribute, isBytes(name, misfits[entity].ignored[index].bytes)
      {
        misfits[entity].ignored[index].count += 1
        return true
      }
    }
    return false
  }

  /// Returns the index of the property whose renaming identifier is `name`, if the model has another version.
  private func renamedProperty(_ name: String, _ entity: Int) -> Int? {
    guard let property = fitting?.property(named: name, of: entity) else { return nil }
    return names.entities[entity].properties.firstIndex { $0.slot == property.slot }
  }

  private func entity(_ name: Range<Int>, guess: Int) -> Int? {
    if guess < names.entities.count, isBytes(name, names.entities[guess].name) { return guess }
    let text = reader.attributeText(name)
    return names.entity(named: text) ?? fitting?.entity(named: text)
  }

  /// Returns the number in an object's ID, such as `z102`; nil if the text is not an ID.
  @inline(__always)
  private func objectNumber(_ range: Range<Int>) -> Int64? {
    guard range.count >= 2, range.count <= 20, reader.bytes[range.lowerBound] == UInt8(ascii: "z") else { return nil }
    var number: Int64 = 0
    for index in range.lowerBound + 1..<range.upperBound {
      let digit = reader.bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (product, isTooLong) = number.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = product.addingReportingOverflow(Int64(digit))
      if isTooLong || isTooLarge { return nil }
      number = sum
    }
    return number > 0 ? number : nil
  }

  @inline(__always)
  func isText(_ range: Range<Int>, _ text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && reader.bytes.starts(with: text, at: range.lowerBound)
  }

  @inline(__always)
  func isBytes(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
    guard range.count == bytes.count else { return false }
    var index = range.lowerBound
    for byte in bytes {
      if reader.bytes[index] != byte { return false }
      index += 1
    }
    return true
  }

  func shown(_ range: Range<Int>) -> String { reader.text(range).quoted }
}
