internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Functions that write statements for the settings that a declaration does not express.
extension SwiftClass {
  private mutating func set(_ target: String, _ setting: String, _ value: String) {
    add(statement: "\(target).\(setting) = \(value)")
  }

  /// Adds a statement for each setting of an attribute that its declaration does not express.
  ///
  /// - Parameters:
  ///   - target: The code of the description that is changed.
  ///   - made: The description that the declaration creates.
  ///   - location: The name of the attribute, or the path of an element of a composite attribute.
  mutating func set(
    _ target: String, _ attribute: AttributeDescription, from made: AttributeDescription, location: String
  ) {
    set(target, attribute.traits, from: made.traits, location)
    if attribute.defaultValue != made.defaultValue {
      set(target, "defaultValue", code.literal(attribute.defaultValue))
    }
    if let name = attribute.valueClassName { set(target, "valueClassName", code.literal(name)) }
    if let name = attribute.valueTransformerName { set(target, "valueTransformerName", code.literal(name)) }
    if attribute.allowsExternalBinaryDataStorage != made.allowsExternalBinaryDataStorage {
      if attribute.type == .binary {
        set(target, "allowsExternalBinaryDataStorage", "true")
      } else {
        leaveOut("external storage is left out, because a model of classes allows it only for binary data", location)
      }
    }
    if attribute.preservesValueInHistoryOnDeletion != made.preservesValueInHistoryOnDeletion {
      set(target, "preservesValueInHistoryOnDeletion", "true")
    }
    if attribute.allowsCloudEncryption != made.allowsCloudEncryption { set(target, "allowsCloudEncryption", "true") }
    if attribute.derivation != made.derivation { set(target, attribute.derivation, location) }
    if let name = attribute.compositeName { set(target, "compositeName", code.literal(name)) }
    if attribute.otherArchivedFlags != 0 {
      leaveOut("flags of the compiled model whose meaning is not known are left out", location)
    }
    if attribute.elements.isEmpty { return }
    let type = code.names.type("AttributeDescription")
    let elements = attribute.elements.map { element in
      "\(type)(\(code.literal(element.name)), .\(element.type)\(element.isOptional ? "" : ", isOptional: false"))"
    }
    set(target, "elements", "[\(elements.joined(separator: ", "))]")
    for (index, element) in attribute.elements.enumerated() {
      set(
        "\(target).elements[\(index)]", element,
        from: AttributeDescription(element.name, element.type, isOptional: element.isOptional),
        location: "\(location).\(element.name)")
    }
  }

  private mutating func set(_ target: String, _ derivation: AttributeDescription.Derivation?, _ location: String) {
    guard let derivation else { return }
    guard let text = code.text(derivation.expression) else {
      return leaveOut("the derivation is left out, because its expression has no text", location)
    }
    var value = ".init(try! \(code.names.type("ManagedExpression"))(format: \(text))"
    if let filter = derivation.filter {
      guard let text = code.text(filter) else {
        return leaveOut("the derivation is left out, because its filter has no text", location)
      }
      value += ", filter: \(SwiftSettings.predicate(text, code))"
    }
    set(target, "derivation", value + ")")
  }

  private mutating func set(_ target: String, _ traits: PropertyTraits, from made: PropertyTraits, _ location: String) {
    let flags: [(String, KeyPath<PropertyTraits, Bool>)] = [
      ("isOptional", \.isOptional), ("isTransient", \.isTransient), ("isReadOnly", \.isReadOnly),
      ("isIndexed", \.isIndexed), ("isIndexedBySpotlight", \.isIndexedBySpotlight),
    ]
    for (name, flag) in flags where traits[keyPath: flag] != made[keyPath: flag] {
      set(target, name, "\(traits[keyPath: flag])")
    }
    for validation in traits.validations.dropFirst(made.validations.count) {
      guard let predicate = code.text(validation.predicate) else {
        leaveOut("a validation is left out, because its predicate has no text", location)
        continue
      }
      var value = "\(code.names.type("PropertyValidation"))(\(SwiftSettings.predicate(predicate, code))"
      switch validation.warning {
      case .text(let text): value += ", warning: .text(\(code.literal(text)))"
      case .code(let number): value += ", warning: .code(\(number))"
      case nil: break
      }
      add(statement: "\(target).validations.append(\(value)))")
    }
    if traits.userInfo != made.userInfo { set(target, "userInfo", code.literal(traits.userInfo)) }
    if traits.renamingIdentifier != made.renamingIdentifier, let name = traits.renamingIdentifier {
      set(target, "renamingIdentifier", code.literal(name))
    }
    if traits.versionHashModifier != made.versionHashModifier, let modifier = traits.versionHashModifier {
      set(target, "versionHashModifier", code.literal(modifier))
    }
  }

