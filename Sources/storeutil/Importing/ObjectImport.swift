import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
import ToolSupport

/// Adds the objects of a file to a store, or changes objects of the store, all in one transaction.
///
/// Objects are saved into an SQLite store in batches of ``batchSize``, so that memory use does not grow with the file,
/// except for keys. Stores of other kinds are completely in memory, and save all objects at once.
final class ObjectImport {
  /// The numbers of inserted, updated and unchanged objects.
  struct Counts {
    var inserted = 0
    var updated = 0
    var unchanged = 0
  }

  /// The greatest number of objects in a batch.
  static let batchSize = 10_000

  let opened: OpenStore
  /// The name of the file in messages.
  let file: String
  let drafting: RecordDrafting
  let isDryRun: Bool
  var counts = Counts()

  /// The entity of the objects; nil for a file with objects of several entities.
  let entity: ManagedObjectModel.Entity?
  let coordinator: PersistentStoreCoordinator
  private let sqlite: SQLiteStore?
  var errors = ImportError()
  /// Indexes of the whole store, for the objects that relationships refer to.
  var indexes: [RecordDraft.Lookup: KeyIndex] = [:]
  /// The index of the whole store, for the objects to update.
  var keyIndex: KeyIndex?
  /// The objects of the file, by the UTF-8 bytes of the IDs that the file assigns to them.
  private var localKeys: [Data: RowKey] = [:]
  private var localPositions: [Data: PropertyListError.TextPosition] = [:]
  /// The position of the first record with each key.
  private var positions: [[AttributeValue]: PropertyListError.TextPosition] = [:]
  private var updatedKeys: [RowKey: PropertyListError.TextPosition] = [:]
  /// References to objects that may come later in the file.
  var deferred: [Deferred] = []
  /// The objects in ``deferred``. They may lack mandatory references until the deferred references are set.
  var incomplete: Set<RowKey> = []
  /// The objects that were saved without mandatory references, with their positions. Later records may set these
  /// references.
  private var unfinished: [RowKey: PropertyListError.TextPosition?] = [:]
  /// The relationships with an inverse that earlier batches have set. The value is the position in the file where the
  /// relationship was set.
  private var setRelationships: [RelationshipSlot: PropertyListError.TextPosition] = [:]
  private var progress = ProgressLine()
  private var recordCount = 0

  /// True to stop reading records.
  private var isStopped = false

  /// An object whose references are set when all objects of the file are known.
  struct Deferred {
    var id: ManagedObjectID
    let position: PropertyListError.TextPosition
    let references: [RecordDraft.Reference]
    /// True if values of the object other than these references have changed.
    var isChanged = false
  }

  /// A relationship of an object.
  private struct RelationshipSlot: Hashable {
    let key: RowKey
    let slot: Int
  }

  /// The objects that are saved together, and the records that they come from.
  struct Batch {
    let context: ManagedObjectContext
    var drafts: [(object: ManagedObject, draft: RecordDraft)] = []
    /// Objects that the context must not release.
    var kept: [ManagedObject] = []
    /// The relationships that were set, each with the position of its value.
    var assigned: [(relationship: AssignedRelationship, position: PropertyListError.TextPosition)] = []
    /// Objects of the batch that lack mandatory references, which later records may set.
    var unfinished: [(object: ManagedObject, position: PropertyListError.TextPosition?)] = []
    /// Objects of the batch with references that have not been set yet.
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
    // In a dry run, an SQLite store saves all batches in one transaction, which is rolled back at the end.
    coordinator = try opened.coordinator(keepsChanges: !isDryRun || sqlite != nil)
  }

  /// Imports all records.
  ///
  /// - Parameter check: called when all records have been read.
  /// - Throws: ``ImportError`` with all errors, up to a limit; errors of saving. The store has not changed then.
  func run(_ reader: inout some RecordReader, finally check: () throws -> Void = {}) throws {
    defer { progress.clear() }
    var drafts = drafts(&reader)
    let isWhole = sqlite == nil || drafts.count < Self.batchSize
    // The first records are read before the store is locked, so that other processes need not wait for them.
    try sqlite?.beginSaving()
    do {
      if isWhole {
        // A store that is not a database cannot roll back a save, so the check comes first.
        if errors.lines.isEmpty { try check() }
        try addAll(drafts)
      } else {
        while !drafts.isEmpty {
          try finish(add(drafts, isWhole: false), isWhole: false)
          drafts = self.drafts(&reader)
        }
        try setDeferredReferences()
        try checkUnfinishedObjects()
      }
      if !errors.lines.isEmpty { throw errors }
      if !isWhole { try check() }
      // Saves of other stores cannot be rolled back.
      if sqlite != nil { try NewStoreArguments.checkInterruption() }
    } catch {
      try? sqlite?.endSaving(keepsChanges: false)
      throw error
    }
    try sqlite?.endSaving(keepsChanges: !isDryRun)
  }

