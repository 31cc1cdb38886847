internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// The SQL of a history request. `t` is a transaction, and `c` is one of its changes.
///
/// Transactions are read by row ID, which is their number. Changes are read with the index on the transaction number.
/// So SQLite returns rows in order without sorting all of them first. Core Data's tables have no index for entities and
/// objects.
struct HistoryQuery {
  private let request: HistoryRequest
  private let file: FileSchema
  private var transactionConditions: [String] = []
  /// The conditions on changes. Readable changes have a known kind, a known entity and a primary key.
  private var changeConditions: [String] = []
  /// The values of the parameters.
  private(set) var values: [SQLValue] = []
  /// The columns with preserved values of deleted objects (`ZTOMBSTONE0`, …), in the order of their numbers.
  let tombstones: [String]

  /// The index of the first column of a change in the result. The columns before are those of the transaction.
  static let firstChangeColumn: Int32 = 10

  /// - Parameter numbers: The transaction numbers to read.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for an unknown entity, ``ManagedObjectError/Code/invalidState``
  ///   for a token of another store, ``ManagedObjectError/Code/unsupportedRequest`` for a negative limit or an invalid
  ///   date.
  init(
    _ request: HistoryRequest, _ numbers: ClosedRange<Int64>, _ state: StoreState, _ file: FileSchema
  ) throws(ManagedObjectError) {
    self.request = request
    self.file = file
    tombstones = file.tombstoneColumns
    try request.check()
    let identifier = state.metadata.identifier
    transactionConditions = [
      "t.Z_PK BETWEEN \(parameter(.integer(numbers.lowerBound))) AND \(parameter(.integer(numbers.upperBound)))"
    ]
    try add(request.after, ">", firstOrLast: "MIN", identifier)
    try add(request.before, "<", firstOrLast: "MAX", identifier)
    let texts = HistoryTexts.columns(file, prefix: "+t.")
    let names = [request.author, request.contextName, request.bundleIdentifier, request.processName]
    for (index, condition) in names.enumerated() { add(condition, texts[index], texts[index + names.count]) }
    try addChangeConditions(state.schema, identifier)
  }

  /// The statement for the transactions with their changes, in the order of the request, without its limit.
  var selection: String {
    var columns = ["t.Z_PK", "t.ZTIMESTAMP"] + HistoryTexts.columns(file, prefix: "t.")
    if request.includesChanges {
      columns += ["c.ZCHANGETYPE", "c.ZENTITY", "c.ZENTITYPK", "c.ZCOLUMNS"] + tombstones.map { "c.\($0.sqlName)" }
    }
    let order = request.includesChanges ? ", c.Z_PK" : ""
    return "SELECT \(columns.joined(separator: ", ")) \(source) ORDER BY t.Z_PK\(direction)\(order)"
  }

  /// The statement for the number of transactions and the number of their changes.
  var count: String {
    let changes = request.includesChanges ? "COUNT(c.Z_PK)" : "0"
    let limit = request.fetchLimit > 0 ? " LIMIT \(request.fetchLimit)" : ""
    return "SELECT COUNT(*), IFNULL(SUM(n), 0) FROM (SELECT \(changes) AS n \(source) GROUP BY t.Z_PK "
      + "ORDER BY t.Z_PK\(direction)\(limit))"
  }

  private var direction: String { request.isNewestFirst ? " DESC" : "" }

  private var source: String {
    // A cross join also makes SQLite read transactions first.
    let join = request.requiresChanges ? "CROSS JOIN" : "LEFT JOIN"
    let changes =
      request.includesChanges || request.requiresChanges
      ? " \(join) ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK AND \(changeConditions.joined(separator: " AND "))" : ""
    return "FROM ATRANSACTION t\(changes) WHERE \(transactionConditions.joined(separator: " AND "))"
  }

  private mutating func parameter(_ value: SQLValue) -> String {
    values.append(value)
    return "?\(values.count)"
  }

  private mutating func add(
    _ position: HistoryRequest.Position?, _ comparison: String, firstOrLast: String, _ identifier: String
  ) throws(ManagedObjectError) {
    switch position {
    case nil: break
    case .number(let number): transactionConditions.append("t.Z_PK \(comparison) \(parameter(.integer(number)))")
    case .token(let token):
      let number = try token.number(inStore: identifier)
      transactionConditions.append("t.Z_PK \(comparison) \(parameter(.integer(number)))")
    case .date(let date):
      // The index of dates finds the first or last transaction. Between it and the end, the order of the dates can
      // differ from that of the numbers if the clock was changed.
      let date = parameter(.real(date.timeIntervalSinceReferenceDate))
      let end = "(SELECT \(firstOrLast)(+Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP \(comparison) \(date))"
      transactionConditions.append("t.Z_PK \(comparison)= \(end) AND +t.ZTIMESTAMP \(comparison) \(date)")
    }
  }

  /// Adds a condition on a name, which is compared as ``HistoryReading`` returns it.
  private mutating func add(_ condition: HistoryRequest.NameCondition, _ textNumber: String, _ olderText: String) {
    let (names, isNegated) =
      switch condition {
      case .any: (Set<String?>(), true)
      case .oneOf(let names): (names, false)
      case .noneOf(let names): (names, true)
      }
    if names.isEmpty, isNegated { return }
    let list = names.compactMap(\.self).sorted().map { parameter(.text($0)) }.joined(separator: ", ")
    var alternatives = ["\(textNumber) IS NULL AND \(olderText) IN (\(list))"]
    if names.contains(nil) { alternatives.append("\(textNumber) IS NULL AND \(olderText) IS NULL") }
    if file.tables[HistoryTables.texts] != nil {
      alternatives.append("\(textNumber) IN (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME IN (\(list)))")
      if names.contains(nil) { alternatives.append("\(textNumber) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)") }
    }
    transactionConditions.append("(\(alternatives.joined(separator: " OR "))) IS \(isNegated ? "NOT " : "")TRUE")
  }

  private mutating func addChangeConditions(
    _ schema: StoreSchema, _ identifier: String
  ) throws(ManagedObjectError) {
    let kinds = (request.changeKinds ?? [.insert, .update, .delete]).map { "\($0.rawValue)" }.sorted()
    var indices = Set(schema.numbers.indices.filter { schema.numbers[$0] != 0 })
    if let selected = try request.entityIndices(schema.model) { indices.formIntersection(selected) }
    let entities = indices.map { schema.numbers[$0] }.sorted().map(String.init)
    changeConditions = [
      "c.ZCHANGETYPE IN (\(kinds.joined(separator: ", ")))", "c.ZENTITY IN (\(entities.joined(separator: ", ")))",
      "c.ZENTITYPK > 0",
    ]
    guard let ids = request.objectIDs else { return }
    let own = ids.filter { $0.storeIdentifier == identifier && !$0.isTemporary }
    let groups = Dictionary(grouping: own, by: \.entity.name).sorted { $0.key < $1.key }
    let objects = groups.compactMap { name, ids -> String? in
      guard let entity = schema.model.entity(named: name) else { return nil }
      let list = NumberList(ids.map(\.key.number))
      return "c.ZENTITY = \(schema.numbers[entity.index]) AND c.ZENTITYPK \(list.condition(of: parameter(list.value)))"
    }
    changeConditions.append(objects.isEmpty ? "FALSE" : "(\(objects.joined(separator: " OR ")))")
  }
}
