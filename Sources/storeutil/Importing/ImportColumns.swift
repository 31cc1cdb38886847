import ArgumentParser
import ManagedObjects
import ToolSupport

/// The argument of `--map`, which assigns a column to a property: `COLUMN=PROPERTY`.
struct ColumnMapping: ExpressibleByArgument {
  let column: String
  let property: String

  init?(argument: String) {
    // The name of a column may contain an equals sign; that of a property cannot.
    guard let equals = argument.lastIndex(of: "="), equals != argument.startIndex else { return nil }
    column = String(argument[..<equals])
    property = String(argument[argument.index(after: equals)...])
    if property.isEmpty { return nil }
  }
}

/// The assignment of a file's columns to properties.
struct ImportColumns {
  /// The content of a column, and the property that it is for.
  enum Use: Hashable {
    case ignored
    /// The ID of the object.
    case id
    /// The name of the object's entity.
    case entity
    case attribute(String)
    /// The key path of an element of a composite attribute.
    case element(String)
    /// The IDs of the objects that a relationship refers to.
    case relationship(String)
    /// The values of an attribute of the objects that a relationship refers to.
    case lookup(String, attribute: String)

    /// The name of the property, `@id` or `@entity`; nil for an ignored column.
    var property: String? {
      switch self {
      case .ignored: nil
      case .id: ObjectColumn.id
      case .entity: ObjectColumn.entity
      case .attribute(let name), .element(let name), .relationship(let name), .lookup(let name, _): name
      }
    }
  }

  private let entity: ManagedObjectModel.Entity
  private let mappings: [String: String]
  private let ignored: Set<String>
  private var uses: [String: Use] = [:]

  /// Determines the use of each column.
  ///
  /// - Parameter entity: the entity of the objects. Objects of its subentities are possible too.
  init(_ entity: ManagedObjectModel.Entity, _ mappings: [ColumnMapping], ignored: [String]) throws(ValidationError) {
    self.entity = entity
    var properties: [String: String] = [:]
    for mapping in mappings where properties.updateValue(mapping.property, forKey: mapping.column) != nil {
      throw ValidationError("--map names the column \(mapping.column.quoted) twice.")
    }
    self.mappings = properties
    self.ignored = Set(ignored)
    if let column = ignored.first(where: { properties[$0] != nil }) {
      throw ValidationError("--map and --ignore name the same column, \(column.quoted).")
    }
  }

  /// The columns of `--map` that no record had.
  var missingColumns: [String] { mappings.keys.filter { uses[$0] == nil }.sorted() }

  /// Returns the use of a column: the property that its values are assigned to, or its other meaning.
  ///
  /// - Throws: `ValidationError` for a column whose property the entity does not have.
  mutating func use(of column: String) throws(ValidationError) -> Use {
    if let use = uses[column] { return use }
    let use = try findUse(of: column)
    uses[column] = use
    return use
  }

  private func findUse(of column: String) throws(ValidationError) -> Use {
    if ignored.contains(column) { return .ignored }
    let path = mappings[column] ?? column
    if path == ObjectColumn.id { return .id }
    if path == ObjectColumn.entity { return .entity }
    let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    switch Self.property(parts[0], of: entity) {
    case .attribute(let attribute)?:
      if attribute.isTransient { throw Self.transient(path) }
      if parts.count > 1, attribute.type == .composite {
        _ = try attribute.definition.element(at: parts.dropFirst(), in: path)
        return .element(path)
      }
      if parts.count > 1 { throw ValidationError("\(path.quoted): \(parts[0].quoted) is not a relationship") }
      return .attribute(parts[0])
    case .relationship(let relationship)?:
      if relationship.isTransient { throw Self.transient(path) }
      if parts.count == 1 { return .relationship(parts[0]) }
      let destination = entity.destination(of: relationship)
      guard parts.count == 2 else {
        throw ValidationError("\(path.quoted): expected a relationship and one attribute after it")
      }
      if parts[1] == ObjectColumn.id { return .relationship(parts[0]) }
      guard case .attribute(let attribute)? = Self.property(parts[1], of: destination),
        !attribute.isTransient, attribute.type != .composite
      else {
        throw ValidationError(
          "\(path.quoted): \(destination.name.printable()) has no attribute \(parts[1].quoted) to find objects by")
      }
      return .lookup(parts[0], attribute: parts[1])
    case nil:
      let hint =
        mappings[column] == nil
        ? " --map \(column.printable(limit: 80))=PROPERTY names its property, and --ignore leaves the column out." : ""
      throw ValidationError("column \(column.quoted): " + Assignment.unknown(path, entity) + hint)
    }
  }

  private static func transient(_ path: String) -> ValidationError {
    ValidationError("\(path.quoted) is transient: stores do not contain its values")
  }

  /// Returns a property of an entity or of one of its subentities.
  private static func property(
    _ name: String, of entity: ManagedObjectModel.Entity
  ) -> ManagedObjectModel.Entity.Property? {
    entity.selfAndDescendants.lazy.compactMap { $0.property(named: name) }.first
  }
}
