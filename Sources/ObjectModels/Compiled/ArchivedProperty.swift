internal import FoundationEssentials
internal import KeyedArchiving
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// `NSPropertyDescription`. Archives contain only its subclasses.
class ArchivedProperty: ArchivedModelObject, ArchivedForm {
  class var archivedClass: ArchivedClass { ArchivedClass("NSPropertyDescription") }

  /// The classes of the properties of an entity.
  static let types: [any SecureCoding.Type] = [
    ArchivedAttribute.self, ArchivedDerivedAttribute.self, ArchivedCompositeAttribute.self, ArchivedRelationship.self,
    ArchivedFetchedProperty.self, ArchivedPropertyProxy.self,
  ]

  let traits: PropertyTraits
  var entity: ArchivedEntity?

  init(_ traits: PropertyTraits) { self.traits = traits }

  required init(coder: KeyedUnarchiver) throws {
    let name = try coder.decode(String.self, forKey: "NSPropertyName")
    var traits = PropertyTraits(name: name, isOptional: try coder.flag("NSIsOptional"))
    traits.isTransient = try coder.flag("NSIsTransient")
    traits.isReadOnly = try coder.flag("NSIsReadOnly")
    traits.isIndexed = try coder.flag("NSIsIndexed")
    traits.isIndexedBySpotlight = try coder.flag("NSIndexedBySpotlight")
    let predicates = try coder.decodePredicates(forKey: "NSValidationPredicates")
    let warnings = try coder.decodeIfPresent([ArchivedValue].self, forKey: "NSValidationWarnings") ?? []
    traits.validations = predicates.enumerated().map { index, predicate in
      PropertyValidation(predicate, warning: index < warnings.count ? Self.warning(warnings[index]) : nil)
    }
    traits.userInfo = PropertyList.userInfo(try coder.decodeUserInfo())
    let renaming = try coder.decodeIfPresent(String.self, forKey: "NSRenamingIdentifier")
    traits.renamingIdentifier = renaming == name ? nil : renaming
    traits.versionHashModifier = try coder.decodeIfPresent(String.self, forKey: "NSVersionHashModifier")
    self.traits = traits
    super.init()
    coder.publish(self)
  }

  private static func warning(_ value: ArchivedValue) -> PropertyValidation.Warning? {
    switch value {
    case .string(let text): .text(text)
    case .integer(let code): Int(exactly: code).map { .code($0) }
    default: nil
    }
  }

  /// The bits of the key `_P`, which repeats the values of other keys. The meaning of each bit was found by comparing
  /// `_P` with these keys in thousands of properties.
  private struct Summary: OptionSet {
    let rawValue: Int

    static let always = Summary(rawValue: 1)
    static let isOptional = Summary(rawValue: 2)
    static let isReadOnly = Summary(rawValue: 4)
    static let isTransient = Summary(rawValue: 8)
    static let noPredicates = Summary(rawValue: 16)
    static let noWarnings = Summary(rawValue: 32)
    static let noUserInfo = Summary(rawValue: 64)
    static let noVersionHashModifier = Summary(rawValue: 128)
    static let isIndexedBySpotlight = Summary(rawValue: 256)
    static let isOrdered = Summary(rawValue: 1024)
  }

  /// The description of the property; nil for an ``ArchivedPropertyProxy`` without a property.
  var description: PropertyDescription? { nil }

  /// The property itself; for an ``ArchivedPropertyProxy``, the property that it represents.
  var underlying: ArchivedProperty? { self }

  var isOrdered: Bool { false }

