import ArgumentParser
import ManagedObjects
import OrderedCollections
import PropertyLists
import ToolSupport

/// A value that is read of objects: a property, or what a key path leads to.
struct ObjectColumn {
  /// The name of the object, as text.
  static let id = "@id"
  /// The name of its entity.
  static let entity = "@entity"
  /// The number of objects of the to-many relationship before it.
  static let count = "@count"

  /// The key path as it was written.
  let name: String
  let keys: [String]

  init(_ name: String) {
    self.name = name
    keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// The columns of `--keys`, which the entity has.
  static func columns(_ list: String, of entity: ManagedObjectModel.Entity) throws -> [ObjectColumn] {
    let columns = try list.split(separator: ",").map { text in
      let column = ObjectColumn(text.trimmingWhitespace)
      try column.check(entity, option: "--keys")
      return column
    }
    if columns.isEmpty { throw ValidationError("--keys names no key.") }
    return columns
  }

  /// All that objects of an entity, and of those that inherit from it, have in the store.
  ///
  /// - Parameter includesToMany: whether to-many relationships are among them.
  static func all(of entity: ManagedObjectModel.Entity, includesToMany: Bool) -> [ObjectColumn] {
    var names: OrderedSet = [id, Self.entity]
    for property in entity.selfAndDescendants.lazy.flatMap(\.properties) {
      if case .relationship(let relationship) = property, relationship.definition.isToMany, !includesToMany { continue }
      if !property.isTransient { names.append(property.name) }
    }
    return names.map { ObjectColumn(key: $0) }
  }

  /// One key, whatever characters it has.
  init(key: String) {
    name = key
    keys = [key]
  }

  /// - Parameter option: the option that has the key path.
  /// - Throws: `ValidationError` for a key that neither the entity nor one that inherits from it has.
  func check(_ entity: ManagedObjectModel.Entity, option: String) throws {
    var entity = entity
    var isToMany = false
    for (index, key) in keys.enumerated() {
      if key == Self.count, isToMany {
        if index + 1 < keys.count { throw ValidationError("\(option): nothing comes after \(key) in \(name.quoted).") }
        return
      }
      if key == Self.id || key == Self.entity {
        if index + 1 < keys.count { throw ValidationError("\(option): nothing comes after \(key) in \(name.quoted).") }
        return
      }
      let property = entity.selfAndDescendants.lazy.compactMap { $0.property(named: key) }.first
      switch property {
      case .attribute(let attribute)? where attribute.type == .composite:
        return try checkLeaf(keys[(index + 1)...], of: attribute.definition, option: option)
      case .attribute? where index + 1 < keys.count:
        throw ValidationError("\(option): \(key.quoted) in \(name.quoted) is an attribute, which leads to no object.")
      case .attribute?: return
      case .relationship(let relationship)?:
        entity = entity.destination(of: relationship)
        isToMany = relationship.definition.isToMany
      case nil: throw ValidationError("\(option): \(Assignment.unknown(key, entity))")
      }
    }
  }

  /// - Throws: `ValidationError` for a name that a composite attribute has no element for.
  private func checkLeaf(_ names: ArraySlice<String>, of composite: AttributeDescription, option: String) throws {
    var attribute = composite
    for key in names {
      guard let element = attribute.elements.first(where: { $0.name == key }) else {
        let names = attribute.elements.map { $0.name.printable() }.joined(separator: ", ")
        throw ValidationError(
          "\(option): \(attribute.name.quoted) in \(name.quoted) has no \(key.quoted)"
            + (names.isEmpty ? "; it has no parts." : "; it has \(names)."))
      }
      attribute = element
    }
  }
}

extension ManagedObjectModel.Entity.Property {
  /// Whether no store has it.
  var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.definition.isTransient
    case .relationship(let relationship): relationship.definition.isTransient
    }
  }
}

extension Substring {
  /// The text without white space around it.
  var trimmingWhitespace: String {
    let start = firstIndex { !$0.isWhitespace } ?? endIndex
    let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? start
    return String(self[start..<end])
  }
}
