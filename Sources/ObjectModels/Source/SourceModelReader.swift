internal import FoundationEssentials
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Reads the `contents` file of an `.xcdatamodel`.
struct SourceModelReader {
  private let tree: XMLTree
  private var composites: [String: XMLTree.Element] = [:]

  private typealias Element = XMLTree.Element

  init(_ data: Data) throws(PropertyListError) {
    tree = try XMLTree(data)
    guard tree.root.name == "model" else {
      throw tree.error("expected <model> as the root, found <\(tree.root.name.printable(limit: 80))>", at: tree.root)
    }
    for element in tree.root.children where element.name == "composite" || element.name == "compositeAttribute" {
      if let name = element.attributes["name"] { composites[name] = element }
    }
  }

  func contents() throws(PropertyListError) -> ManagedObjectModel.Contents {
    var contents = ManagedObjectModel.Contents(entities: [])
    contents.allowsOrderOfOne = true
    var attributes = SourceAttributes(tree.root, tree)
    if let identifier = attributes.take("userDefinedModelVersionIdentifier") {
      contents.versionIdentifiers = [identifier]
    }
    contents.editorAttributes = attributes.rest
    for element in tree.root.children {
      switch element.name {
      case "entity": contents.entities.append(try entity(element))
      case "configuration":
        let name = try SourceAttributes(element, tree).required("name")
        var members: [String] = []
        for member in element.children where member.name == "memberEntity" {
          members.append(try SourceAttributes(member, tree).required("name"))
        }
        guard contents.configurations.updateValue(members, forKey: name) == nil else {
          throw tree.error("two configurations have the name \(name.quoted)", at: element)
        }
      case "fetchRequest":
        let name = try SourceAttributes(element, tree).required("name")
        guard contents.fetchRequestTemplates.updateValue(try request(element), forKey: name) == nil else {
          throw tree.error("two fetch requests have the name \(name.quoted)", at: element)
        }
      // Other elements are not read here. Attribute groups are read when an attribute uses them, and `elements`
      // contains the layout of the diagram.
      default: continue
      }
    }
    return contents
  }

  private func entity(_ element: XMLTree.Element) throws(PropertyListError) -> EntityDescription {
    var attributes = SourceAttributes(element, tree)
    var entity = EntityDescription(try attributes.required("name"))
    entity.className = attributes.text("representedClassName")
    entity.superentity = attributes.text("parentEntity")
    entity.isAbstract = try attributes.truth("isAbstract")
    entity.renamingIdentifier = attributes.text("elementID")
    entity.versionHashModifier = attributes.text("versionHashModifier")
    entity.editorAttributes = attributes.rest
    for child in element.children {
      switch child.name {
      case "attribute": entity.properties.append(.attribute(try attribute(child)))
      case "relationship": entity.properties.append(.relationship(try relationship(child)))
      case "fetchedProperty": entity.properties.append(.fetched(try fetchedProperty(child)))
      case "fetchIndex": entity.fetchIndexes.append(try fetchIndex(child))
      case "compoundIndexes": entity.compoundIndexes += try names(in: child)
      case "uniquenessConstraints": entity.uniquenessConstraints += try names(in: child)
      case "userInfo": entity.userInfo = try userInfo(child)
      default: continue
      }
    }
    // Adds each fetch index as a compound index too, for readers that do not support fetch indexes. Apple's compiler
    // does the same.
    for index in entity.fetchIndexes {
      let names = index.elements.compactMap { if case .property(let name) = $0.content { name } else { nil } }
      if names.count == index.elements.count, !names.isEmpty, !entity.compoundIndexes.contains(names) {
        entity.compoundIndexes.append(names)
      }
    }
    return entity
  }

  /// Returns one list of names for each child of the element. The list has one name for each child of that child.
  private func names(in element: XMLTree.Element) throws(PropertyListError) -> [[String]] {
    var lists: [[String]] = []
    for list in element.children {
      var names: [String] = []
      for name in list.children { names.append(try SourceAttributes(name, tree).required("value")) }
      lists.append(names)
    }
    return lists
  }

  private func userInfo(_ element: XMLTree.Element) throws(PropertyListError) -> OrderedDictionary<String, PropertyList>
  {
    var entries: OrderedDictionary<String, PropertyList> = [:]
    for entry in element.children where entry.name == "entry" {
      let attributes = SourceAttributes(entry, tree)
      entries[try attributes.required("key")] = .string(attributes.value("value") ?? "")
    }
    return entries
  }

