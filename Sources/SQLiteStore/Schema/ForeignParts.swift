internal import ManagedObjects
internal import SQLQueries

/// The triggers, views and virtual tables of a file that neither Core Data nor this package has created. A save would
/// run such triggers.
///
/// Core Data's triggers are recognized by their SQL, because another program can give any name to its triggers.
package struct ForeignParts {
  private let file: FileSchema
  /// The columns of the derived attributes of the model, as `TABLE.COLUMN` in upper case.
  private let derivedColumns: Set<String>
  /// The triggers that this package creates for the model.
  private let ownStatements: Set<String>

  package init(_ file: FileSchema, _ schema: StoreSchema) {
    self.file = file
    var columns: Set<String> = []
    for entity in schema.model.entities {
      guard let table = schema.table(ofEntity: entity.index) else { continue }
      for attribute in entity.attributes where attribute.definition.derivation != nil {
        guard case .attribute(let column, _, _) = schema.slotColumns[entity.index][attribute.slot] else { continue }
        columns.insert("\(table.name).\(table.columns[column].name)".uppercased())
      }
    }
    derivedColumns = columns
    ownStatements = Set(SchemaStatements(schema: schema).triggers)
  }

  /// The triggers that Core Data has not created.
  var triggers: [FileSchema.Part] { file.triggers.filter { !isOwn($0) } }

  /// The triggers that Core Data has created.
  package var ownTriggers: [FileSchema.Part] { file.triggers.filter(isOwn) }

  /// The messages to show in ``SQLiteStore/writingObstacles``, one for each trigger, view and virtual table.
  package var obstacles: [String] {
    let triggers = triggers.sorted { $0.name < $1.name }.map {
      "the trigger \($0.name.quoted) of the table \($0.table) is not one of Core Data's: allow triggers to save with it"
    }
    let others = file.others.values.filter { !isOwn($0) }.sorted { $0.name < $1.name }.map {
      "the \($0.kind.rawValue) \($0.name.quoted) is not one of Core Data's: allow triggers to save with it"
    }
    return triggers + others
  }

  /// True if a virtual table is an R-tree index of Core Data.
  private func isOwn(_ other: FileSchema.Other) -> Bool {
    var phrase = StatementPhrase(other.statement)
    return other.kind == .virtualTable && other.name.hasPrefix("Z_RT_")
      && phrase.take("CREATE VIRTUAL TABLE $index USING RTREE (") && phrase.takeNames(" ") && phrase.take(")")
      && phrase.isAtEnd
  }

  private func isOwn(_ trigger: FileSchema.Part) -> Bool {
    if ownStatements.contains(trigger.statement) { return true }
    if trigger.name.hasPrefix("Z_RT_") { return keepsIndex(trigger) }
    return trigger.name.hasPrefix("Z_DA_") && keepsDerivedAttribute(trigger)
  }

  /// True if all that a trigger does is keep an R-tree index of Core Data up to date.
  private func keepsIndex(_ trigger: FileSchema.Part) -> Bool {
    var phrase = StatementPhrase(trigger.statement)
    guard phrase.take("CREATE TRIGGER $trigger AFTER") else { return false }
    if phrase.take("UPDATE OF") {
      guard phrase.takeNames(",") else { return false }
    } else if !phrase.take("INSERT"), !phrase.take("UPDATE"), !phrase.take("DELETE") {
      return false
    }
    guard phrase.take("ON $table FOR EACH ROW BEGIN") else { return false }
    if phrase.take("INSERT OR REPLACE INTO $index (") {
      guard phrase.takeNames(","), phrase.take(") VALUES ( NEW . $value") else { return false }
      while phrase.take(", NEW .") { if !phrase.take("#name") { return false } }
      guard phrase.take(")") else { return false }
    } else if !phrase.take("DELETE FROM $index WHERE Z_PK = OLD . Z_PK") {
      return false
    }
    guard phrase.take("; END"), phrase.isAtEnd, let index = phrase.names["$index"] else { return false }
    return file.others[index].map { isOwn($0) } ?? false
  }

  /// True if all that a trigger does is count the objects in a relationship and write the count into the column of a
  /// derived attribute.
  private func keepsDerivedAttribute(_ trigger: FileSchema.Part) -> Bool {
    var phrase = StatementPhrase(trigger.statement)
    guard phrase.take("CREATE TRIGGER $trigger AFTER"),
      phrase.take("INSERT") || phrase.take("DELETE") || phrase.take("UPDATE OF $key"),
      phrase.take("ON $table FOR EACH ROW")
    else { return false }
    _ =
      phrase.take("WHEN ( NEW . $key NOT NULL )") || phrase.take("WHEN ( OLD . $key NOT NULL )")
      || phrase.take("WHEN #number < = NEW . Z_ENT AND NEW . Z_ENT < = #number")
    guard phrase.take("BEGIN UPDATE $owner SET $column ="),
      phrase.take("IFNULL ( $column , 0 ) + 1") || phrase.take("$column + 1") || phrase.take("$column - 1")
        || takeCount(&phrase), takeCondition(&phrase),
      phrase.take("; SELECT NSCOREDATADATRIGGERUPDATEDAFFECTEDOBJECTVALUE")
        || phrase.take("; SELECT NSCOREDATADATRIGGERINSERTUPDATEDAFFECTEDOBJECTVALUE"),
      phrase.take("( \" , Z_ENT , Z_PK , \" , $column ) FROM $owner"), takeCondition(&phrase), phrase.take("; END"),
      phrase.isAtEnd, let owner = phrase.names["$owner"], let column = phrase.names["$column"]
    else { return false }
    return derivedColumns.contains("\(owner).\(column)")
  }

  private func takeCount(_ phrase: inout StatementPhrase) -> Bool {
    guard phrase.take("( SELECT IFNULL ( COUNT ( $counted ) , 0 ) FROM $source WHERE $counted = NEW . Z_PK") else {
      return false
    }
    _ = phrase.take("AND #number < = Z_ENT AND Z_ENT < = #number")
    return phrase.take(")")
  }

  private func takeCondition(_ phrase: inout StatementPhrase) -> Bool {
    guard
      phrase.take("WHERE Z_PK = NEW . Z_PK") || phrase.take("WHERE Z_PK = NEW . $key")
        || phrase.take("WHERE Z_PK = OLD . $key")
    else { return false }
    _ = phrase.take("AND #number < = Z_ENT AND Z_ENT < = #number")
    return true
  }
}

