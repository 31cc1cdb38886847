import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
import ToolSupport

/// Adds the objects of a file to a store, or changes objects of the store, all in one transaction.
///
/// A store in SQLite takes ``batchSize`` objects at a time, so that what is in memory does not grow with the file, but
/// for keys. Stores of other kinds are in memory as a whole, and take all objects at once.
final class ObjectImport {
  /// The numbers of objects.
  struct Counts {
    var inserted = 0
    var updated = 0
    var unchanged = 0
  }

  /// The most objects of a batch.
  static let batchSize = 10_000

  let opened: OpenStore
  /// The name of the file for messages.
  let file: String
  let drafting: RecordDrafting
  let isDryRun: Bool
  var counts = Counts()

  /// The entity of the objects; nil for a file with objects of several entities.
  let entity: ManagedObjectModel.Entity?
  let coordinator: PersistentStoreCoordinator
  private let sqlite: SQLiteStore?
  var errors = ImportError()
  /// The indexes of the objects that relationships refer to, of all objects of a store.
  var indexes: [RecordDraft.Lookup: KeyIndex] = [:]
  /// The index of the objects that are updated, of all objects of a store.
  var keyIndex: KeyIndex?
  /// The objects of the file by the names that it gives them.
  var localKeys: [String: RowKey] = [:]
  private var localPositions: [String: PropertyListError.TextPosition] = [:]
  /// The position of the first record with each key.
  private var positions: [[AttributeValue]: PropertyListError.TextPosition] = [:]
  private var updatedKeys: [RowKey: PropertyListError.TextPosition] = [:]
  /// References to objects that the file may have after the object that refers to them.
  var deferred: [Deferred] = []
  private var progress = ProgressLine()
  private var recordCount = 0

  /// True when no more records are read.
  private var isStopped = false

  /// An object whose references are set when all objects of the file are known.
  struct Deferred {
    var id: ManagedObjectID
    let position: PropertyListError.TextPosition
    let references: [RecordDraft.Reference]
    /// True if other values of the object have changed.
    var isChanged = false
  }

  /// A relationship, and the objects that it is to refer to.
  struct Expectation {
    let object: ManagedObject
    let name: String
    let value: ManagedObject.Value
    let position: PropertyListError.TextPosition

    var isMet: Bool {
      switch (value, object[name]) {
      case (.set(let objects), .set(let found)?): Set(objects) == Set(found)
      case (let value, let found): value == found
      }
    }
  }

  /// Objects of a context, and the records that they are from.
  struct Batch {
    let context: ManagedObjectContext
    var drafts: [(object: ManagedObject, draft: RecordDraft)] = []
    /// Objects that the context is not to release.
    var kept: [ManagedObject] = []
    /// The values that relationships have been given.
    var expected: [Expectation] = []
    /// Objects of the batch with references that are not set yet.
    var deferred: [ManagedObjectID: Deferred] = [:]
  }

  init(
    _ opened: OpenStore, _ entity: ManagedObjectModel.Entity?, file: String, _ drafting: RecordDrafting, isDryRun: Bool
  ) throws {
    self.opened = opened
    self.entity = entity
    self.file = file
    self.drafting = drafting
    self.isDryRun = isDryRun
    sqlite = opened.store as? SQLiteStore
    // A transaction of several saves is rolled back as a whole.
    coordinator = try opened.coordinator(keepsChanges: !isDryRun || sqlite != nil)
  }

  /// Imports all records.
  ///
  /// - Parameter check: called when all records have been read.
  /// - Throws: ``ImportError`` with all that is wrong, up to a limit; what saving throws. The store is as it was then.
  func run(_ reader: inout some RecordReader, finally check: () throws -> Void = {}) throws {
    defer { progress.clear() }
    var drafts = drafts(&reader)
    let isWhole = sqlite == nil || drafts.count < Self.batchSize
    // Other processes do not wait while the first records come in.
    try sqlite?.beginSaving()
    do {
      if isWhole {
        try addAll(drafts)
      } else {
        while !drafts.isEmpty {
          let batch = try add(drafts, isWhole: false)
          try finish(batch)
          drafts = self.drafts(&reader)
        }
        try setDeferredReferences()
      }
      if !errors.lines.isEmpty { throw errors }
      try check()
      try NewStoreArguments.checkInterruption()
    } catch {
      try? sqlite?.endSaving(keepsChanges: false)
      throw error
    }
    try sqlite?.endSaving(keepsChanges: !isDryRun)
  }