  mutating func set(_ relationship: RelationshipDescription, from made: RelationshipDescription) {
    let target = "entity[relationship: \(code.literal(relationship.name))]?"
    set(target, relationship.traits, from: made.traits, relationship.name)
    if relationship.inverse != made.inverse, let inverse = relationship.inverse {
      if ManagedObjectModel.isReserved(inverse) {
        leaveOut(
          "the inverse \(inverse.quoted) is left out, because a model of classes cannot have it", relationship.name)
      } else {
        set(target, "inverse", code.literal(inverse))
      }
    }
    if relationship.minimumCount != made.minimumCount { set(target, "minimumCount", "\(relationship.minimumCount)") }
    if relationship.maximumCount != made.maximumCount { set(target, "maximumCount", "\(relationship.maximumCount)") }
    if relationship.deleteRule != made.deleteRule { set(target, "deleteRule", ".\(relationship.deleteRule)") }
    guard relationship.isOrdered else { return }
    if !relationship.isToMany {
      leaveOut(
        "the order is left out, because a model of classes cannot have ordered to-one relationships", relationship.name)
    } else if !made.isOrdered {
      set(target, "isOrdered", "true")
    }
  }

  mutating func set(
    _ target: String, _ property: FetchedPropertyDescription, from made: FetchedPropertyDescription, _ name: String
  ) {
    set(target, property.traits, from: made.traits, name)
    var settings = SwiftSettings(code: code)
    settings.set(target + ".request", property.request, from: made.request, tries: "try!")
    code = settings.code
    for statement in settings.statements { add(statement: statement) }
    for message in settings.notes { leaveOut(message, name) }
  }
}

/// The statements for the settings of fetch requests.
struct SwiftSettings {
  var code: SwiftCode
  private(set) var statements: [String] = []
  /// Messages about the parts that Swift code cannot express.
  private(set) var notes: [String] = []

  init(code: SwiftCode) { self.code = code }

  static func predicate(_ text: String, _ code: SwiftCode, tries: String = "try!") -> String {
    "\(tries) \(code.names.type("ManagedPredicate"))(format: \(text))"
  }

  /// Returns the declaration of a variable for a request, and adds statements for the settings that the initializer
  /// does not have.
  mutating func declaration(_ variable: String, _ request: FetchRequest) -> String {
    var made = FetchRequest(request.entityName)
    var arguments = [code.literal(request.entityName)]
    if let predicate = request.predicate, let text = code.text(predicate) {
      arguments.append("where: \(Self.predicate(text, code, tries: "try"))")
      made.predicate = predicate
    }
    if !request.sortDescriptors.isEmpty {
      arguments.append("sortedBy: \(Self.literal(request.sortDescriptors, code))")
      made.sortDescriptors = Self.plain(request.sortDescriptors)
    }
    set(variable, request, from: made, tries: "try")
    return "\(statements.isEmpty ? "let" : "var") \(variable) = "
      + "\(code.names.type("FetchRequest"))(\(arguments.joined(separator: ", ")))"
  }