/// The words of an SQL statement, which are compared with phrases from the beginning to the end.
private struct StatementPhrase {
  private var words: ArraySlice<String>
  /// The word that each `$` placeholder has matched in the phrases so far.
  private(set) var names: [String: String] = [:]

  init(_ statement: String) { words = Array(StatementWords(statement))[...] }

  var isAtEnd: Bool { words.isEmpty }

  /// Removes a phrase from the beginning of the rest of the statement. Returns false, and removes nothing, if the rest
  /// does not begin with the phrase. In a phrase, `$x` matches an unquoted name, and must match the same name each time
  /// it occurs; `#name` matches any unquoted name, and `#number` a number.
  mutating func take(_ phrase: String) -> Bool {
    var (rest, found) = (words, names)
    for expected in phrase.split(separator: " ") {
      guard let word = rest.popFirst() else { return false }
      switch expected.first {
      case "$":
        guard Self.isName(word), found.updateValue(word, forKey: String(expected)) ?? word == word else { return false }
      case "#": if expected == "#name" ? !Self.isName(word) : !word.utf8.allSatisfy(Self.isDigit) { return false }
      default: if word != expected { return false }
      }
    }
    (words, names) = (rest, found)
    return true
  }

  /// Removes a list of names that are separated by commas. Returns false if the next token is not a name.
  ///
  /// - Parameter separator: A space if each item of the list may have several words, a comma if it has one.
  mutating func takeNames(_ separator: String) -> Bool {
    guard take("#name") else { return false }
    while take(", #name") || separator == " " && take("#name") {}
    return true
  }

  private static func isName(_ word: String) -> Bool {
    guard let first = word.utf8.first else { return false }
    return first == UInt8(ascii: "_") || (0x41...0x5A).contains(first) || first >= 0x80
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