  private var summary: Summary {
    var summary = Summary.always
    if traits.isOptional { summary.insert(.isOptional) }
    if traits.isReadOnly { summary.insert(.isReadOnly) }
    if traits.isTransient { summary.insert(.isTransient) }
    if traits.validations.isEmpty { summary.formUnion([.noPredicates, .noWarnings]) }
    if traits.userInfo.isEmpty { summary.insert(.noUserInfo) }
    if traits.versionHashModifier == nil { summary.insert(.noVersionHashModifier) }
    if traits.isIndexedBySpotlight { summary.insert(.isIndexedBySpotlight) }
    if isOrdered { summary.insert(.isOrdered) }
    return summary
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(summary.rawValue, forKey: "_P")
    try coder.encode(traits.name, forKey: "NSPropertyName")
    try coder.encode(entity, forKey: "NSEntity")
    try coder.encode(traits.renamingIdentifier ?? traits.name, forKey: "NSRenamingIdentifier")
    try coder.encode(flag: traits.isOptional, forKey: "NSIsOptional")
    try coder.encode(flag: traits.isTransient, forKey: "NSIsTransient")
    try coder.encode(flag: traits.isReadOnly, forKey: "NSIsReadOnly")
    try coder.encode(flag: traits.isIndexed, forKey: "NSIsIndexed")
    try coder.encode(flag: traits.isIndexedBySpotlight, forKey: "NSIndexedBySpotlight")
    if !traits.validations.isEmpty {
      try coder.encode(traits.validations.map(\.predicate), forKey: "NSValidationPredicates")
      let warnings = traits.validations.map { validation -> ArchivedValue in
        switch validation.warning {
        case .text(let text): .string(text)
        case .code(let code): .integer(PropertyList.Integer(code))
        case nil: .null
        }
      }
      try coder.encode(warnings, forKey: "NSValidationWarnings")
    }
    if !traits.userInfo.isEmpty { try coder.encode(traits.userInfo.archived, forKey: "NSUserInfo") }
    if let modifier = traits.versionHashModifier { try coder.encode(modifier, forKey: "NSVersionHashModifier") }
  }
}

extension KeyedUnarchiver {
  /// Decodes a flag that archives contain only if it is true. Returns false if the key is missing.
  fileprivate func flag(_ key: String) throws -> Bool { try decodeIfPresent(Bool.self, forKey: key) ?? false }
}

extension KeyedArchiver {
  fileprivate func encode(flag: Bool, forKey key: String) throws {
    if flag { try encode(true, forKey: key) }
  }
}

/// `NSAttributeDescription`.
class ArchivedAttribute: ArchivedProperty {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSAttributeDescription", superclass: super.archivedClass)
  }

  let attribute: AttributeDescription
  /// True if the attribute is an element of a composite attribute.
  fileprivate var isElement = false

  /// The bit of `NSFlagsKey` for ``AttributeDescription/allowsExternalBinaryDataStorage``.
  private static let externalBinary = 4
  /// The bit of `NSFlagsKey` for ``AttributeDescription/preservesValueInHistoryOnDeletion``.
  private static let preservesOnDeletion = 16

  init(_ attribute: AttributeDescription) {
    self.attribute = attribute
    super.init(attribute.traits)
  }

  required init(coder: KeyedUnarchiver) throws {
    let number = try coder.decode(Int.self, forKey: "NSAttributeType")
    guard let type = AttributeType(rawValue: number) else {
      throw coder.failure(.invalidContents, "\(number) is not an attribute type")
    }
    var attribute = AttributeDescription("", type)
    let className = try coder.decodeIfPresent(String.self, forKey: "NSAttributeValueClassName")
    attribute.valueClassName = className == type.valueClassName ? nil : className
    attribute.valueTransformerName = try coder.decodeIfPresent(String.self, forKey: "NSValueTransformerName")
    let flags = try coder.decodeIfPresent(Int.self, forKey: "NSFlagsKey") ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & Self.externalBinary != 0
    attribute.preservesValueInHistoryOnDeletion = flags & Self.preservesOnDeletion != 0
    attribute.otherArchivedFlags = flags & ~(Self.externalBinary | Self.preservesOnDeletion)
    let value = try coder.decodeIfPresent(ArchivedValue.self, forKey: "NSDefaultValue") ?? .null
    attribute.defaultValue = try AttributeValue(value, for: attribute)
    try Self.complete(&attribute, coder)
    self.attribute = attribute
    try super.init(coder: coder)
  }

  /// Returns the attribute as an object of its archived class.
  static func archived(_ attribute: AttributeDescription) -> ArchivedAttribute {
    if attribute.type == .composite { return ArchivedCompositeAttribute(attribute) }
    return attribute.derivation == nil ? ArchivedAttribute(attribute) : ArchivedDerivedAttribute(attribute)
  }

  /// Decodes the values that only a subclass has, and adds them to `attribute`.
  class func complete(_ attribute: inout AttributeDescription, _ coder: KeyedUnarchiver) throws {}

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try coder.encode(attribute.type.rawValue, forKey: "NSAttributeType")
    try coder.encode(attribute.valueClassName ?? attribute.type.valueClassName, forKey: "NSAttributeValueClassName")
    try coder.encode(attribute.defaultValue.archived(for: attribute), forKey: "NSDefaultValue")
    try coder.encode(attribute.valueTransformerName, forKey: "NSValueTransformerName")
    let flags =
      (attribute.allowsExternalBinaryDataStorage ? Self.externalBinary : 0)
      | (attribute.preservesValueInHistoryOnDeletion ? Self.preservesOnDeletion : 0)
    try coder.encode(flags | attribute.otherArchivedFlags, forKey: "NSFlagsKey")
  }

  override var description: PropertyDescription? {
    var attribute = attribute
    attribute.traits = traits
    return .attribute(attribute)
  }
}