  /// Reads the next records, as many as a batch has.
  private func drafts(_ reader: inout some RecordReader) -> [RecordDraft] {
    var drafts: [RecordDraft] = []
    do throws(PropertyListError) {
      while !isStopped, !errors.isFull, sqlite == nil || drafts.count < Self.batchSize, Signals.interruptedBy == nil,
        let record = try reader.next()
      {
        recordCount += 1
        progress.show("\(grouped(recordCount)) objects")
        do {
          let draft = try drafting.draft(record)
          try checkKey(of: draft)
          drafts.append(draft)
        } catch let error as ColumnError {
          errors.add(error, in: file, at: record.position)
          isStopped = true
        } catch {
          errors.add(error, in: file, at: record.position)
        }
      }
    } catch {
      errors.add(error, in: file, at: nil)
      isStopped = true
    }
    return drafts
  }

  /// - Throws: `ValidationError` for a key that an earlier record has.
  private func checkKey(of draft: RecordDraft) throws(ValidationError) {
    if let key = draft.key, let first = positions.updateValue(draft.position, forKey: key) {
      let texts = zip(drafting.keyNames, key).map { "\($0.printable()) \($1)" }
      throw ValidationError(
        "the object at \(first.line):\(first.column) has the same key: \(texts.joined(separator: ", "))")
    }
    if let id = draft.localID, let first = localPositions.updateValue(draft.position, forKey: id) {
      throw ValidationError(
        "the object at \(first.line):\(first.column) has the same \(ObjectColumn.id), \(id.quoted)")
    }
    if let key = draft.id, let first = updatedKeys.updateValue(draft.position, forKey: key) {
      throw ValidationError("the object at \(first.line):\(first.column) has the same \(ObjectColumn.id)")
    }
  }
}

/// Batches.
extension ObjectImport {
  /// Adds the objects of a file that are saved at once.
  private func addAll(_ drafts: [RecordDraft]) throws {
    var batch = try add(drafts, isWhole: true)
    let items = batch.drafts.compactMap { batch.deferred[$0.object.objectID] }
    batch.deferred = [:]
    noteLocalKeys(of: batch)
    let referring = try setReferences(of: items, batch.context, isWhole: true)
    batch.kept += referring.kept
    batch.expected += referring.expected
    try finish(batch)
  }

  /// Makes or changes the objects of drafts. Errors are noted.
  ///
  /// - Parameter isWhole: true if the drafts are all of the file.
  private func add(_ drafts: [RecordDraft], isWhole: Bool) throws -> Batch {
    let context = opened.context(of: coordinator)
    // This type validates objects itself, to report their positions.
    context.validatesOnSave = false
    var batch = Batch(context: context)
    let found = try existingKeys(of: drafts, context, isWhole: isWhole)
    let references = drafts.map { draft in draft.references.filter { !isDeferred($0) } }
    let targets = try targets(of: references.joined(), context, isWhole: isWhole)
    let (objects, kept) = try read(found.compactMap { $0.count == 1 ? $0[0] : nil } + targets.keys, context)
    batch.kept = kept
    for (place, draft) in drafts.enumerated() {
      do {
        let object = try object(of: draft, found[place], objects, context)
        for (name, value) in draft.values { try object.setValue(value, forKey: name) }
        for reference in references[place] {
          let value = try set(reference, of: object, targets, objects)
          batch.expected.append(
            Expectation(object: object, name: reference.name, value: value, position: draft.position))
        }
        try object.fillTransientValues()
        let rest = draft.references.filter(isDeferred)
        if !rest.isEmpty {
          batch.deferred[object.objectID] = Deferred(id: object.objectID, position: draft.position, references: rest)
        }
        batch.drafts.append((object, draft))
      } catch {
        errors.add(error, in: file, at: draft.position)
      }
    }
    return batch
  }

