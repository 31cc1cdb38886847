internal import PropertyLists

extension ManagedObjectModel {
  /// Returns a diagram of the model for Graphviz: a box for each entity with its own attributes, a line for each
  /// relationship together with its inverse, and an arrow from each entity to its superentity.
  ///
  /// ```swift
  /// try model.graph().write(to: url, atomically: true, encoding: .utf8)   // dot -Tsvg model.dot
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of properties.
  public func graph() -> String {
    var lines = [
      "digraph model {", "  graph [rankdir=LR];", "  node [shape=box, fontname=\"Helvetica\"];",
      "  edge [fontname=\"Helvetica\"];",
    ]
    for entity in entities {
      var rows = [entity.name + (entity.isAbstract ? " (abstract)" : "")]
      rows += entity.definition.attributes.sorted { $0.name.precedes($1.name) }.map {
        "\($0.name): \($0.type.name)" + ($0.isOptional ? "?" : "")
      }
      // Each line of the label ends with \l, which aligns it to the left.
      let label = rows.map { Self.escaped($0) + "\\l" }.joined()
      lines.append("  e\(entity.index) [label=\"\(label)\"\(entity.isAbstract ? ", style=dashed" : "")];")
    }
    for entity in entities {
      if let superentity = entity.superentity {
        lines.append("  e\(entity.index) -> e\(superentity.index) [arrowhead=empty];")
      }
      let inherited = entity.superentity?.relationships.count ?? 0
      for relationship in entity.relationships.dropFirst(inherited) { lines += edge(relationship, of: entity) }
    }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  private func edge(_ relationship: Entity.Relationship, of entity: Entity) -> [String] {
    let destination = entity.destination(of: relationship)
    let inverse = entity.inverse(of: relationship)
    let name = relationship.definition.name
    if let inverse {
      // Draws one line for the pair, from the side that comes first.
      let (own, other) = ((entity.index, name), (destination.index, inverse.definition.name))
      let isSecond = other.0 < own.0 || other.0 == own.0 && other.1.precedes(own.1)
      let isInherited = destination.superentity?.relationship(named: inverse.definition.name) != nil
      if isSecond, !isInherited, entity.destination(of: relationship).destination(of: inverse) == entity { return [] }
    }
    let label = Self.escaped(name + (inverse.map { " / \($0.definition.name)" } ?? ""))
    let head = relationship.definition.isToMany ? "crow" : "vee"
    let tail = inverse.map { $0.definition.isToMany ? "crow" : "vee" } ?? "none"
    return [
      "  e\(entity.index) -> e\(destination.index) [label=\"\(label)\", dir=both, arrowhead=\(head), arrowtail=\(tail)];"
    ]
  }

  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    // Escapes scalars, not characters: a quotation mark and a combining mark after it form one character.
    for scalar in text.printable(limit: 200).unicodeScalars {
      if scalar == "\\" || scalar == "\"" { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}
