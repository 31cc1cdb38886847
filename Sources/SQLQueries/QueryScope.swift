internal import ObjectModels

/// The tables of a statement or a subquery: a first one, and those joined to it.
final class QueryScope {
  let dialect: any SQLDialect
  /// The first table, with the joins that it requires.
  private let first: String
  private var joins: [String] = []
  /// The joined objects, by the column that refers to them.
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

  /// Returns the object that a column refers to. Each object is joined once.
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

/// An object in a statement: a table with an alias.
struct ObjectAlias {
  let scope: QueryScope
  let alias: String
  let table: ObjectTable
  /// The entities that the object can have.
  let entities: Range<Int>
  /// False if the object can be missing, so that its columns are NULL.
  let isThere: Bool
  /// The column of another table that refers to the object; nil for an object found otherwise.
  let key: String?
  /// SQL for the entity number of a deleted object that is still referred to; nil if the object always has a row.
  var deletedEntity: String?

  var number: String { "\(alias).\(table.numberColumn)" }
  var entity: String { "\(alias).\(table.entityColumn)" }

  /// SQL for the primary key of the object. It can be that of a deleted object that a to-one relationship still refers
  /// to.
  var reference: String { key ?? number }

  /// SQL for the entity number of the object, which may have been deleted.
  var referredEntity: String {
    guard let deletedEntity else { return entity }
    let dialect = scope.dialect
    return dialect.choice(dialect.isNotNull(reference), dialect.ifNull(entity, deletedEntity), dialect.null)
  }

  func column(_ index: Int) -> String { "\(alias).\(scope.dialect.name(table.columns[index].name))" }
}

/// The value of an attribute, or another value, in a statement.
struct ValueTerm {
  let sql: String
  let type: AttributeType
  var isExternal = false
  /// True if the SQL is a column, so that it may have an index.
  var isColumn = true
  /// False if the object with the value can be missing.
  var isThere = true
  /// The name of the attribute and the index of its entity in the model; nil for a computed value.
  var attribute: (entityIndex: Int, name: String)?
}

/// The objects of a to-many relationship, or the values of a key of each.
struct CollectionTerm {
  let scope: QueryScope
  /// The object with the relationship.
  let owner: ObjectAlias
  /// An object of the relationship, before further keys are followed.
  let element: ObjectAlias
  /// The collected part of each element.
  var content: Content
  /// True for a set: the objects of an unordered relationship.
  var isSet: Bool
  /// The order of the elements as SQL; nil if it is unknown.
  let order: String?
  /// True if the collection is null when its owner is missing.
  var isNullable: Bool
  /// True if nested collections were flattened.
  var isFlattened = false

  enum Content {
    case object(ObjectAlias)
    case value(ValueTerm)
  }
}
