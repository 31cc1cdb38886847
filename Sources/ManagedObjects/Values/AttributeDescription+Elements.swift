package import ObjectModels
package import Predicates
internal import PropertyLists

/// The elements of composite attributes, and functions that check and convert the values.
extension AttributeDescription {
  /// The paths of the elements that are not composite themselves, in the order of the model.
  package var leafPaths: [[String]] {
    elements.flatMap { element in
      element.type == .composite ? element.leafPaths.map { [element.name] + $0 } : [[element.name]]
    }
  }

  /// Returns a value converted to the type of the attribute: see ``AttributeType/normalized(_:)``.
  ///
  /// A composite value gets all elements of the attribute; those that it lacks are null. It becomes null if no element
  /// has a value, because a store has no other form for such a value. If the model does not define the elements, the
  /// value stays as it is.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value that the attribute cannot have. The key of the
  ///   error is the name of the attribute, or the path of an element, such as `author.city`.
  /// - Complexity: O(*n*) in the number of elements.
  package func normalized(_ value: AttributeValue) throws(ManagedObjectError) -> AttributeValue {
    try normalized(value, at: traits.name)
  }

  private func normalized(_ value: AttributeValue, at path: String) throws(ManagedObjectError) -> AttributeValue {
    guard let normalized = type.normalized(value) else {
      throw ManagedObjectError(
        .invalidValue, "expected \(type.name), found \(value.kindName)", key: path, value: value)
    }
    guard case .composite(let values) = normalized, !elements.isEmpty else { return normalized }
    var all: [String: AttributeValue] = [:]
    var isEmpty = true
    var knownCount = 0
    for element in elements {
      let value = values[element.name]
      if value != nil { knownCount += 1 }
      let normalized = try element.normalized(value ?? .null, at: "\(path).\(element.name)")
      if normalized != .null { isEmpty = false }
      all[element.name] = normalized
    }
    if knownCount < values.count {
      let unknown = values.keys.filter { all[$0] == nil }.min() ?? ""
      throw ManagedObjectError(
        .invalidValue, "the composite attribute has no element \(unknown.quoted)", key: path, value: value)
    }
    return isEmpty ? .null : .composite(all)
  }

  /// Returns the error for a composite value that lacks the value of a mandatory element; nil if it has them all.
  func missingElement(in value: AttributeValue) -> ManagedObjectError? { missingElement(in: value, at: traits.name) }

  private func missingElement(in value: AttributeValue, at path: String) -> ManagedObjectError? {
    guard case .composite(let values) = value else { return nil }
    for element in elements {
      let value = values[element.name] ?? .null
      let path = "\(path).\(element.name)"
      if value == .null, !element.isOptional {
        return ManagedObjectError(.missingMandatoryProperty, "a value is missing", key: path)
      }
      if let error = element.missingElement(in: value, at: path) { return error }
    }
    return nil
  }
}

extension AttributeValue {
  /// Returns this composite value with another value for the element at a path. Null becomes a composite value with
  /// this element only.
  package func replacing(_ path: ArraySlice<String>, with value: AttributeValue) -> AttributeValue {
    guard let name = path.first else { return value }
    var elements: [String: AttributeValue] = [:]
    if case .composite(let known) = self { elements = known }
    elements[name] = (elements[name] ?? .null).replacing(path.dropFirst(), with: value)
    return .composite(elements)
  }
}