/// `NSDerivedAttributeDescription`.
final class ArchivedDerivedAttribute: ArchivedAttribute {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSDerivedAttributeDescription", superclass: super.archivedClass)
  }

  override class func complete(_ attribute: inout AttributeDescription, _ coder: KeyedUnarchiver) throws {
    guard let expression = try coder.decodeExpressionIfPresent(forKey: "NSDerivationExpression") else { return }
    attribute.derivation = AttributeDescription.Derivation(
      expression, filter: try coder.decodePredicateIfPresent(forKey: "NSFilteringPredicate"))
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try coder.encode(attribute.derivation?.expression, forKey: "NSDerivationExpression")
    try coder.encode(attribute.derivation?.filter, forKey: "NSFilteringPredicate")
  }
}

/// `NSCompositeAttributeDescription`.
final class ArchivedCompositeAttribute: ArchivedAttribute {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSCompositeAttributeDescription", superclass: super.archivedClass)
  }

  private var elements: [ArchivedAttribute] = []

  override init(_ attribute: AttributeDescription) {
    super.init(attribute)
    elements = attribute.elements.map(ArchivedAttribute.archived)
  }

  /// The maximum depth of nested composite attributes. Models with deeper ones are rejected.
  private static let greatestDepth = 16

  required init(coder: KeyedUnarchiver) throws {
    try super.init(coder: coder)
    let decoded =
      try coder.decodeIfPresent([ArchivedProperty].self, of: Self.elementTypes, forKey: "NSCompositeElements") ?? []
    for case let element as ArchivedAttribute in decoded {
      // An attribute can be an element of one attribute only. Otherwise, a small archive could describe a huge model.
      if element.isElement {
        throw coder.failure(.invalidContents, "an attribute is an element of two composite attributes")
      }
      element.isElement = true
      elements.append(element)
    }
  }

  private static let elementTypes: [any SecureCoding.Type] = [
    ArchivedAttribute.self, ArchivedDerivedAttribute.self, ArchivedCompositeAttribute.self,
  ]

  override var entity: ArchivedEntity? { didSet { for element in elements { element.entity = entity } } }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try coder.encode(elements, forKey: "NSCompositeElements")
  }

  override var description: PropertyDescription? { .attribute(described(depth: 0)) }

  /// Returns the description, without elements below the maximum depth: in a damaged archive, an attribute can be an
  /// element of itself.
  private func described(depth: Int) -> AttributeDescription {
    var described = attribute
    described.traits = traits
    guard depth <= Self.greatestDepth else { return described }
    described.elements = elements.compactMap { element in
      if let composite = element as? ArchivedCompositeAttribute { return composite.described(depth: depth + 1) }
      guard case .attribute(let attribute)? = element.description else { return nil }
      return attribute
    }
    return described
  }
}

