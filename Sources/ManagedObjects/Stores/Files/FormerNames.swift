package import ObjectModels

/// The rule that finds entities and properties of a model in a file that was made with another version of the model.
/// All kinds of stores use it, so that they read the same objects and values.
extension Set<String> {
  /// Returns the name of each item in this set, the names of a file: the name of the item itself if the set contains
  /// it, else its renaming identifier. Nil if the set contains neither.
  ///
  /// ```swift
  /// let file: Set = ["memo", "note"]
  /// file.names(of: [("note", "memo")])                  // ["note"]
  /// file.names(of: [("page", "memo"), ("note", nil)])   // ["memo", "note"]
  /// ```
  ///
  /// A name belongs to one item at most: first to the item that has it, else to the first item that had it.
  package func names(of items: [(name: String, renamingIdentifier: String?)]) -> [String?] {
    var used = Set(items.map(\.name))
    return items.map { name, former in
      if contains(name) { return name }
      guard let former, contains(former), used.insert(former).inserted else { return nil }
      return former
    }
  }

  /// Returns the names of the stored properties of an entity in this set, the names of the properties in a file.
  ///
  /// - Parameter fold: Converts a name to the form that it has in the file.
  /// - Returns: The properties that the file has, with the names in the file.
  package func names(
    ofPropertiesOf entity: ManagedObjectModel.Entity, fold: (String) -> String = { $0 }
  ) -> [(property: ManagedObjectModel.Entity.Property, name: String)] {
    let properties = entity.properties.filter { !$0.isTransient }
    let names = names(of: properties.map { (fold($0.name), $0.renamingIdentifier.map(fold)) })
    return zip(properties, names).compactMap { property, name in name.map { (property, $0) } }
  }
}

extension ManagedObjectModel.Entity.Property {
  /// True if stores do not have the values of the property.
  package var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    }
  }

  package var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    }
  }
}