  private func noteLocalKeys(of batch: Batch) {
    for (object, draft) in batch.drafts { if let id = draft.localID { localKeys[id] = object.objectID.key } }
  }

  /// The object that a draft changes, or a new one.
  private func object(
    of draft: RecordDraft, _ keys: [RowKey], _ objects: [RowKey: ManagedObject], _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    if keys.count > 1 {
      throw ValidationError("several objects have the key: \(list(keys))")
    }
    guard let key = keys.first else { return try context.insert(draft.entity) }
    guard let object = objects[key] else { throw missing(key) }
    if draft.namesEntity, object.entity != draft.entity {
      throw ValidationError(
        "expected \(draft.entity.name.printable()), found \(object.objectID) in the store, whose entity cannot change")
    }
    return object
  }

  /// Checks the objects of a batch, and saves them if there has been no error.
  private func finish(_ batch: Batch) throws {
    try NewStoreArguments.checkInterruption()
    validate(batch)
    guard errors.lines.isEmpty else { return }
    var deferred: [(object: ManagedObject, item: Deferred)] = []
    for (object, draft) in batch.drafts {
      let isChanged = object.isInserted || Self.hasChanged(object, draft.properties)
      if object.isInserted {
        counts.inserted += 1
      } else if isChanged {
        counts.updated += 1
      }
      if var item = batch.deferred[object.objectID] {
        item.isChanged = isChanged
        deferred.append((object, item))
      } else if !isChanged {
        counts.unchanged += 1
      }
    }
    if batch.context.hasChanges {
      let changes = isDryRun ? ChangeList(batch.context) : nil
      do throws(ManagedObjectError) { try batch.context.save() } catch {
        errors.add(error, in: file, at: position(of: error, batch))
        return
      }
      progress.clear()
      try changes?.print()
    }
    noteLocalKeys(of: batch)
    // New objects have other names after the save.
    self.deferred += deferred.map { object, item in
      var item = item
      item.id = object.objectID
      return item
    }
  }

  /// True if an object has new values of some properties. Others can have changed by inverse relationships.
  static func hasChanged(_ object: ManagedObject, _ properties: Set<String>) -> Bool {
    object.changedValues().contains { properties.contains($0.key) }
  }

  func validate(_ batch: Batch) {
    var seen: Set<ManagedObject> = []
    func check(_ object: ManagedObject, at position: PropertyListError.TextPosition?) {
      guard seen.insert(object).inserted, object.hasChanges, !errors.isFull, batch.deferred[object.objectID] == nil
      else { return }
      do throws(ManagedObjectError) {
        if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
      } catch {
        errors.add(error, in: file, at: position)
      }
    }
    for expectation in batch.expected where !errors.isFull && !expectation.isMet {
      errors.add(
        ValidationError(
          "\(expectation.name.printable()): another object of the file has changed it by the inverse relationship"),
        in: file, at: expectation.position)
    }
    for (object, draft) in batch.drafts { check(object, at: draft.position) }
    for object in batch.context.updatedObjects.sorted(by: { $0.objectID.key < $1.objectID.key }) {
      check(object, at: nil)
    }
  }

  /// The position of the record that an error of a save is about; nil if it is not known.
  private func position(of error: ManagedObjectError, _ batch: Batch) -> PropertyListError.TextPosition? {
    for conflict in error.conflicts {
      guard let row = conflict.object else { continue }
      let entity = ManagedObjectID(row.key, model: opened.model, storeIdentifier: nil).entity
      let slots = conflict.constraint.compactMap { name in entity.property(named: name).map { (name, $0.slot) } }
      let owner = batch.drafts.last { object, _ in
        object.entity == entity
          && slots.allSatisfy { name, slot in
            switch (row.values[slot], object[name]) {
            case (.attribute(let value), .attribute(let other)?): value == other
            case (.toOne(let key?), .object(let other)?): key == other.objectID.key
            default: false
            }
          }
      }
      if let owner { return owner.draft.position }
    }
    return batch.drafts.first { $0.object.objectID == error.objectID }?.draft.position
  }
}
