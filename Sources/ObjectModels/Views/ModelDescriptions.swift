internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists

/// The model as readable text.
extension ManagedObjectModel: CustomStringConvertible {
  /// An outline with a line for each entity and, below it, a line for each of its own properties:
  ///
  /// ```
  /// entity Note
  ///   author -> Person, inverse notes, on deletion nullify, optional
  ///   title: String, default "Untitled"
  /// entity Person
  ///   name: String, optional
  ///   notes ->> Note, inverse author, on deletion cascade, optional
  /// ```
  public var description: String {
    var lines: [String] = []
    if !versionIdentifiers.isEmpty {
      lines.append("version " + versionIdentifiers.map(\.quoted).joined(separator: ", "))
    }
    for entity in entities { entity.definition.outline(into: &lines) }
    for (name, members) in configurations {
      lines.append("configuration \(name.printable()): " + members.map { $0.printable() }.joined(separator: ", "))
    }
    for (name, request) in fetchRequestTemplates {
      lines.append("fetch request \(name.printable()): \(request.outline)")
    }
    return lines.joined(separator: "\n")
  }
}

extension EntityDescription {
  fileprivate func outline(into lines: inout [String]) {
    var line = (isAbstract ? "abstract entity " : "entity ") + name.printable()
    if let superentity { line += " < \(superentity.printable())" }
    if let className, className != name { line += ", class \(className.printable())" }
    if let renamingIdentifier { line += ", was \(renamingIdentifier.printable())" }
    lines.append(line)
    for property in properties.sorted(by: { $0.name.precedes($1.name) }) { lines.append("  " + property.outline) }
    for names in uniquenessConstraints { lines.append("  unique (\(Self.list(names)))") }
    for index in fetchIndexes {
      let parts = index.elements.map { element in
        switch element.content {
        case .property(let name): name.printable() + (element.isAscending ? "" : " descending")
        case .expression(let expression): "\(expression)".printable(limit: 200)
        }
      }
      lines.append("  index \(index.name.printable()) (\(parts.joined(separator: ", ")))")
    }
  }

  private static func list(_ names: [String]) -> String { names.map { $0.printable() }.joined(separator: ", ") }
}

extension PropertyDescription {
  fileprivate var outline: String {
    var parts: [String] = []
    switch self {
    case .attribute(let attribute):
      parts.append("\(attribute.name.printable()): \(attribute.typeOutline)")
      if let name = attribute.valueClassName { parts.append("class \(name.printable())") }
      if attribute.defaultValue != .null {
        parts.append("default " + (attribute.defaultValue.sourceText(attribute.type)?.quoted ?? "data"))
      }
      if let derivation = attribute.derivation { parts.append("derived \("\(derivation.expression)".quoted)") }
      if attribute.allowsExternalBinaryDataStorage { parts.append("external") }
    case .relationship(let relationship):
      let arrow = relationship.isToMany ? (relationship.isOrdered ? "->> ordered" : "->>") : "->"
      parts.append("\(relationship.name.printable()) \(arrow) \(relationship.destination.printable())")
      if let inverse = relationship.inverse { parts.append("inverse \(inverse.printable())") }
      parts.append("on deletion \(relationship.deleteRule.sourceName.lowercased())")
      if relationship.minimumCount > 0 { parts.append("at least \(relationship.minimumCount)") }
      if relationship.maximumCount > 1 { parts.append("at most \(relationship.maximumCount)") }
    case .fetched(let property): parts.append("\(property.name.printable()) = fetch \(property.request.outline)")
    }
    if traits.isOptional { parts.append("optional") }
    if traits.isTransient { parts.append("transient") }
    if let name = traits.renamingIdentifier { parts.append("was \(name.printable())") }
    for validation in traits.validations { parts.append("valid if \("\(validation.predicate)".quoted)") }
    return parts.joined(separator: ", ")
  }
}

extension AttributeDescription {
  /// The name of the type. A composite attribute also lists its elements: `Composite (city: String, id: UUID)`.
  fileprivate var typeOutline: String {
    if elements.isEmpty { return type.name }
    return type.name + " (" + elements.map { "\($0.name.printable()): \($0.typeOutline)" }.joined(separator: ", ") + ")"
  }
}

extension FetchRequest {
  fileprivate var outline: String {
    entityName.printable() + (predicate.map { " where \("\($0)".printable(limit: 500))" } ?? "")
  }
}