  /// Reads the next records, at most a batch, and converts them to drafts. Errors are added to ``errors``.
  private func drafts(_ reader: inout some RecordReader) -> [RecordDraft] {
    var drafts: [RecordDraft] = []
    do {
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

  /// Throws `ValidationError` if an earlier record has the same key or ID.
  private func checkKey(of draft: RecordDraft) throws(ValidationError) {
    if let key = draft.key, let first = positions.updateValue(draft.position, forKey: key) {
      let texts = zip(drafting.keyNames, key).map { "\($0.printable()) \($1)" }
      throw ValidationError(
        "the object at \(first.line):\(first.column) has the same key: \(texts.joined(separator: ", "))")
    }
    if let id = draft.localID, let first = localPositions.updateValue(draft.position, forKey: Data(id.utf8)) {
      throw ValidationError("the object at \(first.line):\(first.column) has the same \(ObjectColumn.id), \(id.quoted)")
    }
    if let key = draft.id, let first = updatedKeys.updateValue(draft.position, forKey: key) {
      throw ValidationError("the object at \(first.line):\(first.column) has the same \(ObjectColumn.id)")
    }
  }

  /// Adds all objects of a file in one save.
  ///
  /// Starts again if another process saves the store after objects were looked up by their keys.
  private func addAll(_ drafts: [RecordDraft]) throws {
    (opened.store as? any FileStore)?.file.refuseChangedFile()
    while true {
      do { return try addOnce(drafts) } catch let error as ManagedObjectError where Self.isChangedStore(error) {
        counts = Counts()
        localKeys = [:]
        deferred = []
        incomplete = []
        setRelationships = [:]
        unfinished = [:]
      }
    }
  }

  /// True if a save failed because another process has saved the store.
  private static func isChangedStore(_ error: ManagedObjectError) -> Bool {
    error.code == .merge && error.conflicts.isEmpty
  }

  private func addOnce(_ drafts: [RecordDraft]) throws {
    var batch = try add(drafts, isWhole: true)
    let items = batch.drafts.compactMap { batch.deferred[$0.object.objectID] }
    batch.deferred = [:]
    noteLocalKeys(of: batch)
    let referring = try setReferences(of: items, batch.context, isWhole: true)
    batch.kept += referring.kept
    batch.assigned += referring.assigned
    try finish(batch, isWhole: true)
  }

  /// Creates or changes an object for each draft, which is a converted record. Errors are added to ``errors``.
  ///
  /// - Parameter isWhole: true if the drafts are all records of the file.
  private func add(_ drafts: [RecordDraft], isWhole: Bool) throws -> Batch {
    let context = opened.context(of: coordinator)
    // This type validates objects itself, to report the positions of errors.
    context.validatesOnSave = false
    var batch = Batch(context: context)
    let found = try existingKeys(of: drafts, context, isWhole: isWhole)
    let references = drafts.map { draft in draft.references.filter { !isDeferred($0) } }
    let targets = try targets(of: references.joined(), context, isWhole: isWhole)
    let (objects, kept) = try read(found.compactMap { $0.count == 1 ? $0[0] : nil } + targets.keys, context)
    batch.kept = kept
    for (index, draft) in drafts.enumerated() {
      do {
        let object = try object(of: draft, found[index], objects, context)
        for (name, value) in draft.values { try object.setValue(value, forKey: name) }
        for (path, value) in draft.elements { try object.setValue(value, forKeyPath: path) }
        for reference in references[index] {
          batch.assigned.append((try set(reference, of: object, targets, objects), reference.position))
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
    for (object, draft) in batch.drafts { if let id = draft.localID { localKeys[Data(id.utf8)] = object.objectID.key } }
  }

  /// Returns the object that has an ID in the file; nil if not found. IDs are equal if their UTF-8 bytes are equal.
  func localKey(_ id: String) -> RowKey? { localKeys[Data(id.utf8)] }

  /// Returns the object that a draft changes, or a new one.
  private func object(
    of draft: RecordDraft, _ keys: [RowKey], _ objects: [RowKey: ManagedObject], _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    if keys.count > 1 { throw ValidationError("several objects have the key: \(list(keys))") }
    guard let key = keys.first else { return try context.insert(draft.entity) }
    guard let object = objects[key] else { throw missing(key) }
    if draft.namesEntity, object.entity != draft.entity {
      throw ValidationError(
        "expected \(draft.entity.name.printable()), found \(object.objectID) in the store; "
          + "the entity of an object cannot change")
    }
    return object
  }

  /// Validates the objects of a batch, and saves them if there are no errors.
  private func finish(_ batch: Batch, isWhole: Bool) throws {
    try NewStoreArguments.checkInterruption()
    var batch = batch
    validate(&batch, isWhole: isWhole)
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
      do { try batch.context.save() } catch {
        if Self.isChangedStore(error) { throw error }
        var error = error
        if error.code == .constraintMerge, recordCount > Self.batchSize {
          error.message += "; objects can exchange unique values only within \(grouped(Self.batchSize)) records"
        }
        errors.add(error, in: file, at: position(of: error, batch))
        return
      }
      progress.clear()
      try changes?.print()
    }
    noteLocalKeys(of: batch)
    // A save gives new objects permanent IDs.
    self.deferred += deferred.map { object, item in
      var item = item
      item.id = object.objectID
      return item
    }
    incomplete.formUnion(deferred.lazy.map(\.object.objectID.key))
    note(batch)
  }

  /// Records facts about a saved batch that later batches and the final checks need.
  func note(_ batch: Batch) {
    noteRelationships(of: batch)
    for (object, position) in batch.unfinished { unfinished[object.objectID.key] = position }
  }

  /// Validates again the objects that lacked mandatory references when they were saved.
  private func checkUnfinishedObjects() throws {
    guard errors.lines.isEmpty else { return }
    let keys = unfinished.keys.sorted()
    for start in stride(from: 0, to: keys.count, by: Self.batchSize) where !errors.isFull {
      let part = keys[start..<min(start + Self.batchSize, keys.count)]
      let (objects, kept) = try read(Array(part), opened.context(of: coordinator))
      for key in part {
        guard let object = objects[key] else { continue }
        do { try object.validateForUpdate() } catch { errors.add(error, in: file, at: unfinished[key] ?? nil) }
      }
      withExtendedLifetime(kept) {}
    }
  }

  private func noteRelationships(of batch: Batch) {
    for (assigned, position) in batch.assigned {
      let id = assigned.object.objectID
      guard case .relationship(let relationship)? = id.entity.property(named: assigned.name),
        relationship.definition.inverse != nil
      else { continue }
      setRelationships[RelationshipSlot(key: id.key, slot: relationship.slot)] = position
    }
  }

  /// Adds an error for each relationship that an earlier batch has set and this batch has changed through the inverse.
  private func checkEarlierRelationships(_ batch: Batch) {
    if setRelationships.isEmpty { return }
    for object in batch.context.updatedObjects where !errors.isFull {
      let id = object.objectID
      for name in object.changedValues().keys {
        guard case .relationship(let relationship)? = id.entity.property(named: name),
          let position = setRelationships[RelationshipSlot(key: id.key, slot: relationship.slot)]
        else { continue }
        addInverseError(name, position)
      }
    }
  }

  private func addInverseError(_ name: String, _ position: PropertyListError.TextPosition) {
    errors.add(
      ValidationError(
        "\(name.printable()): another object of the file has replaced this value through the inverse relationship"),
      in: file, at: position)
  }

  /// True if some of the given properties have new values. Ignores other properties, which may have changed through
  /// inverse relationships.
  static func hasChanged(_ object: ManagedObject, _ properties: Set<String>) -> Bool {
    object.changedValues().contains { properties.contains($0.key) }
  }

  /// Validates the objects of a batch.
  ///
  /// - Parameters:
  ///   - isWhole: True if no records follow that may refer to the objects of the batch.
  ///   - includesUnchanged: True to check objects without changes as well, which were saved without a check.
  func validate(_ batch: inout Batch, isWhole: Bool, includesUnchanged: Bool = false) {
    var unfinished: [(object: ManagedObject, position: PropertyListError.TextPosition?)] = []
    var seen: Set<ManagedObject> = []
    func check(_ object: ManagedObject, at position: PropertyListError.TextPosition?) {
      guard seen.insert(object).inserted, object.hasChanges || includesUnchanged, !errors.isFull,
        batch.deferred[object.objectID] == nil, !incomplete.contains(object.objectID.key)
      else { return }
      do {
        if object.isInserted { try object.validateForInsert() } else { try object.validateForUpdate() }
      } catch {
        if !isWhole, error.isMissingReference(of: object.entity) { return unfinished.append((object, position)) }
        errors.add(error, in: file, at: position)
      }
    }
    for (assigned, position) in batch.assigned where !errors.isFull && !assigned.isKept {
      addInverseError(assigned.name, position)
    }
    checkEarlierRelationships(batch)
    for (object, draft) in batch.drafts { check(object, at: draft.position) }
    for object in batch.context.updatedObjects.sorted(by: { $0.objectID.key < $1.objectID.key }) {
      check(object, at: nil)
    }
    batch.unfinished = unfinished
  }

  /// Returns the position of the record that an error of a save is about; nil if it is unknown.
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

extension ManagedObjectError {
  /// True if this error says only that relationships of an object lack objects.
  fileprivate func isMissingReference(of entity: ManagedObjectModel.Entity) -> Bool {
    if !details.isEmpty { return details.allSatisfy { $0.isMissingReference(of: entity) } }
    guard let key, entity.relationship(named: key) != nil else { return false }
    return code == .missingMandatoryProperty || code == .relationshipLacksMinimumCount
  }
}
