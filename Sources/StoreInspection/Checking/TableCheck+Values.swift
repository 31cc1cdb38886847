internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries
internal import SQLiteStore

/// Functions that check attribute values.
extension TableCheck {
  /// A condition for defective values in a column: SQL that is true for them, and the finding to report.
  fileprivate struct Condition {
    let sql: String
    let code: StoreFinding.Code
    let property: String
    let column: Int
    let type: AttributeType?
  }

  /// The maximum number of conditions that one statement checks. SQLite limits the number of result columns and the
  /// depth of expressions.
  private static let conditionsInStatement = 40

  /// Finds values that do not have the type of their attribute, and missing values.
  func checkValues() {
    for table in tables {
      let conditions = entities(table).flatMap { self.conditions($0, table) }
      for start in stride(from: 0, to: conditions.count, by: Self.conditionsInStatement) {
        check(Array(conditions[start..<min(conditions.count, start + Self.conditionsInStatement)]), table)
      }
    }
  }

  private func check(_ conditions: [Condition], _ table: StoreTable) {
    let results = conditions.flatMap { [$0.sql, "t.\(table.columns[$0.column].name.sqlName)"] }
    each(
      "SELECT t.Z_PK, t.Z_ENT, \(results.joined(separator: ", ")) FROM \(table.name.sqlName) t "
        + "WHERE \(conditions.map(\.sql).joined(separator: " OR "))", of: table.name
    ) { row in
      for (index, condition) in conditions.enumerated() {
        let result = Int32(2 + 2 * index)
        guard row.integer(result) != 0 else { continue }
        report(
          condition.code, condition.message(row.value(result + 1)), row, of: table, property: condition.property,
          column: condition.column)
      }
    }
  }

  private func conditions(_ entity: ManagedObjectModel.Entity, _ table: StoreTable) -> [Condition] {
    let rows = entity.superentity == nil ? "" : "t.Z_ENT IN \(numbers(entity.subtree)) AND "
    var conditions: [Condition] = []
    for attribute in entity.ownAttributes where !attribute.isTransient {
      for (path, definition, column) in table.parts(of: attribute, in: entity) where has(table, column) {
        let name = "t.\(table.columns[column].name.sqlName)"
        func add(_ sql: String, _ code: StoreFinding.Code) {
          conditions.append(
            Condition(sql: "(\(rows)(\(sql)))", code: code, property: path, column: column, type: definition.type))
        }
        if let sql = definition.type.mismatch(name) { add(sql, .wrongType) }
        if let sql = definition.type.excess(name) { add(sql, .outOfRange) }
        if definition.isExternal {
          let start = "substr(CAST(\(name) AS BLOB), 1, 1)"
          add(
            "typeof(\(name)) IN ('blob', 'text') AND length(CAST(\(name) AS BLOB)) > 0 "
              + "AND (\(start) NOT IN (x'01', x'02') "
              + "OR \(start) = x'02' AND length(CAST(\(name) AS BLOB)) <> \(ExternalData.sizeOfName))",
            .wrongType)
        }
        if !definition.isOptional, definition.derivation == nil { add("\(name) IS NULL", .missingValue) }
      }
    }
    for relationship in entity.ownRelationships
    where !relationship.isTransient && !relationship.isOptional && !relationship.definition.isToMany {
      guard let column = table.toOneColumns[PropertyName(entity, relationship.name)]?.key, has(table, column) else {
        continue
      }
      conditions.append(
        Condition(
          sql: "(\(rows)(t.\(table.columns[column].name.sqlName) IS NULL))", code: .missingValue,
          property: relationship.name, column: column, type: nil))
    }
    return conditions
  }

  /// Finds values that violate the validation rules of the model, and values of URI attributes that are not URIs.
  func checkRules() {
    let reading = ValueReading(
      database: database, schema: schema, externalData: ExternalData(ofStore: database.file.path))
    for table in tables {
      for entity in entities(table) {
        let rules = ValueRules(entity)
        for attribute in entity.ownAttributes where !attribute.isTransient {
          let type = attribute.definition.type
          guard type == .uri || rules.hasConditions(forSlot: attribute.slot),
            let column = table.attributeColumns[PropertyName(entity, attribute.name)], has(table, column)
          else { continue }
          let name = table.columns[column].name.sqlName
          each(
            "SELECT Z_PK, Z_ENT, \(name) FROM \(table.name.sqlName) WHERE \(name) IS NOT NULL "
              + "AND Z_ENT IN \(numbers(entity.subtree))", of: table.name
          ) { row in
            // `checkExternalFiles` reports an external value that cannot be read.
            let value = try? reading.value(row, 2, type, isExternal: attribute.definition.isExternal)
            var defect: (StoreFinding.Code, String)?
            if let value {
              defect = rules.defect(of: value, inSlot: attribute.slot).map { (.invalidValue, $0) }
            } else if type == .uri, case .text(let text) = row.value(2) {
              defect = (.wrongType, "the text \(text.quoted) is not a URI")
            }
            guard let (code, message) = defect else { return }
            report(code, message, row, of: table, property: attribute.name, column: column)
          }
        }
      }
    }
  }

