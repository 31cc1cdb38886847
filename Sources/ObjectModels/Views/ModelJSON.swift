public import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists

extension ManagedObjectModel {
  /// Returns the model as JSON, for programs in other languages: the entities by name, each with its own properties by
  /// name, in the order of the model. Settings that have their default values, such as false flags, are omitted. Values
  /// without a JSON form are written as text, data in base64.
  ///
  /// ```json
  /// {"entities": {"Note": {"versionHash": "…", "properties": {
  ///   "title": {"kind": "attribute", "type": "String", "default": "Untitled"}
  /// }}}}
  /// ```
  ///
  /// - Throws: ``ManagedObjectModelError/file(_:)`` if the model cannot be written as JSON.
  /// - Complexity: O(*n*) in the number of properties.
  public func jsonData() throws(ManagedObjectModelError) -> Data {
    do { return try json.data(format: .json, options: PropertyListWritingOptions(coercion: .plain)) } catch {
      throw .file(error)
    }
  }

  private var json: PropertyList {
    var entries = JSONEntries()
    entries["versionIdentifiers"] = versionIdentifiers.map { .string($0) }
    let hashes = entityVersionHashesByName
    entries["entities"] = Dictionary(
      uniqueKeysWithValues: entities.map { entity in
        (entity.name, entity.definition.json(hash: entity.hasKnownVersionHash ? hashes[entity.name] : nil))
      }
    ).inOrder(entities.map(\.name))
    entries["configurations"] = configurations.mapValues { .array($0.map { .string($0) }) }
    entries["fetchRequests"] = fetchRequestTemplates.mapValues(\.json)
    return entries.value
  }
}

/// The entries of a JSON object. Settings that have their default values are left out.
private struct JSONEntries {
  private(set) var entries: OrderedDictionary<String, PropertyList> = [:]

  var value: PropertyList { .dictionary(entries) }

  subscript(key: String) -> String? {
    get { nil }
    set { entries[key] = newValue.map { .string($0) } }
  }

  subscript(key: String) -> [PropertyList] {
    get { [] }
    set { entries[key] = newValue.isEmpty ? nil : .array(newValue) }
  }

  subscript(key: String) -> OrderedDictionary<String, PropertyList> {
    get { [:] }
    set { entries[key] = newValue.isEmpty ? nil : .dictionary(newValue) }
  }

  mutating func flag(_ key: String, _ value: Bool) {
    if value { entries[key] = true }
  }

  mutating func number(_ key: String, _ value: Int, unless standard: Int = 0) {
    if value != standard { entries[key] = .integer(.init(value)) }
  }

  mutating func set(_ key: String, _ value: PropertyList?) { entries[key] = value }
}

extension [String: PropertyList] {
  fileprivate func inOrder(_ names: [String]) -> OrderedDictionary<String, PropertyList> {
    var entries: OrderedDictionary<String, PropertyList> = [:]
    for name in names { entries[name] = self[name] }
    return entries
  }
}

extension EntityDescription {
  fileprivate func json(hash: Data?) -> PropertyList {
    var entries = JSONEntries()
    entries["class"] = className
    entries["superentity"] = superentity
    entries.flag("abstract", isAbstract)
    entries["renamingIdentifier"] = renamingIdentifier
    entries["versionHashModifier"] = versionHashModifier
    entries["versionHash"] = hash?.base64EncodedString()
    var properties: OrderedDictionary<String, PropertyList> = [:]
    for property in self.properties { properties[property.name] = property.json }
    entries["properties"] = properties
    entries["uniquenessConstraints"] = uniquenessConstraints.map { .array($0.map { .string($0) }) }
    entries["fetchIndexes"] = fetchIndexes.map { index in
      var entries = JSONEntries()
      entries["name"] = index.name
      entries["elements"] = index.elements.map { element in
        var entries = JSONEntries()
        switch element.content {
        case .property(let name): entries["property"] = name
        case .expression(let expression): entries["expression"] = "\(expression)"
        }
        entries["type"] = element.kind == .rTree ? "RTree" : nil
        entries.flag("descending", !element.isAscending)
        return entries.value
      }
      entries["predicate"] = index.partialPredicate.map { "\($0)" }
      return entries.value
    }
    entries["userInfo"] = userInfo
    return entries.value
  }
}

extension PropertyDescription {
  fileprivate var json: PropertyList {
    var entries = JSONEntries()
    switch self {
    case .attribute(let attribute): attribute.write(to: &entries)
    case .relationship(let relationship):
      entries["kind"] = "relationship"
      entries["destination"] = relationship.destination
      entries["inverse"] = relationship.inverse
      entries.flag("toMany", relationship.isToMany)
      entries.flag("ordered", relationship.isOrdered)
      entries.number("minCount", relationship.minimumCount)
      entries.number("maxCount", relationship.maximumCount, unless: relationship.isToMany ? 0 : 1)
      entries["deletionRule"] = relationship.deleteRule.sourceName
    case .fetched(let property):
      entries["kind"] = "fetched property"
      entries.set("request", property.request.json)
    }
    entries.flag("optional", traits.isOptional)
    entries.flag("transient", traits.isTransient)
    entries.flag("readOnly", traits.isReadOnly)
    entries.flag("indexed", traits.isIndexed)
    entries.flag("spotlight", traits.isIndexedBySpotlight)
    entries["renamingIdentifier"] = traits.renamingIdentifier
    entries["versionHashModifier"] = traits.versionHashModifier
    entries["validations"] = traits.validations.map { validation in
      var entries = JSONEntries()
      entries["predicate"] = "\(validation.predicate)"
      switch validation.warning {
      case .text(let text): entries["warning"] = text
      case .code(let code): entries.number("warning", code)
      case nil: break
      }
      return entries.value
    }
    entries["userInfo"] = traits.userInfo
    return entries.value
  }
}

extension AttributeDescription {
  fileprivate func write(to entries: inout JSONEntries) {
    entries["kind"] = "attribute"
    entries["type"] = type.name
    entries.set("default", jsonDefault)
    entries["class"] = valueClassName
    entries["transformer"] = valueTransformerName
    entries.flag("externalBinary", allowsExternalBinaryDataStorage)
    entries.flag("preserveAfterDeletion", preservesValueInHistoryOnDeletion)
    entries.flag("cloudEncryption", allowsCloudEncryption)
    entries["derivation"] = derivation.map { "\($0.expression)" }
    entries["composite"] = compositeName
    var parts: OrderedDictionary<String, PropertyList> = [:]
    for element in elements { parts[element.name] = PropertyDescription.attribute(element).json }
    entries["elements"] = parts
  }

  private var jsonDefault: PropertyList? {
    switch defaultValue {
    case .null: nil
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(.init(value))
    case .double(let value) where value.isFinite: .real(value)
    case .float(let value) where value.isFinite: .float(value)
    case .data(let value): .string(value.base64EncodedString())
    default: defaultValue.sourceText(type).map { .string($0) }
    }
  }
}

extension FetchRequest {
  fileprivate var json: PropertyList {
    var entries = JSONEntries()
    entries["entity"] = entityName
    entries["predicate"] = predicate.map { "\($0)" }
    entries["sort"] = sortDescriptors.map { key in
      var entries = JSONEntries()
      entries["keyPath"] = key.keyPath
      entries.flag("descending", !key.isAscending)
      entries["selector"] = key.selector
      return entries.value
    }
    entries.number("limit", fetchLimit)
    entries.number("offset", fetchOffset)
    entries.number("batchSize", fetchBatchSize)
    return entries.value
  }
}