/// `NSRelationshipDescription`.
final class ArchivedRelationship: ArchivedProperty {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSRelationshipDescription", superclass: super.archivedClass)
  }

  let relationship: RelationshipDescription
  private(set) var destination: ArchivedEntity?
  private(set) var inverse: ArchivedProperty?

  init(_ relationship: RelationshipDescription) {
    self.relationship = relationship
    super.init(relationship.traits)
  }

  func lead(to destination: ArchivedEntity?, inverse: ArchivedProperty?) {
    self.destination = destination
    self.inverse = inverse
  }

  required init(coder: KeyedUnarchiver) throws {
    let destination = try coder.decodeIfPresent(String.self, forKey: "_NSDestinationEntityName")
    var relationship = RelationshipDescription("", to: destination ?? "")
    relationship.inverse = try coder.decodeIfPresent(String.self, forKey: "_NSInverseRelationshipName")
    relationship.minimumCount = try coder.decodeIfPresent(Int.self, forKey: "NSMinCount") ?? 0
    relationship.maximumCount = try coder.decodeIfPresent(Int.self, forKey: "NSMaxCount") ?? 1
    relationship.isOrdered = try coder.decodeIfPresent(Bool.self, forKey: "NSIsOrdered") ?? false
    let number = try coder.decodeIfPresent(Int.self, forKey: "NSDeleteRule") ?? 0
    guard let rule = RelationshipDescription.DeleteRule(rawValue: number) else {
      throw coder.failure(.invalidContents, "\(number) is not a delete rule")
    }
    relationship.deleteRule = rule
    self.relationship = relationship
    try super.init(coder: coder)
    // Archives that lack the names of the destination and the inverse contain the entity and the property themselves.
    if destination == nil {
      self.destination = try coder.decodeIfPresent(ArchivedEntity.self, forKey: "NSDestinationEntity")
    }
    if relationship.inverse == nil {
      inverse = try coder.decodeIfPresent(
        ArchivedProperty.self, of: [ArchivedRelationship.self, ArchivedPropertyProxy.self],
        forKey: "NSInverseRelationship")
    }
  }

  override var isOrdered: Bool { relationship.isOrdered }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try coder.encode(destination, forKey: "NSDestinationEntity")
    try coder.encode(relationship.destination, forKey: "_NSDestinationEntityName")
    try coder.encode(inverse, forKey: "NSInverseRelationship")
    try coder.encode(relationship.inverse, forKey: "_NSInverseRelationshipName")
    try coder.encode(relationship.minimumCount, forKey: "NSMinCount")
    try coder.encode(relationship.maximumCount, forKey: "NSMaxCount")
    try coder.encode(relationship.deleteRule.rawValue, forKey: "NSDeleteRule")
    if relationship.isOrdered { try coder.encode(true, forKey: "NSIsOrdered") }
  }

  override var description: PropertyDescription? {
    var relationship = relationship
    relationship.traits = traits
    if let destination { relationship.destination = destination.name }
    if let inverse { relationship.inverse = inverse.underlying?.traits.name }
    return .relationship(relationship)
  }
}

/// `NSFetchedPropertyDescription`.
final class ArchivedFetchedProperty: ArchivedProperty {
  override class var archivedClass: ArchivedClass {
    ArchivedClass("NSFetchedPropertyDescription", superclass: super.archivedClass)
  }

  private(set) var request: ArchivedFetchRequest?
  private let entityName: String

  init(_ property: FetchedPropertyDescription, _ request: ArchivedFetchRequest) {
    self.request = request
    entityName = property.request.entityName
    super.init(property.traits)
  }

  required init(coder: KeyedUnarchiver) throws {
    entityName = try coder.decodeIfPresent(String.self, forKey: "_NSFetchRequestEntityName") ?? ""
    try super.init(coder: coder)
    request = try coder.decodeIfPresent(ArchivedFetchRequest.self, forKey: "NSFetchRequest")
  }

  override func encode(with coder: KeyedArchiver) throws {
    try super.encode(with: coder)
    try coder.encode(request, forKey: "NSFetchRequest")
    try coder.encode(entityName, forKey: "_NSFetchRequestEntityName")
  }

  override var description: PropertyDescription? {
    var request = request?.description ?? FetchRequest(entityName)
    if request.entityName.isEmpty { request.entityName = entityName }
    var property = FetchedPropertyDescription("", request)
    property.traits = traits
    return .fetched(property)
  }
}

/// `_NSPropertyDescriptionProxy`: a placeholder for an inherited property, in the models that SQLite stores contain.
final class ArchivedPropertyProxy: ArchivedProperty {
  override class var archivedClass: ArchivedClass { ArchivedClass("_NSPropertyDescriptionProxy") }

  private var original: ArchivedProperty?

  required init(coder: KeyedUnarchiver) throws {
    super.init(PropertyTraits(name: ""))
    coder.publish(self)
    original = try coder.decodeIfPresent(
      ArchivedProperty.self, of: ArchivedProperty.types, forKey: "NSUnderlyingProperty")
  }

  override var underlying: ArchivedProperty? {
    // Follows at most 16 proxies, because proxies can refer to each other in a cycle.
    var property = original
    for _ in 0..<16 {
      guard let proxy = property as? ArchivedPropertyProxy else { return property }
      property = proxy.original
    }
    return nil
  }

  override var description: PropertyDescription? { underlying?.description }
}
