package import ManagedObjects
internal import PropertyLists

/// Reads the entity numbers that a file assigns in `Z_PRIMARYKEY`, and matches them with the entities of a model.
package struct EntityNumbers {
  /// The lowest number that Core Data uses for its own tables, such as those of the history. The entities of a model
  /// have lower numbers.
  static let firstPrivateNumber: Int64 = 16_000

  private let model: ManagedObjectModel
  private let database: Database
  /// The number of each entity, by its index in the model; 0 if the file does not have the entity.
  private var numbers: [Int64]
  /// The number of each entity's superentity in the file, by the index of the entity in the model.
  private var parents: [Int64]
  /// A function that is called for each mismatch with the model; nil to throw instead.
  private let report: ((String) -> Void)?
  /// A function that is called for each entity that has another name in the file, with the entity and that name.
  private let reportName: ((ManagedObjectModel.Entity, String) -> Void)?

  /// Returns the number of each entity, by its index in the model; 0 if the file does not have the entity.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the entities of the file do not match the model.
  static func read(
    _ model: ManagedObjectModel, _ configuration: String?, _ database: Database
  ) throws(ManagedObjectError) -> [Int64] {
    try read(model, configuration, database, report: nil)
  }

  /// Returns the number of each entity, by its index in the model; 0 if the file does not have the entity. Mismatches
  /// with the model can be reported instead of thrown.
  ///
  /// - Parameters:
  ///   - report: Called for each mismatch with the model; nil to throw instead.
  ///   - reportName: Called for each entity whose name in the file is neither its name nor its renaming identifier,
  ///     with that name.
  package static func read(
    _ model: ManagedObjectModel, _ configuration: String?, _ database: Database, report: ((String) -> Void)?,
    reportName: ((ManagedObjectModel.Entity, String) -> Void)? = nil
  ) throws(ManagedObjectError) -> [Int64] {
    var numbers = EntityNumbers(model, database, report, reportName)
    try numbers.readRows()
    try numbers.check(configuration)
    // An entity whose root entity is missing has no table.
    for entity in model.entities where numbers.numbers[entity.root.index] == 0 { numbers.numbers[entity.index] = 0 }
    return numbers.numbers
  }

  private init(
    _ model: ManagedObjectModel, _ database: Database, _ report: ((String) -> Void)?,
    _ reportName: ((ManagedObjectModel.Entity, String) -> Void)?
  ) {
    self.model = model
    self.database = database
    self.report = report
    self.reportName = reportName
    numbers = Array(repeating: 0, count: model.entities.count)
    parents = numbers
  }

  /// Reads the rows of `Z_PRIMARYKEY`. After a migration, a renamed entity can still have its old name there. Such an
  /// entity is found by its renaming identifier, or by its number, because numbers follow the order of the model.
  private mutating func readRows() throws(ManagedObjectError) {
    var unknown: [(number: Int64, name: String, parent: Int64)] = []
    var known: Set<Int64> = []
    let entities = model.entities
    let list = try database.statement("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    try list.forEachRow { () throws(ManagedObjectError) in
      let (number, name, parent) = (list.integer(0), list.text(1), list.integer(2))
      guard number > 0, number < Self.firstPrivateNumber else {
        if number > 0 { return }
        return try note("Z_PRIMARYKEY has the invalid entity number \(number) for \(name.quoted)")
      }
      guard known.insert(number).inserted else { return try note("Z_PRIMARYKEY has the entity number \(number) twice") }
      let inOrder = number <= entities.count ? entities[Int(number) - 1] : nil
      if let inOrder, inOrder.name == name || inOrder.definition.renamingIdentifier == name {
        try take(inOrder, number, parent)
      } else if let entity = model.entity(named: name) {
        try take(entity, number, parent)
      } else {
        unknown.append((number, name, parent))
      }
    }
    let areAsMany = unknown.count <= numbers.count { $0 == 0 }
    for (number, name, parent) in unknown {
      let renamed = entities.filter { $0.definition.renamingIdentifier == name && numbers[$0.index] == 0 }
      let inOrder = number <= entities.count ? entities[Int(number) - 1] : nil
      if renamed.count == 1 {
        try take(renamed[0], number, parent)
      } else if let inOrder, numbers[inOrder.index] == 0, areAsMany {
        try take(inOrder, number, parent)
        reportName?(inOrder, name)
      } else {
        try note("Z_PRIMARYKEY has the entity \(name.quoted), which the model does not have")
      }
    }
  }

  private mutating func take(
    _ entity: ManagedObjectModel.Entity, _ number: Int64, _ parent: Int64
  ) throws(ManagedObjectError) {
    if numbers[entity.index] != 0 { return try note("Z_PRIMARYKEY has the entity \(entity.name.quoted) twice") }
    numbers[entity.index] = number
    parents[entity.index] = parent
  }

  private func check(_ configuration: String?) throws(ManagedObjectError) {
    for entity in model.entities(ofConfiguration: configuration) ?? [] where numbers[entity.index] == 0 {
      try note("Z_PRIMARYKEY has no row for the entity \(entity.name.quoted)")
    }
    for entity in model.entities where numbers[entity.index] != 0 {
      let parent = entity.superentity.map { numbers[$0.index] } ?? 0
      if parents[entity.index] == parent, parent != 0 || entity.superentity == nil { continue }
      try note(
        "Z_PRIMARYKEY has the superentity number \(parents[entity.index]) for \(entity.name.quoted), "
          + "expected \(parent)")
    }
  }

  private func note(_ message: String) throws(ManagedObjectError) {
    if let report { return report(message) }
    throw ManagedObjectError(.open, "\(database.path) does not fit the model: \(message)")
  }
}
