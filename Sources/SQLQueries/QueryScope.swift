internal import ObjectModels

/// The FROM and WHERE clauses of a statement or a subquery, while it is created: a first table, joins, and conditions.
final class QueryScope {
  let dialect: any SQLDialect
  /// The first table, with a join table if it needs one.
  private let first: String
  private var joins: [String] = []
  /// The objects of to-one relationships that have been joined, by the column that refers to them.
  private var known: [String: ObjectAlias] = [:]
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

  /// Returns the object that a column refers to. The first call for a column calls `make`, which joins the object.
  func object(at column: String, _ make: () throws(Untranslatable) -> ObjectAlias) throws(Untranslatable) -> ObjectAlias
  {
    if let object = known[column] { return object }
    let object = try make()
    known[column] = object
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
  /// The indices of the entities that the object can have.
  let entities: Range<Int>
  /// False if the object can be missing, so that its columns are NULL.
  let isThere: Bool
  /// The column that refers to the object, if a to-one relationship leads to it; otherwise nil.
  let key: String?
  /// SQL for the entity number of the object if it was deleted but a to-one relationship still refers to it; nil if the
  /// object always has a row.
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

/// A value in a statement: the value of an attribute, or a computed one.
struct ValueTerm {
  let sql: String
  let type: AttributeType
  var isExternal = false
  /// True if the SQL is a column, so that it may have an index.
  var isColumn = true
  /// False if the object that has the value can be missing, so that the value is NULL.
  var isThere = true
  /// The name of the attribute and the index of its entity in the model; nil for a computed value.
  var attribute: (entityIndex: Int, name: String)?
}

/// A collection in a statement: a subquery for the objects of a to-many relationship, or for a value of each object.
struct CollectionTerm {
  let scope: QueryScope
  /// The object that has the to-many relationship.
  let owner: ObjectAlias
  /// An object in the to-many relationship, before the rest of the key path is followed.
  let element: ObjectAlias
  /// The object or value that the rest of the key path leads to from each element.
  var content: Content
  /// True for a set: the objects of an unordered relationship.
  var isSet: Bool
  /// SQL terms that sort the elements; nil if their order is unknown.
  let order: String?
  /// True if the owner can be missing, so that the collection is null.
  var isNullable: Bool
  /// True if the key path has several to-many relationships, whose objects are in one flat collection.
  var isFlattened = false

  enum Content {
    case object(ObjectAlias)
    case value(ValueTerm)
    /// The entity of each object, or its name.
    case entity(EntityTerm)

    /// The operand for one element.
    var operand: QueryOperand {
      switch self {
      case .object(let object): .object(object)
      case .value(let value): .value(value)
      case .entity(let term): .entity(term)
      }
    }
  }
}
