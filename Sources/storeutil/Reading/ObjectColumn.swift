import ArgumentParser
import ManagedObjects
import OrderedCollections
import PropertyLists
import ToolSupport

/// A column of printed objects: a property, or a key path.
struct ObjectColumn {
  /// The key for the object ID, as text.
  static let id = "@id"
  /// The key for the name of the entity.
  static let entity = "@entity"
  /// The key for the number of objects in the to-many relationship before it.
  static let count = "@count"

  /// The key path as it was written.
  let name: String
  let keys: [String]

  init(_ name: String) {
    self.name = name
    keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// Parses the columns of `--keys`. Throws if the entity does not have them.
  static func columns(_ list: String, of entity: ManagedObjectModel.Entity) throws -> [ObjectColumn] {
    let columns = try list.split(separator: ",").map { text in
      let column = ObjectColumn(text.trimmingWhitespace)
      try column.check(entity, option: "--keys")
      return column
    }
    if columns.isEmpty { throw ValidationError("--keys needs at least one key.") }
    return columns
  }

  /// Returns columns for all properties of an entity and its subentities, except transient ones.
  ///
  /// - Parameter includesToMany: true to include to-many relationships.
  static func all(of entity: ManagedObjectModel.Entity, includesToMany: Bool) -> [ObjectColumn] {
    var names: OrderedSet = [id, Self.entity]
    for property in entity.selfAndDescendants.lazy.flatMap(\.properties) {
      if case .relationship(let relationship) = property, relationship.definition.isToMany, !includesToMany { continue }
      if !property.isTransient { names.append(property.name) }
    }
    return names.map { ObjectColumn(key: $0) }
  }

  /// Creates a column for one key, which may contain any characters.
  init(key: String) {
    name = key
    keys = [key]
  }

  /// Checks the key path of the column.
  ///
  /// - Parameter option: the name of the option, for messages.
  /// - Throws: `ValidationError` if neither the entity nor its subentities have a key of the path.
  func check(_ entity: ManagedObjectModel.Entity, option: String) throws {
    var entity = entity
    var isToMany = false
    for (index, key) in keys.enumerated() {
      if key == Self.count, isToMany {
        if index + 1 < keys.count { throw ValidationError("\(option): nothing can follow \(key) in \(name.quoted).") }
        return
      }
      if key == Self.id || key == Self.entity {
        if index + 1 < keys.count { throw ValidationError("\(option): nothing can follow \(key) in \(name.quoted).") }
        return
      }
      let property = entity.selfAndDescendants.lazy.compactMap { $0.property(named: key) }.first
      switch property {
      case .attribute(let attribute)? where attribute.type == .composite:
        do { _ = try attribute.definition.element(at: keys[(index + 1)...], in: name) } catch {
          throw ValidationError("\(option): \(error.message)")
        }
        return
      case .attribute? where index + 1 < keys.count:
        throw ValidationError("\(option): \(key.quoted) in \(name.quoted) is an attribute: no key can follow it.")
      case .attribute?: return
      case .relationship(let relationship)?:
        entity = entity.destination(of: relationship)
        isToMany = relationship.definition.isToMany
      case nil: throw ValidationError("\(option): \(Assignment.unknown(key, entity))")
      }
    }
  }
}

extension AttributeDescription {
  /// Returns the element of a composite attribute at a path; the attribute itself for an empty path.
  ///
  /// - Parameters:
  ///   - names: the names of elements, the outermost first.
  ///   - path: the whole path, for messages.
  /// - Throws: `ValidationError` for a name that is not an element.
  func element(at names: ArraySlice<String>, in path: String) throws(ValidationError) -> AttributeDescription {
    var attribute = self
    for key in names {
      guard let element = attribute.elements.first(where: { $0.name == key }) else {
        let names = attribute.elements.map { $0.name.printable() }.joined(separator: ", ")
        throw ValidationError(
          "\(attribute.name.quoted) in \(path.quoted) has no \(key.quoted)"
            + (names.isEmpty ? "; it has no elements." : "; it has \(names)."))
      }
      attribute = element
    }
    return attribute
  }
}

extension ManagedObjectModel.Entity {
  /// Returns the element of a composite attribute at a key path such as `author.city`; nil if the first key is not a
  /// composite attribute.
  ///
  /// - Throws: `ValidationError` if a further key is not an element.
  func element(at path: String) throws(ValidationError) -> AttributeDescription? {
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard keys.count > 1, let attribute = attribute(named: keys[0]), attribute.type == .composite else { return nil }
    return try attribute.definition.element(at: keys.dropFirst(), in: path)
  }
}

extension ManagedObjectModel.Entity.Property {
  /// True if the property is not stored.
  var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.definition.isTransient
    case .relationship(let relationship): relationship.definition.isTransient
    }
  }
}

extension Substring {
  /// The text without leading and trailing white space.
  var trimmingWhitespace: String {
    let start = firstIndex { !$0.isWhitespace } ?? endIndex
    let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? start
    return String(self[start..<end])
  }
}
