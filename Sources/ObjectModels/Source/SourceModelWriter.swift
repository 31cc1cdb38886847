internal import FoundationEssentials
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Writes the `contents` file of an `.xcdatamodel`.
struct SourceModelWriter {
  private var writer = XMLTreeWriter()
  /// The attribute groups to write: the elements of composite attributes, by group name.
  private var composites: OrderedDictionary<String, [AttributeDescription]> = [:]
  /// For composite attributes that have no group name, the group name for each list of elements.
  private var compositeNames: [[AttributeDescription]: String] = [:]
  /// Called for each user-info value that is not a string; nil if such a value is an error.
  private let report: ((String) -> Void)?

  private typealias Attributes = OrderedDictionary<String, String>

  /// The position of each XML attribute in Xcode's order, as far as it is known from files. Unknown attributes come
  /// last.
  private static let order: [String: Int] = {
    let names = [
      "name", "representedClassName", "parentEntity", "isAbstract", "optional", "transient", "toMany", "attributeType",
      "minCount", "maxCount", "deletionRule", "ordered", "destinationEntity", "inverseName", "inverseEntity",
      "composite", "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
      "defaultDateTimeInterval", "defaultValueString", "derived", "derivationExpression", "regularExpressionString",
      "usesScalarValueType", "valueTransformerName", "customClassName", "allowsExternalBinaryDataStorage",
      "preserveAfterDeletion", "allowsCloudEncryption", "spotlightIndexingEnabled", "indexed", "elementID",
      "versionHashModifier", "syncable", "codeGenerationType", "type", "documentVersion", "lastSavedToolsVersion",
      "systemVersion", "minimumToolsVersion", "sourceLanguage", "usedWithSwiftData", "macOSVersion", "iOSVersion",
      "userDefinedModelVersionIdentifier",
    ]
    return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
  }()

  static func data(
    _ model: ManagedObjectModel, convertingUserInfo report: ((String) -> Void)?
  ) throws(PropertyListError) -> Data {
    var writer = SourceModelWriter(report: report)
    try writer.write(model)
    return writer.writer.finish()
  }

  private func sorted(_ attributes: Attributes) -> Attributes {
    var sorted = attributes
    sorted.sort { (Self.order[$0.key] ?? .max, $0.key) < (Self.order[$1.key] ?? .max, $1.key) }
    return sorted
  }

  private mutating func begin(
    _ name: String, _ attributes: Attributes, isEmpty: Bool = false
  ) throws(PropertyListError) {
    try writer.begin(name, sorted(attributes), isEmpty: isEmpty)
  }

  private mutating func write(_ model: ManagedObjectModel) throws(PropertyListError) {
    var attributes = model.editorAttributes
    // Without some of these attributes, Xcode does not recognize the file as a model.
    if attributes.isEmpty {
      attributes = [
        "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0", "minimumToolsVersion": "Automatic",
        "sourceLanguage": "Swift",
      ]
    }
    if let identifier = model.versionIdentifiers.first {
      guard model.versionIdentifiers.count == 1 else {
        throw PropertyListError(
          .notRepresentable, "the model has several version identifiers; a source file can have only one")
      }
      attributes["userDefinedModelVersionIdentifier"] = identifier
    }
    try begin("model", attributes)
    for entity in model.entityDescriptions { nameComposites(of: entity.attributes) }
    for entity in model.entityDescriptions { try write(entity) }
    for (name, request) in model.fetchRequestTemplates { try write(request, name) }
    for (name, members) in model.configurations {
      try begin("configuration", ["name": name], isEmpty: members.isEmpty)
      for member in members { try begin("memberEntity", ["name": member], isEmpty: true) }
      if !members.isEmpty { writer.end() }
    }
    for (name, elements) in composites {
      try begin("composite", ["name": name])
      for element in elements { try write(element, "\(name).\(element.name)") }
      writer.end()
    }
    writer.end()
  }

  /// Collects the attribute groups that contain the elements of composite attributes. Compiled models do not contain
  /// the names of groups. A group without a name gets the name of the first attribute that has its elements, and a
  /// number if that name is already used.
  private mutating func nameComposites(of attributes: [AttributeDescription], depth: Int = 0) {
    for attribute in attributes where attribute.type == .composite && depth < 16 {
      if let name = attribute.compositeName {
        if composites[name] == nil { composites[name] = attribute.elements }
      } else if compositeNames[attribute.elements] == nil {
        let base = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
        var name = base
        var number = 1
        while let known = composites[name], known != attribute.elements {
          number += 1
          name = "\(base)\(number)"
        }
        composites[name] = attribute.elements
        compositeNames[attribute.elements] = name
      }
      nameComposites(of: attribute.elements, depth: depth + 1)
    }
  }

