internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// The kind of an expression's values, as far as it is known without evaluating the expression. All kinds include null.
indirect enum PredicateKind: Hashable, Sendable {
  /// Any value: the kind is unknown.
  case anything
  case null
  /// An integer or a Boolean.
  case integer
  case number
  case string
  case date
  case data
  case uuid
  case url
  /// An object of the entity with this index in the model, or of a subentity.
  case object(Int)
  case collection(PredicateKind, isOrdered: Bool)
  case dictionary
  /// The value of a composite attribute with these elements.
  case composite([AttributeDescription])
  /// The entity of an object.
  case entity
  /// A value without properties or elements, which can be compared only with other opaque values.
  case opaque
  /// One of several unrelated kinds.
  case mixed

  init(_ type: AttributeType) {
    self =
      switch type {
      case .integer16, .integer32, .integer64, .boolean: .integer
      case .decimal, .double, .float: .number
      case .string: .string
      case .date: .date
      case .binary: .data
      case .uuid: .uuid
      case .uri: .url
      case .composite: .dictionary
      case .undefined, .transformable, .objectID: .anything
      }
  }

  init(_ attribute: AttributeDescription) {
    // The model may not define the elements.
    if attribute.type == .composite, !attribute.elements.isEmpty {
      self = .composite(attribute.elements)
    } else {
      self.init(attribute.type)
    }
  }

  init(_ property: ManagedObjectModel.Entity.Property) {
    switch property {
    case .attribute(let attribute): self.init(attribute.definition)
    case .relationship(let relationship):
      let object = PredicateKind.object(relationship.destinationIndex)
      self = relationship.isToMany ? .collection(object, isOrdered: relationship.isOrdered) : object
    }
  }

  init(_ value: AttributeValue) {
    self =
      switch value {
      case .null: .null
      case .boolean, .integer: .integer
      case .decimal, .double, .float: .number
      case .string: .string
      case .date: .date
      case .data: .data
      case .uuid: .uuid
      case .url: .url
      case .composite: .dictionary
      }
  }

  init(_ constant: PredicateConstant, _ model: ManagedObjectModel) {
    switch constant {
    case .value(let value): self.init(value)
    case .array(let elements): self = .collection(Self.joined(elements, model), isOrdered: true)
    case .set(let elements): self = .collection(Self.joined(elements, model), isOrdered: false)
    case .dictionary: self = .dictionary
    case .object(let key):
      let index = Int(key.entityIndex)
      self = model.records.indices.contains(index) ? .object(index) : .anything
    case .opaque: self = .opaque
    }
  }

  private static func joined(_ elements: some Sequence<PredicateConstant>, _ model: ManagedObjectModel) -> Self {
    var kind = PredicateKind.null
    for element in elements { kind = kind.joined(PredicateKind(element, model), model) }
    return kind
  }

  /// Returns the most specific kind that includes both this kind and `other`; `mixed` if they have nothing in common.
  func joined(_ other: PredicateKind, _ model: ManagedObjectModel) -> PredicateKind {
    switch (self, other) {
    case (_, _) where self == other: return self
    case (.anything, _), (_, .anything): return .anything
    case (.null, _): return other
    case (_, .null): return self
    case (.integer, .number), (.number, .integer): return .number
    case (.object(let first), .object(let second)):
      if model.isEntity(second, kindOf: first) { return self }
      return model.isEntity(first, kindOf: second) ? other : .mixed
    case (.collection(let first, let isOrdered), .collection(let second, let otherIsOrdered)):
      return .collection(first.joined(second, model), isOrdered: isOrdered && otherIsOrdered)
    default: return .mixed
    }
  }

  /// True if values of the two kinds can be equal.
  func canEqual(_ other: PredicateKind, _ model: ManagedObjectModel) -> Bool {
    switch (self, other) {
    case (.anything, _), (_, .anything), (.null, _), (_, .null), (.mixed, _), (_, .mixed): true
    case (.integer, .number), (.number, .integer): true
    // An entity as a constant is a dictionary.
    case (.entity, .dictionary), (.dictionary, .entity): true
    case (.composite, .dictionary), (.dictionary, .composite), (.composite, .composite): true
    case (.object(let first), .object(let second)):
      model.isEntity(second, kindOf: first) || model.isEntity(first, kindOf: second)
    case (.collection(let first, _), .collection(let second, _)): first.canEqual(second, model)
    default: self == other
    }
  }

  /// True if predicates can compare a value of this kind with a value of `other` by `<` or `>`.
  func hasOrder(to other: PredicateKind) -> Bool {
    switch (self, other) {
    case (.anything, _): other.isOrdered
    case (_, .anything): isOrdered
    case (.null, _): other.isOrdered
    case (_, .null): isOrdered
    default: isOrdered && other.isOrdered && (self == other || isNumber && other.isNumber)
    }
  }

  /// True if predicates can compare values of this kind by `<` or `>`.
  var isOrdered: Bool {
    switch self {
    case .object, .collection, .dictionary, .composite, .entity, .opaque, .mixed: false
    default: true
    }
  }

  /// True if the values may be numbers.
  var isNumber: Bool { [.integer, .number, .null, .anything].contains(self) }

  /// True if the values may be strings.
  var isString: Bool { [.string, .null, .anything].contains(self) }

  /// The kind of the elements; nil if the values are not collections.
  var elements: PredicateKind? {
    switch self {
    case .collection(let element, _): element
    case .anything: .anything
    case .null: .null
    default: nil
    }
  }

  /// Returns the kind's name for messages.
  func name(_ model: ManagedObjectModel) -> String {
    switch self {
    case .anything: "a value"
    case .null: "null"
    case .integer, .number: "a number"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .object(let index): "an object of \(model.records[index].definition.name.quoted)"
    case .collection: "a collection"
    case .dictionary: "a dictionary"
    case .composite: "a composite value"
    case .entity: "an entity"
    case .opaque: "an opaque object"
    case .mixed: "a value of one of several kinds"
    }
  }
}

extension ManagedObjectModel {
  /// Returns true if the entity with an index is the entity `other`, or inherits from it.
  fileprivate func isEntity(_ index: Int, kindOf other: Int) -> Bool {
    Entity(model: self, index: index).isKind(of: Entity(model: self, index: other))
  }
}
