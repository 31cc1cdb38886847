internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// A namespace for functions that find the reasons why this package cannot save to a store as Core Data would.
package enum WritingObstacles {
  /// Returns messages about the parts of a model that prevent saving: attributes whose storage in Core Data is
  /// unknown, and indexes that need functions of Core Data.
  static func inModel(_ schema: StoreSchema) -> [String] {
    var obstacles: [String] = []
    for entity in schema.model.entities where schema.numbers[entity.index] != 0 {
      for attribute in entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0)
      where !attribute.isTransient {
        let name = "\(entity.name).\(attribute.name)"
        switch attribute.definition.type {
        case .undefined, .objectID: obstacles.append("the attribute \(name) has a type that cannot be stored")
        default: break
        }
      }
      for constraint in entity.definition.uniquenessConstraints {
        for name in constraint where schema.hasSeveralColumns(name, of: entity) {
          obstacles.append(
            "the uniqueness constraint \(constraint.joined(separator: ", ").quoted) of \(entity.name) contains the "
              + "composite attribute \(name), which has several elements")
        }
      }
      for index in entity.definition.fetchIndexes {
        let name = "\(entity.name).\(index.name)"
        if index.elements.contains(where: { $0.kind == .rTree }) { obstacles.append("the index \(name) is an R-tree") }
        if index.elements.contains(where: { $0.content.isExpression }) {
          obstacles.append("the index \(name) contains an expression")
        }
        if index.partialPredicate != nil { obstacles.append("the index \(name) has a predicate") }
      }
    }
    return obstacles
  }

  /// Returns the messages of ``inModel(_:)``, and messages about parts of a model that prevent the creation of a store:
  /// derived attributes whose triggers are not known, and names that two tables or columns would share.
  static func inNewStore(_ schema: StoreSchema) -> [String] {
    var obstacles = inModel(schema)
    for column in DerivedColumn.all(schema) {
      guard let reason = column.obstacle else { continue }
      obstacles.append(
        "the attribute \(column.name) is derived, and Core Data's triggers for it are not known: \(reason)")
    }
    for entity in schema.model.entities where schema.numbers[entity.index] != 0 {
      if entity.name.utf8.contains(0) {
        obstacles.append("the name of the entity \(entity.name.quoted) contains a NUL character")
      }
      for index in entity.definition.fetchIndexes {
        for element in index.elements {
          guard case .property(let name) = element.content, schema.hasSeveralColumns(name, of: entity) else { continue }
          obstacles.append(
            "the index \(entity.name).\(index.name) contains the composite attribute \(name), which has several "
              + "elements")
        }
      }
      for index in entity.definition.fetchIndexes where index.name.utf8.contains(0) {
        obstacles.append("the name of the index \("\(entity.name).\(index.name)".quoted) contains a NUL character")
      }
    }
    var names: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    for name in schema.tables.map(\.name) + schema.joins.map(\.name) where !names.insert(name.asciiUppercased).inserted
    {
      obstacles.append("two tables would have the name \(name.quoted)")
    }
    for table in schema.tables {
      for (name, reason) in table.uncertainComposites.sorted(by: { $0.key.name < $1.key.name }) {
        obstacles.append(
          "the columns of the composite attribute \(name.owner(in: schema.model).name).\(name.name) cannot be "
            + "determined: \(reason)")
      }
      var columns: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
      for column in table.columns where !columns.insert(column.name.asciiUppercased).inserted {
        obstacles.append("two columns of the table \(table.name) would have the name \(column.name.quoted)")
      }
    }
    return obstacles
  }

  /// Returns the messages of ``inModel(_:)``, and messages about parts of a file that a save would not keep correct.
  ///
  /// - Parameters:
  ///   - history: The reasons why the history of the file cannot be continued.
  ///   - triggers: The triggers that a save is allowed to run.
  package static func inFile(
    _ file: FileSchema, _ schema: StoreSchema, history: [String], triggers: [FileSchema.Part]
  ) -> [String] {
    var obstacles = inModel(schema)
    let names = Set(triggers.map(\.name))
    for column in DerivedColumn.all(schema) where !column.isKept(by: names) {
      obstacles.append("no trigger keeps the derived attribute \(column.name) up to date")
    }
    obstacles += history
    for table in schema.tables {
      for column in table.missingColumns.sorted() {
        obstacles.append("the table \(table.name) has no column \(table.columns[column].name)")
      }
    }
    for join in schema.joins where join.first.lacksOrder || join.second.lacksOrder {
      obstacles.append("the table \(join.name) has no column for its order")
    }
    for name in file.others.keys.sorted() where name.hasPrefix("Z") && file.others[name]?.kind == .virtualTable {
      obstacles.append("\(name) is a virtual table")
    }
    let fixed = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    let own = Set(fixed + schema.tables.map { $0.name.uppercased() } + schema.joins.map { $0.name.uppercased() })
    for name in own.sorted() {
      guard let table = file.tables[name] else { continue }
      if !table.computedColumns.isEmpty { obstacles.append("the table \(name) has computed columns") }
      let words = Array(StatementWords(table.statement))
      if words.contains("CHECK") { obstacles.append("the table \(name) has a CHECK constraint") }
      if zip(words, words.dropFirst()).contains(where: { $0 == "DEFAULT" && $1 == "(" }) {
        obstacles.append("the table \(name) has computed default values")
      }
    }
    for index in file.indexes where own.contains(index.table) && index.isComputed {
      obstacles.append("the index \(index.name.quoted) has an expression or a condition")
    }
    return obstacles
  }

  /// Returns an error that lists the first obstacles.
  static func error(_ obstacles: [String], _ path: String) -> ManagedObjectError {
    let shown = obstacles.prefix(5).map { $0.printable(limit: 200) } + (obstacles.count > 5 ? ["…"] : [])
    return ManagedObjectError(
      .save, "\(path) cannot be written as Core Data would write it: " + shown.joined(separator: "; "))
  }
}

extension StoreSchema {
  /// True for a composite attribute with several columns. It is unknown how Core Data indexes such an attribute.
  fileprivate func hasSeveralColumns(_ name: String, of entity: ManagedObjectModel.Entity) -> Bool {
    guard let slot = entity.property(named: name)?.slot, case .composite(let columns) = slotColumns[entity.index][slot]
    else { return false }
    return columns.leaves.count > 1
  }
}

extension FetchIndexDescription.Element.Content {
  fileprivate var isExpression: Bool { if case .expression = self { true } else { false } }
}

extension FileSchema.Part {
  /// True if the index contains expressions, or has a condition (WHERE).
  package var isComputed: Bool {
    let operators: Set = ["IS", "NOT", "CASE", "AND", "OR", "IN", "LIKE", "GLOB", "MATCH", "REGEXP", "BETWEEN", "NULL"]
    var depth = 0
    for word in StatementWords(statement) {
      if word == "WHERE" || depth == 1 && operators.contains(word) { return true }
      if word == ")" { depth -= 1 }
      if word == "(" { depth += 1 }
      // The column list of an index without expressions contains only names, COLLATE, ASC or DESC, and commas.
      if depth > 1 || depth == 1 && !(word == "(" || word == "," || word == "\"" || word.first?.isPartOfName == true) {
        return true
      }
    }
    return false
  }
}

extension Character {
  fileprivate var isPartOfName: Bool { isLetter || self == "_" || !isASCII }
}

extension String {
  /// This string with its ASCII letters in upper case. SQLite compares names in this form.
  fileprivate var asciiUppercased: String {
    String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
  }
}