  private func fetchIndex(_ element: XMLTree.Element) throws(PropertyListError) -> FetchIndexDescription {
    let attributes = SourceAttributes(element, tree)
    var index = FetchIndexDescription(try attributes.required("name"), [])
    if let text = attributes.value("predicate") ?? attributes.value("predicateString"), !text.isEmpty {
      index.partialPredicate = try predicate(text, element)
    }
    for part in element.children where part.name == "fetchIndexElement" {
      let attributes = SourceAttributes(part, tree)
      let content: FetchIndexDescription.Element.Content
      if let name = attributes.value("property") {
        content = .property(name)
      } else {
        content = .expression(try expression(try attributes.required("expression"), part))
      }
      let kind: FetchIndexDescription.Element.Kind
      switch attributes.value("type")?.lowercased() {
      case "binary", nil: kind = .binary
      case "rtree": kind = .rTree
      case let type?: throw tree.error("\(type.quoted) is not a fetch-index type", at: part)
      }
      let order = attributes.value("order") ?? "ascending"
      guard order == "ascending" || order == "descending" else {
        throw tree.error("order must be ascending or descending, not \(order.quoted)", at: part)
      }
      index.elements.append(.init(content, kind: kind, isAscending: order == "ascending"))
    }
    return index
  }

  /// Reads the traits that all properties have, and removes them from `attributes`.
  private func traits(
    _ element: XMLTree.Element, _ attributes: inout SourceAttributes
  ) throws(PropertyListError) -> PropertyTraits {
    var traits = PropertyTraits(name: try attributes.required("name"), isOptional: try attributes.truth("optional"))
    attributes.remove("name")
    traits.isTransient = try attributes.truth("transient")
    traits.isIndexed = try attributes.truth("indexed")
    traits.isIndexedBySpotlight = try attributes.truth("spotlightIndexingEnabled")
    traits.renamingIdentifier = attributes.text("elementID")
    traits.versionHashModifier = attributes.text("versionHashModifier")
    for child in element.children where child.name == "userInfo" { traits.userInfo = try userInfo(child) }
    return traits
  }

  private func attribute(_ element: XMLTree.Element, depth: Int = 0) throws(PropertyListError) -> AttributeDescription {
    var attributes = SourceAttributes(element, tree)
    // An attribute without a type can have values of any type.
    let typeName = attributes.text("attributeType") ?? AttributeType.undefined.name
    guard let type = AttributeType(name: typeName) else {
      throw tree.error("\(typeName.quoted) is not an attribute type", at: element)
    }
    var attribute = AttributeDescription("", type)
    attribute.traits = try traits(element, &attributes)
    attribute.valueTransformerName = attributes.text("valueTransformerName")
    attribute.allowsExternalBinaryDataStorage = try attributes.truth("allowsExternalBinaryDataStorage")
    attribute.preservesValueInHistoryOnDeletion = try attributes.truth("preserveAfterDeletion")
    attribute.allowsCloudEncryption = try attributes.truth("allowsCloudEncryption")
    attribute.defaultValue = try defaultValue(type, element, &attributes)
    attribute.traits.validations = try validations(type, element, &attributes)
    let derivation = attributes.text("derivationExpression")
    if try attributes.truth("derived") {
      guard let derivation else { throw tree.error("a derived attribute has no derivationExpression", at: element) }
      attribute.derivation = .init(try expression(derivation, element))
      attribute.traits.isReadOnly = true
    }
    if type == .composite, let name = attributes.take("composite") {
      attribute.compositeName = name
      guard depth < 16 else { throw tree.error("composite attributes are nested more than 16 deep", at: element) }
      guard let group = composites[name] else { throw tree.error("there is no composite \(name.quoted)", at: element) }
      for part in group.children where part.name == "attribute" {
        attribute.elements.append(try self.attribute(part, depth: depth + 1))
      }
    }
    attribute.traits.editorAttributes = attributes.rest
    return attribute
  }

  private func relationship(_ element: XMLTree.Element) throws(PropertyListError) -> RelationshipDescription {
    var attributes = SourceAttributes(element, tree)
    var relationship = RelationshipDescription("", to: attributes.take("destinationEntity") ?? "")
    relationship.traits = try traits(element, &attributes)
    relationship.inverse = attributes.text("inverseName")
    // The attribute `inverseEntity` only repeats the destination.
    attributes.remove("inverseEntity")
    let isToMany = try attributes.truth("toMany")
    relationship.minimumCount = try attributes.count("minCount") ?? 0
    relationship.maximumCount = try attributes.count("maxCount") ?? (isToMany ? 0 : 1)
    relationship.isOrdered = try attributes.truth("ordered")
    let name = attributes.take("deletionRule") ?? "Nullify"
    guard let rule = RelationshipDescription.DeleteRule(sourceName: name) else {
      throw tree.error("\(name.quoted) is not a deletion rule", at: element)
    }
    relationship.deleteRule = rule
    relationship.traits.editorAttributes = attributes.rest
    return relationship
  }

