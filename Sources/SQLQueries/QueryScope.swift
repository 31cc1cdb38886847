internal import ObjectModels

/// The FROM and WHERE clauses of a statement or a subquery, while it is created: a first table, joins, and conditions.
final class QueryScope {
  let dialect: any SQLDialect
  /// SQL for the first table, joined to a join table if necessary.
  private let first: String
  private var joins: [String] = []
  /// The joined objects of to-one relationships, by the column that refers to the object.
  private var known: [String: JoinedObject] = [:]

  /// An ``ObjectAlias`` without its scope, which would never be released if it retained itself.
  private struct JoinedObject {
    let alias: String
    let table: ObjectTable
    let entities: Range<Int>
    let isThere: Bool
    let key: String?
    let deletedEntity: String?
  }
  private(set) var conditions: [String]

  init(_ first: String, _ conditions: [String], _ dialect: any SQLDialect) {
    self.first = first
    self.dialect = dialect
    self.conditions = conditions
  }

  /// Returns `FROM … WHERE …`, or only `FROM …` without conditions.
  func clause(_ more: [String] = []) -> String {
    let all = conditions + more.filter { $0 != dialect.holds }
    return "FROM \(([first] + joins).joined(separator: " "))"
      + (all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))")
  }

  func add(_ condition: String) { conditions.append(condition) }

  func join(_ sql: String) { joins.append(sql) }

  /// Returns the object that a column refers to. The first call for a column joins the object by calling `make`, which
  /// must return an object of this scope.
  func object(at column: String, _ make: () throws(Untranslatable) -> ObjectAlias) throws(Untranslatable) -> ObjectAlias
  {
    if let object = known[column] {
      return ObjectAlias(
        scope: self, alias: object.alias, table: object.table, entities: object.entities, isThere: object.isThere,
        key: object.key, deletedEntity: object.deletedEntity)
    }
    let object = try make()
    known[column] = JoinedObject(
      alias: object.alias, table: object.table, entities: object.entities, isThere: object.isThere, key: object.key,
      deletedEntity: object.deletedEntity)
    return object
  }
}

/// Thrown for a part of a request that cannot be expressed exactly in SQL.
struct Untranslatable: Error {}

/// An object in a statement, represented by the alias of a table.
struct ObjectAlias {
  let scope: QueryScope
  let alias: String
  let table: ObjectTable
  /// The indices of the possible entities of the object.
  let entities: Range<Int>
  /// False if the object can be missing, so that its columns are NULL.
  let isThere: Bool
  /// The column that refers to the object; nil if no to-one relationship leads to the object.
  let key: String?
  /// SQL for the entity number of the object if it was deleted, but a to-one relationship still refers to it. Nil if
  /// the object cannot be deleted.
  var deletedEntity: String?

  var number: String { "\(alias).\(table.numberColumn)" }
  var entity: String { "\(alias).\(table.entityColumn)" }

  /// SQL for the primary key of the object, even if the object was deleted and a to-one relationship still refers to
  /// it.
  var reference: String { key ?? number }

  /// SQL for the entity number of the object, even if the object was deleted and a to-one relationship still refers to
  /// it.
  var referredEntity: String {
    guard let deletedEntity else { return entity }
    let dialect = scope.dialect
    return dialect.choice(dialect.isNotNull(reference), dialect.ifNull(entity, deletedEntity), dialect.null)
  }

  func column(_ index: Int) -> String { "\(alias).\(scope.dialect.name(table.columns[index].name))" }
}

/// A value in a statement: the value of an attribute, or a computed value.
struct ValueTerm {
  let sql: String
  let type: AttributeType
  var isExternal = false
  /// True if the SQL is a column, so that it may have an index.
  var isColumn = true
  /// False if the object that has the value can be missing. The value is then NULL.
  var isThere = true
  /// The name of the attribute and the index of its entity in the model; nil for a computed value.
  var attribute: (entityIndex: Int, name: String)?
}

/// The value of a composite attribute of an object in a statement, or of an element that is composite itself.
struct CompositeTerm {
  let object: ObjectAlias
  let columns: CompositeColumns
}

/// A collection in a statement: a subquery for the objects of a to-many relationship, or for one value of each of these
/// objects.
struct CollectionTerm {
  let scope: QueryScope
  /// The object that has the to-many relationship.
  let owner: ObjectAlias
  /// One object of the to-many relationship. The rest of the key path starts at it.
  let element: ObjectAlias
  /// The object or value at the end of the key path that starts at ``element``.
  var content: Content
  /// True for a set: the objects of an unordered relationship.
  var isSet: Bool
  /// SQL terms that sort the elements; nil if their order is unknown.
  let order: String?
  /// True if the owner can be missing. The collection is null then.
  var isNullable: Bool
  /// True if the key path follows several to-many relationships. All objects are then in one flat collection.
  var isFlattened = false

  enum Content {
    case object(ObjectAlias)
    case value(ValueTerm)
    case composite(CompositeTerm)
    /// The entity of each object, or a part of the entity, such as its name.
    case entity(EntityTerm)

    /// The operand for one element of the collection.
    var operand: QueryOperand {
      switch self {
      case .object(let object): .object(object)
      case .value(let value): .value(value)
      case .composite(let term): .composite(term)
      case .entity(let term): .entity(term)
      }
    }
  }
}