  /// Finds objects with the same values for a uniqueness constraint.
  func checkConstraints() {
    for table in tables {
      for entity in entities(table) {
        for constraint in entity.definition.uniquenessConstraints {
          let columns = constraint.compactMap { property in
            let name = PropertyName(entity, property)
            return table.attributeColumns[name] ?? table.toOneColumns[name]?.key
          }
          guard !columns.isEmpty, columns.count == constraint.count, columns.allSatisfy({ has(table, $0) }) else {
            continue
          }
          let names = columns.map { table.columns[$0].name.sqlName }
          let conditions = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
          each(
            "SELECT MIN(Z_PK), Z_ENT, COUNT(*) FROM \(table.name.sqlName) WHERE \(conditions) "
              + "AND Z_ENT IN \(numbers(entity.subtree)) GROUP BY \(names.joined(separator: ", ")) "
              + "HAVING COUNT(*) > 1", of: table.name
          ) { row in
            report(
              .duplicateValue, "\(row.integer(2)) objects have the same values",
              row, of: table,
              property: constraint.joined(separator: ", "), column: columns[0])
          }
        }
      }
    }
  }

  /// Finds missing external files, and external files that no object uses.
  func checkExternalFiles() {
    let files = ExternalData(ofStore: database.file.path)
    let names = files.fileNames
    var known: Set<String> = []
    for table in tables {
      for entity in entities(table) {
        for attribute in entity.ownAttributes where !attribute.isTransient {
          for (path, definition, column) in table.parts(of: attribute, in: entity)
          where definition.isExternal && has(table, column) {
            checkFiles(of: path, column, table, entity, files, &known)
          }
        }
      }
    }
    // Files in a folder that several stores share may belong to another store.
    if files.isShared { return }
    for name in names.sorted() where !known.contains(name) {
      log.report(.orphanedExternalFile, "no object uses the external file \(name.printable(limit: 100))")
    }
  }

  /// Checks that the external files that a column names exist.
  ///
  /// - Parameter known: Receives the names of the files that exist, so that the caller can find files that no object
  ///   uses.
  private func checkFiles(
    of property: String, _ column: Int, _ table: StoreTable, _ entity: ManagedObjectModel.Entity,
    _ files: ExternalData, _ known: inout Set<String>
  ) {
    let name = "t.\(table.columns[column].name.sqlName)"
    each(
      "SELECT t.Z_PK, t.Z_ENT, \(name) FROM \(table.name.sqlName) t WHERE t.Z_ENT IN "
        + "\(numbers(entity.subtree)) AND length(CAST(\(name) AS BLOB)) = \(ExternalData.sizeOfName) "
        + "AND \(ExternalData.isInFile(name))", of: table.name
    ) { row in
      let file = ExternalData.fileName(row.data(2))
      if let file, files.has(file) {
        // Only the existence of the file is checked.
        known.insert(file)
        return
      }
      report(
        file == nil ? .wrongType : .missingExternalFile,
        file.map { "the value is in the external file \($0), which is missing" }
          ?? "the value should be in an external file, but has no valid file name", row, of: table, property: property,
        column: column)
    }
  }
}

extension TableCheck.Condition {
  fileprivate func message(_ value: SQLValue) -> String {
    switch code {
    case .missingValue: type == nil ? "the required object is missing" : "the required value is missing"
    case .outOfRange: "\(value.name) is outside the range of the type \(type?.name ?? "")"
    default: "\(value.name) is not a valid value of the type \(type?.name ?? "")"
    }
  }
}

extension AttributeType {
  /// Returns SQL that is true if the value of a column does not have this attribute type; nil if the type allows any
  /// value.
  fileprivate func mismatch(_ column: String) -> String? {
    switch self {
    case .integer16, .integer32, .integer64:
      "typeof(\(column)) NOT IN ('integer', 'null') "
        + "AND NOT (typeof(\(column)) = 'real' AND \(column) = CAST(\(column) AS INTEGER))"
    case .boolean: "typeof(\(column)) NOT IN ('integer', 'null')"
    case .double, .float, .date: "typeof(\(column)) NOT IN ('real', 'integer', 'null')"
    case .decimal:
      "typeof(\(column)) = 'blob' OR typeof(\(column)) = 'real' AND abs(\(column)) > 1.7976931348623157e308 "
        + "OR typeof(\(column)) = 'text' AND (\(column) = '' OR \(column) GLOB '*[^0-9.eE+-]*')"
    case .string, .uri: "typeof(\(column)) NOT IN ('text', 'null')"
    case .uuid: "typeof(\(column)) <> 'null' AND (typeof(\(column)) <> 'blob' OR length(\(column)) <> 16)"
    case .binary, .transformable: "typeof(\(column)) NOT IN ('blob', 'text', 'null')"
    case .undefined, .objectID, .composite: nil
    }
  }

  /// Returns SQL that is true if the value of a column is outside the range of this attribute type; nil for types
  /// without a range.
  fileprivate func excess(_ column: String) -> String? {
    switch self {
    case .boolean: "typeof(\(column)) = 'integer' AND \(column) NOT IN (0, 1)"
    case .integer16, .integer32:
      integers.map {
        "typeof(\(column)) IN ('integer', 'real') AND \(column) NOT BETWEEN \($0.lowerBound) AND \($0.upperBound)"
      }
    default: nil
    }
  }
}