  private mutating func write(_ entity: EntityDescription) throws(PropertyListError) {
    var attributes = entity.editorAttributes
    attributes["name"] = entity.name
    attributes["representedClassName"] = entity.className
    attributes["parentEntity"] = entity.superentity
    if entity.isAbstract { attributes["isAbstract"] = "YES" }
    attributes["elementID"] = entity.renamingIdentifier
    attributes["versionHashModifier"] = entity.versionHashModifier
    let indexes = entity.compoundIndexes.filter { names in
      !entity.fetchIndexes.contains { $0.elements.map(\.content) == names.map { .property($0) } }
    }
    let isEmpty =
      entity.properties.isEmpty && entity.fetchIndexes.isEmpty && indexes.isEmpty
      && entity.uniquenessConstraints.isEmpty && entity.userInfo.isEmpty
    try begin("entity", attributes, isEmpty: isEmpty)
    if isEmpty { return }
    for property in entity.properties {
      switch property {
      case .attribute(let attribute): try write(attribute, "\(entity.name).\(attribute.name)")
      case .relationship(let relationship): try write(relationship, entity)
      case .fetched(let property): try write(property, entity)
      }
    }
    for index in entity.fetchIndexes { try write(index) }
    try write(indexes, "compoundIndexes", "compoundIndex", "index")
    try write(entity.uniquenessConstraints, "uniquenessConstraints", "uniquenessConstraint", "constraint")
    try write(entity.userInfo, entity.name)
    writer.end()
  }

  private mutating func write(
    _ lists: [[String]], _ all: String, _ one: String, _ part: String
  ) throws(PropertyListError) {
    if lists.isEmpty { return }
    try begin(all, [:])
    for list in lists {
      try begin(one, [:])
      for name in list { try begin(part, ["value": name], isEmpty: true) }
      writer.end()
    }
    writer.end()
  }

  private mutating func write(
    _ userInfo: OrderedDictionary<String, PropertyList>, _ location: String
  ) throws(PropertyListError) {
    if userInfo.isEmpty { return }
    try begin("userInfo", [:])
    for (key, value) in userInfo {
      try begin("entry", ["key": key, "value": text(value, key, location)], isEmpty: true)
    }
    writer.end()
  }

  /// Returns the text of a user-info value. A value that is not a string is converted and reported, or is an error if
  /// ``report`` is nil.
  private func text(_ value: PropertyList, _ key: String, _ location: String) throws(PropertyListError) -> String {
    if case .string(let text) = value { return text }
    let defect = "the value for \(key.quoted) in the user info of \(location.printable(limit: 200)) is not a string"
    guard let report else { throw PropertyListError(.notRepresentable, defect) }
    let text: String
    if value != .null, let raw = value.rawText {
      text = raw
    } else {
      let options = PropertyListWritingOptions(coercion: .reversible, isCompact: true)
      let json = try value.data(format: .json, options: options)
      text = String(decoding: json.last == UInt8(ascii: "\n") ? json.dropLast() : json, as: UTF8.self)
    }
    report("\(defect); it is written as the string \(text.quoted)")
    return text
  }

  private mutating func write(_ index: FetchIndexDescription) throws(PropertyListError) {
    var attributes: OrderedDictionary<String, String> = ["name": index.name]
    if let predicate = index.partialPredicate { attributes["predicate"] = try text(predicate) }
    try begin("fetchIndex", attributes)
    for element in index.elements {
      var attributes: OrderedDictionary<String, String> = [:]
      switch element.content {
      case .property(let name): attributes["property"] = name
      case .expression(let expression): attributes["expression"] = try text(expression)
      }
      attributes["type"] = element.kind == .binary ? "Binary" : "RTree"
      attributes["order"] = element.isAscending ? "ascending" : "descending"
      try writer.begin("fetchIndexElement", attributes, isEmpty: true)
    }
    writer.end()
  }

  private func attributes(_ traits: PropertyTraits) -> OrderedDictionary<String, String> {
    var attributes = traits.editorAttributes
    attributes["name"] = traits.name
    if traits.isOptional { attributes["optional"] = "YES" }
    if traits.isIndexed { attributes["indexed"] = "YES" }
    if traits.isIndexedBySpotlight { attributes["spotlightIndexingEnabled"] = "YES" }
    attributes["elementID"] = traits.renamingIdentifier
    attributes["versionHashModifier"] = traits.versionHashModifier
    return attributes
  }

