internal import ObjectModels

/// The tables of a statement or of a part of one: a first one, and those that are joined to it.
final class QueryScope {
  let dialect: any SQLDialect
  /// The first table, with what it needs to be there.
  private let first: String
  private var joins: [String] = []
  /// The objects that were joined, by the column that leads to them.
  private var known: [String: ObjectAlias] = [:]
  private(set) var conditions: [String]

  init(_ first: String, _ conditions: [String], _ dialect: any SQLDialect) {
    self.first = first
    self.dialect = dialect
    self.conditions = conditions
  }

  /// `FROM … WHERE …`, without the first word if there is no condition.
  func clause(_ more: [String] = []) -> String {
    let all = conditions + more.filter { $0 != dialect.holds }
    return "FROM \(([first] + joins).joined(separator: " "))"
      + (all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))")
  }

  func add(_ condition: String) { conditions.append(condition) }

  func join(_ sql: String) { joins.append(sql) }

  /// The object that a column leads to; it is joined once.
  func object(at column: String, _ make: () throws(Untranslatable) -> ObjectAlias) throws(Untranslatable) -> ObjectAlias
  {
    if let object = known[column] { return object }
    let object = try make()
    known[column] = object
    return object
  }
}

/// A part of a request that no statement can say exactly.
struct Untranslatable: Error {}

/// An object in a statement: a row of a table under an alias.
struct ObjectAlias {
  let scope: QueryScope
  let alias: String
  let table: ObjectTable
  /// The entities that it can be of.
  let entities: Range<Int>
  /// False if there may be none: its columns are null then.
  let isThere: Bool
  /// The column that has its number, beside its own; of a table that is read before.
  let key: String?
  /// The number of the entity of a deleted object that is still referred to; nil for an object that has a row.
  var deletedEntity: String?

  var number: String { "\(alias).\(table.numberColumn)" }
  var entity: String { "\(alias).\(table.entityColumn)" }

  /// The number of the object, which may be a deleted one that a to-one relationship goes on referring to.
  var reference: String { key ?? number }

  /// The number of the entity of the object, which may be a deleted one.
  var referredEntity: String {
    guard let deletedEntity else { return entity }
    let dialect = scope.dialect
    return dialect.choice(dialect.isNotNull(reference), dialect.ifNull(entity, deletedEntity), dialect.null)
  }

  func column(_ index: Int) -> String { "\(alias).\(scope.dialect.name(table.columns[index].name))" }
}

/// A value in a statement that attributes have.
struct ValueTerm {
  let sql: String
  let type: AttributeType
  var isExternal = false
  /// True if it is a column, which an index can have.
  var isColumn = true
  /// False if there may be no object that has it.
  var isThere = true
  /// The name of the attribute, and the index of its entity in the model.
  var attribute: (entityIndex: Int, name: String)?
}

/// Objects that a to-many relationship leads to, or the values of a key of each.
struct CollectionTerm {
  let scope: QueryScope
  /// The object that has the relationship.
  let owner: ObjectAlias
  /// One of the objects at the beginning.
  let element: ObjectAlias
  /// The part of each element that is collected.
  var content: Content
  /// True for a set, which objects of a relationship without an order are.
  var isSet: Bool
  /// The order of the elements; nil if it is not known.
  let order: String?
  /// True if there is no collection where there is nobody who has it.
  var isNullable: Bool
  /// True if collections of collections became one.
  var isFlattened = false

  enum Content {
    case object(ObjectAlias)
    case value(ValueTerm)
  }
}
