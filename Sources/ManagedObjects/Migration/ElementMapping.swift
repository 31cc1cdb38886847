package import ObjectModels
package import Predicates
internal import PropertyLists

/// The origin of an element of a composite attribute in a migration.
package struct ElementMapping: Sendable {
  /// The element of the new model.
  package let element: AttributeDescription
  /// The name of the element of the old model that the new one comes from; nil for an added element.
  package let former: String?
  /// The origins of the elements of a composite element that comes from an old one.
  package let elements: [ElementMapping]

  /// An element that is not composite itself.
  package struct Leaf {
    /// The names of the elements that lead to this one in the new model, and in the old one; `former` is nil for an
    /// added element.
    package let keys: [String]
    package let former: [String]?
    /// The value of objects whose composite value has no value for this element: the default value of a mandatory
    /// element.
    package let other: AttributeValue
  }

  /// The elements that are not composite themselves, in the order of the new model.
  package var leaves: [Leaf] {
    guard element.type == .composite else {
      return [Leaf(keys: [element.name], former: former.map { [$0] }, other: replacement)]
    }
    if let former {
      return elements.flatMap(\.leaves).map { leaf in
        Leaf(keys: [element.name] + leaf.keys, former: leaf.former.map { [former] + $0 }, other: leaf.other)
      }
    }
    return element.elements.flatMap { ElementMapping(element: $0, former: nil, elements: []).leaves }.map { leaf in
      Leaf(keys: [element.name] + leaf.keys, former: nil, other: leaf.other)
    }
  }

  private var replacement: AttributeValue {
    former != nil && element.isOptional ? .null : element.type.normalized(element.defaultValue) ?? .null
  }
}

extension [ElementMapping] {
  /// Returns the value of the new composite attribute for a value of the old one.
  package func migrated(_ value: AttributeValue) -> AttributeValue {
    if value == .null { return .null }
    var new = AttributeValue.null
    for leaf in flatMap(\.leaves) {
      let old = leaf.former.map { value.leaf(at: $0[...]) } ?? .null
      new = new.replacing(leaf.keys[...], with: old == .null ? leaf.other : old)
    }
    return new.withoutEmptyElements
  }
}

extension AttributeValue {
  /// This value, in which composite values without any value are null.
  fileprivate var withoutEmptyElements: AttributeValue {
    guard case .composite(let values) = self else { return self }
    let all = values.mapValues(\.withoutEmptyElements)
    return all.values.allSatisfy { $0 == .null } ? .null : .composite(all)
  }
}

/// Functions that map the elements of composite attributes, by renaming identifiers and names as properties.
extension InferredMapping {
  /// Maps the elements of a new composite attribute to those of an old one, and notes the changes that cannot be
  /// inferred.
  ///
  /// - Parameter path: The path of the composite attribute, beginning with its entity.
  mutating func mapElements(
    _ new: [AttributeDescription], _ old: [AttributeDescription], _ path: String, _ entity: Int
  ) -> [ElementMapping] {
    let match = Match(
      new.map { ($0.name, $0.traits.renamingIdentifier) }, old.map { ($0.name, $0.traits.renamingIdentifier) })
    for (first, second, former) in match.rivals {
      refuse(
        "\("\(path).\(new[first].name)".quoted) and \("\(path).\(new[second].name)".quoted) both come from the element "
          + old[former].name.quoted, [entity])
    }
    var mappings: [ElementMapping] = []
    for (element, index) in zip(new, match.formers) {
      let path = "\(path).\(element.name)"
      let former = index.map { old[$0] }
      if let former, former.type != element.type {
        refuse(
          "the element \(path.quoted) changes from \(former.type.name) to \(element.type.name)", [entity])
      }
      if let former, former.isExternal, !element.isExternal {
        refuse("the element \(path.quoted) does not allow external storage any more", [entity], isOfSQL: true)
      }
      let isNewlyMandatory = !element.isOptional && former?.isOptional != false
      if isNewlyMandatory, element.type != .composite, element.defaultValue == .null {
        refuse(
          former == nil
            ? "the element \(path.quoted) is new and required, but has no default value"
            : "the element \(path.quoted) becomes required, but has no default value", [entity])
      }
      mappings.append(
        ElementMapping(
          element: element, former: former?.name,
          elements: former.map { mapElements(element.elements, $0.elements, path, entity) } ?? []))
    }
    return mappings
  }

  /// Returns the paths of the elements of an old composite attribute that no element of the new model comes from, if
  /// the attribute itself is kept.
  package func droppedElements(
    of attribute: ManagedObjectModel.Entity.Attribute, _ entity: ManagedObjectModel.Entity
  ) -> [[String]] {
    guard attribute.definition.type == .composite, let index = destination(of: entity.index),
      let name = properties[index].first(where: { $0.value == attribute.name })?.key,
      let mappings = elements[index][name]
    else { return [] }
    let kept = Set(mappings.flatMap(\.leaves).compactMap(\.former))
    return attribute.definition.leafPaths.filter { !kept.contains($0) }
  }
}