  private mutating func write(_ attribute: AttributeDescription, _ location: String) throws(PropertyListError) {
    var attributes = attributes(attribute.traits)
    if attribute.isTransient { attributes["transient"] = "YES" }
    attributes["attributeType"] = attribute.type.name
    if attribute.defaultValue != .null {
      guard let text = attribute.defaultValue.sourceText(attribute.type) else {
        throw notRepresentable("the default value", of: location)
      }
      attributes[attribute.type == .date ? "defaultDateTimeInterval" : "defaultValueString"] = text
    }
    for validation in attribute.validations {
      let found = SourceLimit.allCases.lazy.compactMap { limit in
        limit.value(in: validation, of: attribute.type).map { (limit, $0) }
      }.first
      let type = attribute.type == .string ? AttributeType.integer64 : attribute.type
      guard let (limit, value) = found, let text = value.sourceText(limit == .pattern ? .string : type) else {
        throw notRepresentable("a validation", of: location)
      }
      let name = attribute.type == .date && limit != .pattern ? limit.dateName : limit.name
      guard attributes.updateValue(text, forKey: name) == nil else {
        throw notRepresentable("a second validation of the same kind", of: location)
      }
    }
    if let derivation = attribute.derivation {
      if derivation.filter != nil { throw notRepresentable("the filter of the derivation", of: location) }
      attributes["derived"] = "YES"
      attributes["derivationExpression"] = try text(derivation.expression)
    }
    attributes["valueTransformerName"] = attribute.valueTransformerName
    if let name = attribute.valueClassName { attributes["customClassName"] = name }
    if attribute.allowsExternalBinaryDataStorage { attributes["allowsExternalBinaryDataStorage"] = "YES" }
    if attribute.preservesValueInHistoryOnDeletion { attributes["preserveAfterDeletion"] = "YES" }
    if attribute.allowsCloudEncryption { attributes["allowsCloudEncryption"] = "YES" }
    attributes["composite"] = attribute.compositeName ?? compositeNames[attribute.elements]
    try begin("attribute", attributes, isEmpty: attribute.userInfo.isEmpty)
    try write(attribute.userInfo, location)
    if !attribute.userInfo.isEmpty { writer.end() }
  }

  private mutating func write(
    _ relationship: RelationshipDescription, _ entity: EntityDescription
  ) throws(PropertyListError) {
    let location = "\(entity.name).\(relationship.name)"
    var attributes = attributes(relationship.traits)
    if relationship.isTransient { attributes["transient"] = "YES" }
    if relationship.isToMany { attributes["toMany"] = "YES" }
    if relationship.minimumCount != 0 { attributes["minCount"] = "\(relationship.minimumCount)" }
    if relationship.maximumCount != 0 { attributes["maxCount"] = "\(relationship.maximumCount)" }
    attributes["deletionRule"] = relationship.deleteRule.sourceName
    if relationship.isOrdered { attributes["ordered"] = "YES" }
    attributes["destinationEntity"] = relationship.destination
    if let inverse = relationship.inverse {
      attributes["inverseName"] = inverse
      attributes["inverseEntity"] = relationship.destination
    }
    if !relationship.validations.isEmpty { throw notRepresentable("a validation", of: location) }
    try begin("relationship", attributes, isEmpty: relationship.userInfo.isEmpty)
    try write(relationship.userInfo, location)
    if !relationship.userInfo.isEmpty { writer.end() }
  }

  private mutating func write(
    _ property: FetchedPropertyDescription, _ entity: EntityDescription
  ) throws(PropertyListError) {
    try begin("fetchedProperty", attributes(property.traits))
    try write(property.request, "fetchedPropertyFetchRequest")
    try write(property.userInfo, "\(entity.name).\(property.name)")
    writer.end()
  }

  private mutating func write(_ request: FetchRequest, _ name: String) throws(PropertyListError) {
    var attributes: OrderedDictionary<String, String> = ["name": name, "entity": request.entityName]
    if let predicate = request.predicate { attributes["predicateString"] = try text(predicate) }
    if request.fetchLimit != 0 { attributes["fetchLimit"] = "\(request.fetchLimit)" }
    if request.fetchBatchSize != 0 { attributes["fetchBatchSize"] = "\(request.fetchBatchSize)" }
    if request.resultType != .objects { attributes["resultType"] = "\(request.resultType.rawValue)" }
    for flag in SourceFlag.all where request[keyPath: flag.path] != flag.standard {
      attributes[flag.names[0]] = request[keyPath: flag.path] ? "YES" : "NO"
    }
    var plain = request
    plain.sortDescriptors = []
    plain.fetchOffset = 0
    plain.propertiesToFetch = nil
    plain.propertiesToGroupBy = nil
    plain.havingPredicate = nil
    plain.relationshipKeyPathsForPrefetching = []
    plain.refreshesRefetchedObjects = false
    guard plain == request else {
      throw notRepresentable("the sort order, offset, properties to fetch, grouping or prefetching", of: name)
    }
    try writer.begin("fetchRequest", attributes, isEmpty: true)
  }

  private func notRepresentable(_ part: String, of location: String) -> PropertyListError {
    PropertyListError(.notRepresentable, "\(part) of \(location.printable(limit: 200)) has no form in a source file")
  }

  private func text(_ predicate: ManagedPredicate) throws(PropertyListError) -> String {
    do { return try predicate.formatText() } catch { throw PropertyListError(.notRepresentable, error.description) }
  }

  private func text(_ expression: ManagedExpression) throws(PropertyListError) -> String {
    do { return try expression.formatText() } catch { throw PropertyListError(.notRepresentable, error.description) }
  }
}