  private func fetchedProperty(_ element: XMLTree.Element) throws(PropertyListError) -> FetchedPropertyDescription {
    guard let found = element.children.first(where: { $0.name == "fetchRequest" }) else {
      throw tree.error("a fetched property has no fetchRequest", at: element)
    }
    var attributes = SourceAttributes(element, tree)
    var property = FetchedPropertyDescription("", try request(found))
    property.traits = try traits(element, &attributes)
    property.traits.isTransient = true
    property.traits.isReadOnly = true
    property.traits.editorAttributes = attributes.rest
    return property
  }
}

extension RelationshipDescription.DeleteRule {
  /// The name of the rule in source files.
  var sourceName: String {
    switch self {
    case .noAction: "No Action"
    case .nullify: "Nullify"
    case .cascade: "Cascade"
    case .deny: "Deny"
    }
  }

  fileprivate init?(sourceName: String) {
    guard let rule = Self.allCases.first(where: { $0.sourceName == sourceName }) else { return nil }
    self = rule
  }
}

/// Functions that read values.
extension SourceModelReader {
  private func defaultValue(
    _ type: AttributeType, _ element: XMLTree.Element, _ attributes: inout SourceAttributes
  ) throws(PropertyListError) -> AttributeValue {
    if type == .date, let seconds = attributes.take("defaultDateTimeInterval") {
      guard let seconds = Double(seconds) else {
        throw tree.error("defaultDateTimeInterval must be a number of seconds, not \(seconds.quoted)", at: element)
      }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }
    guard let text = attributes.take("defaultValueString") else { return .null }
    return try value(text, type, element)
  }

  private func value(
    _ text: String, _ type: AttributeType, _ element: XMLTree.Element
  ) throws(PropertyListError) -> AttributeValue {
    guard let value = AttributeValue(sourceText: text, type) else {
      throw tree.error("\(text.quoted) is not a value of type \(type.name)", at: element)
    }
    return value
  }

  /// Returns the limits that have a field in Xcode's editor.
  private func validations(
    _ type: AttributeType, _ element: XMLTree.Element, _ attributes: inout SourceAttributes
  ) throws(PropertyListError) -> [PropertyValidation] {
    var validations: [PropertyValidation] = []
    // The limit of a string is a limit of its length.
    let limitType = type == .string ? AttributeType.integer64 : type
    for limit in SourceLimit.allCases {
      let text: String? =
        switch limit {
        case .pattern: attributes.take("regularExpressionString")
        default: (type == .date ? attributes.take(limit.dateName) : nil) ?? attributes.take(limit.name)
        }
      guard let text else { continue }
      let value =
        if limit == .pattern {
          AttributeValue.string(text)
        } else if type == .date, let seconds = Double(text) {
          AttributeValue.date(Date(timeIntervalSinceReferenceDate: seconds))
        } else {
          try self.value(text, limitType, element)
        }
      validations.append(limit.validation(of: type, value))
    }
    return validations
  }

  private func predicate(_ text: String, _ element: XMLTree.Element) throws(PropertyListError) -> ManagedPredicate {
    do { return try ManagedPredicate(format: text, arguments: []) } catch {
      throw tree.error("the predicate \(text.quoted) is not valid: \(error.description)", at: element)
    }
  }

  private func expression(_ text: String, _ element: XMLTree.Element) throws(PropertyListError) -> ManagedExpression {
    do { return try ManagedExpression(format: text, arguments: []) } catch {
      throw tree.error("the expression \(text.quoted) is not valid: \(error.description)", at: element)
    }
  }

  private func request(_ element: XMLTree.Element) throws(PropertyListError) -> FetchRequest {
    var attributes = SourceAttributes(element, tree)
    var request = FetchRequest(try attributes.required("entity"))
    if let text = attributes.take("predicateString"), !text.isEmpty { request.predicate = try predicate(text, element) }
    request.fetchLimit = try attributes.count("fetchLimit") ?? 0
    request.fetchBatchSize = try attributes.count("fetchBatchSize") ?? 0
    if let number = try attributes.count("resultType") {
      guard let type = FetchRequest.ResultType(rawValue: number) else {
        throw tree.error("\(number) is not a result type", at: element)
      }
      request.resultType = type
    }
    for flag in SourceFlag.all {
      for name in flag.names where attributes.value(name) != nil {
        request[keyPath: flag.path] = try attributes.truth(name)
      }
    }
    return request
  }
}