  /// Adds a statement for each setting of a request that its initializer does not set.
  ///
  /// - Parameter tries: `try!` in a function that does not throw, otherwise `try`.
  mutating func set(_ target: String, _ request: FetchRequest, from made: FetchRequest, tries: String) {
    func set(_ setting: String, _ value: String) { statements.append("\(target).\(setting) = \(value)") }
    let predicates: [(String, KeyPath<FetchRequest, ManagedPredicate?>)] = [
      ("predicate", \.predicate), ("havingPredicate", \.havingPredicate),
    ]
    for (name, path) in predicates where request[keyPath: path] != made[keyPath: path] {
      if let predicate = request[keyPath: path] {
        if let text = code.text(predicate) {
          set(name, Self.predicate(text, code, tries: tries))
        } else {
          notes.append("the predicate of the request is left out, because it has no text")
        }
      } else {
        set(name, "nil")
      }
    }
    if request.sortDescriptors != made.sortDescriptors {
      if made.sortDescriptors.isEmpty { set("sortDescriptors", Self.literal(request.sortDescriptors, code)) }
      for (index, key) in request.sortDescriptors.enumerated() where key.reversesNullOrder {
        set("sortDescriptors[\(index)].reversesNullOrder", "true")
      }
    }
    let numbers: [(String, KeyPath<FetchRequest, Int>)] = [
      ("fetchLimit", \.fetchLimit), ("fetchOffset", \.fetchOffset), ("fetchBatchSize", \.fetchBatchSize),
    ]
    for (name, path) in numbers where request[keyPath: path] != made[keyPath: path] {
      set(name, "\(request[keyPath: path])")
    }
    if request.resultType != made.resultType { set("resultType", ".\(request.resultType)") }
    let flags: [(String, KeyPath<FetchRequest, Bool>)] = [
      ("includesSubentities", \.includesSubentities), ("includesPropertyValues", \.includesPropertyValues),
      ("includesPendingChanges", \.includesPendingChanges), ("returnsObjectsAsFaults", \.returnsObjectsAsFaults),
      ("returnsDistinctResults", \.returnsDistinctResults), ("refreshesRefetchedObjects", \.refreshesRefetchedObjects),
    ]
    for (name, path) in flags where request[keyPath: path] != made[keyPath: path] {
      set(name, "\(request[keyPath: path])")
    }
    if let values = request.propertiesToFetch { set("propertiesToFetch", literal(values, tries)) }
    if let values = request.propertiesToGroupBy { set("propertiesToGroupBy", literal(values, tries)) }
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      set("relationshipKeyPathsForPrefetching", code.literal(request.relationshipKeyPathsForPrefetching))
    }
    if let stores = request.affectedStores {
      set("affectedStores", code.literal(stores.sorted { $0.precedes($1) }))
    }
    if request.otherArchivedFlags != 0 {
      notes.append("flags of the request in the compiled model whose meaning is not known are left out")
    }
  }

  private mutating func literal(_ values: [FetchRequest.FetchedValue], _ tries: String) -> String {
    var elements: [String] = []
    for value in values {
      switch value {
      case .property(let path): elements.append(".property(\(code.literal(path)))")
      case .expression(let name, let expression, let type):
        guard let text = code.text(expression) else {
          notes.append("the fetched expression \(name.quoted) is left out, because it has no text")
          continue
        }
        let made = "\(tries) \(code.names.type("ManagedExpression"))(format: \(text))"
        elements.append(".expression(name: \(code.literal(name)), \(made), type: .\(type))")
      }
    }
    return "[\(elements.joined(separator: ", "))]"
  }

  /// Returns sort descriptors as ``literal(_:_:)`` writes them.
  static func plain(_ keys: [FetchRequest.SortDescriptor]) -> [FetchRequest.SortDescriptor] {
    keys.map { key in
      var key = key
      key.reversesNullOrder = false
      return key
    }
  }

  static func literal(_ keys: [FetchRequest.SortDescriptor], _ code: SwiftCode) -> String {
    let keys = keys.map { key in
      var text = ".init(" + (key.keyPath.map { code.literal($0) } ?? "nil")
      if !key.isAscending { text += ", isAscending: false" }
      switch key.comparison {
      case .compare: break
      case .other(let name): text += ", comparison: .other(\(code.literal(name)))"
      case let comparison: text += ", comparison: .\(comparison)"
      }
      return text + ")"
    }
    return "[\(keys.joined(separator: ", "))]"
  }
}
