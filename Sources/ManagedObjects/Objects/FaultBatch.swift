internal import ObjectModels
internal import Predicates

/// Objects that were found together: by a fetch, or by reading the same relationship of such objects. Their rows, and
/// their values of a relationship, are read together when those of one of them are needed.
///
/// A batch does not retain its objects. They retain the batch.
final class FaultBatch {
  /// The keys of the objects, in the order in which they were found.
  let keys: CompactKeys
  /// The batch whose relationship led to these objects; nil for the objects of a fetch, and if the program has released
  /// the owners. Objects of a batch with owners are created and read even if they are not registered, because those of
  /// the other owners do not exist yet when those of the first owner are read.
  fileprivate private(set) weak var owners: FaultBatch?
  /// The rows of the objects, in their order, if a ``FetchedObjects`` list makes the objects when they are touched.
  weak var window: RowWindow?
  /// The number of objects to read at once. Smaller than the batch if most objects were not used after earlier reads.
  private var readSize: Int
  /// The number of objects that were last read together.
  private var readCount = 0
  /// The number of faults that have been fired since then.
  private var usedCount = 0
  /// The number of times that values were read together.
  fileprivate var readNumber = 0
  /// The number of objects to read one by one, before the others of the batch are considered again.
  private var waitCount = 0
  /// ``waitCount`` at the beginning of the last wait.
  private var waitLength = 0
  /// The batches of the related objects, by the slot of the relationship.
  fileprivate var targets: [Int: TargetBatches] = [:]

  /// The state of the context, which retains the related objects that were read; nil if there are none.
  private var state: ContextState?

  /// The batch of objects that are read one by one: see ``FetchRequest/usesBatchFaulting``.
  static func single() -> FaultBatch { FaultBatch([], owners: nil) }

  private init(_ keys: ArraySlice<RowKey>, owners: FaultBatch?) {
    self.keys = CompactKeys(keys)
    self.owners = owners
    readSize = keys.count
  }

  deinit {
    state?.releaseReadAhead(of: ObjectIdentifier(self))
    // Batches that lead to each other, such as those of a long list, are released one by one: nested calls could need
    // more stack than the thread has.
    var last = takeTargets()
    while var batch = last.popLast() {
      if isKnownUniquelyReferenced(&batch) { last += batch.takeTargets() }
    }
  }

  private func takeTargets() -> [FaultBatch] {
    if targets.isEmpty { return [] }
    let old = targets
    targets = [:]
    return old.values.flatMap(\.batches)
  }

  /// The greatest number of objects that are read at once.
  static let greatestSize = 8_192
  /// The sizes of the first two batches of a fetch: small ones, because many programs use only the first objects of a
  /// result. With them, 10 000 objects are three batches.
  static let firstSizes = [64, 2_048]

  /// Divides keys into batches.
  ///
  /// - Parameter sizes: The sizes of the first batches. All others have ``greatestSize``.
  static func divide(_ keys: [RowKey], sizes: [Int], owners: FaultBatch? = nil) -> [FaultBatch] {
    var batches: [FaultBatch] = []
    var start = 0
    while start < keys.count {
      let size = batches.count < sizes.count ? sizes[batches.count] : greatestSize
      let end = min(start + size, keys.count)
      batches.append(FaultBatch(keys[start..<end], owners: owners))
      start = end
    }
    return batches
  }

  /// Returns the keys of the objects to read together with a fault that is fired, including its own key, and begins to
  /// count the uses of these objects. Call ``noteUse()`` before.
  ///
  /// If less than a quarter of the objects was used since the last read, the next one is a quarter as large: an object
  /// that is used at random should not cost a read of thousands of others. If all were used, it grows again.
  func keysToRead(with key: RowKey) -> Slice<CompactKeys> {
    if readCount > 0 {
      if usedCount * 4 < readCount {
        readSize = max(readSize / 4, min(4, keys.count))
      } else if usedCount >= readCount {
        readSize = min(readSize * 4, keys.count)
      }
    }
    readCount = 0
    usedCount = 0
    if readSize >= keys.count { return keys[...] }
    let start = keys.firstIndex(of: key) ?? 0
    return keys[start..<min(start + readSize, keys.count)]
  }
}

/// The batches of the objects to which a relationship of a batch refers.
private struct TargetBatches {
  /// ``FaultBatch/readNumber`` when the batches were made. Later reads may have found other objects.
  let readNumber: Int
  let batches: [FaultBatch]
  /// The index of the batch of each object.
  private let indices: RowPositions

  init(_ keys: [RowKey], of owners: FaultBatch) {
    readNumber = owners.readNumber
    var unique: [RowKey] = []
    unique.reserveCapacity(keys.count)
    var seen = RowPositions(capacity: keys.count)
    for key in keys where seen.insert(0, for: key) { unique.append(key) }
    // The first batch has as many objects as that of the owners, so that a to-one relationship is read as often as they
    // are.
    batches = FaultBatch.divide(
      unique, sizes: [max(owners.keys.count, FaultBatch.firstSizes[0])], owners: owners)
    var indices = RowPositions(capacity: unique.count)
    for (index, batch) in batches.enumerated() {
      for key in batch.keys { _ = indices.insert(index, for: key) }
    }
    self.indices = indices
  }

  subscript(key: RowKey) -> FaultBatch? { indices[key].map { batches[$0] } }
}

extension FaultBatch {
  /// Returns true if the caller must find out which other objects can be read together with one.
  ///
  /// Finding none takes time proportional to the size of the batch. So after that, ever more objects are read one by
  /// one, up to 63, before the others are considered again.
  func considersOthers() -> Bool {
    if keys.count < 2 { return false }
    if waitCount == 0 { return true }
    waitCount -= 1
    return false
  }

  /// Records that no other objects can be read.
  func noteNoOthers() {
    waitLength = min(2 * waitLength + 1, Self.greatestWait)
    waitCount = waitLength
  }

  /// Records that objects could not be read together, for example because one row is damaged. The objects are then read
  /// one by one, so that only the damaged one has an error.
  fileprivate func noteFailure() { (waitLength, waitCount) = (Self.greatestWait, Self.greatestWait) }

  private static let greatestWait = 63

  /// Counts a fault of the batch that is fired.
  func noteUse() { usedCount += 1 }

  /// Records that values were read together.
  ///
  /// - Parameter count: The number of rows.
  func noteRead(_ count: Int) {
    readNumber += 1
    readCount += count
    waitLength = 0
  }

  /// Returns the batch of a related object; nil if its relationship has changed since the batches were made.
  ///
  /// - Parameter state: The state of the context.
  fileprivate func batch(of target: RowKey, _ slot: Int, of owner: ManagedObject, _ state: ContextState) -> FaultBatch?
  {
    if let known = targets[slot] {
      if let batch = known[target] { return batch }
      if known.readNumber == readNumber { return nil }
    }
    let entities = owner.shape.entity.subtree(declaring: slot)
    var keys: [RowKey] = []
    let window = window
    for (offset, key) in self.keys.enumerated() where entities.contains(Int(key.entityIndex)) {
      let value: RowValue?
      if let object = state.registered[key], object.hasValues {
        value = object.loadedValue(slot)
      } else {
        value = window?.value(offset, slot)
      }
      switch value {
      case .toOne(let key?): keys.append(key)
      case .toMany(let members): keys += members.sorted()
      case .orderedToMany(let members): keys += members
      case .attribute, .toOne(nil), .unread, nil: break
      }
    }
    let found = TargetBatches(keys.filter { !$0.isTemporary }, of: self)
    let old = targets[slot]
    targets[slot] = found
    self.state = state
    // Releasing batches releases objects, and the deallocator of their data may use the context.
    withExtendedLifetime(old) {}
    return found[target]
  }
}

extension ManagedObject {
  /// Sets the batch.
  ///
  /// - Parameter old: The batches to retain until all objects have their new ones. The old batch is added.
  fileprivate final func replaceBatch(with new: FaultBatch, keeping old: inout [FaultBatch]) {
    if let batch, batch !== old.last { old.append(batch) }
    batch = new
  }
}

extension ManagedObjectModel.Entity {
  /// The indices of all entities that have the property in a slot from the same declaration: those that inherit from
  /// the entity that declares it.
  fileprivate func subtree(declaring slot: Int) -> Range<Int> {
    var entity = self
    while let superentity = entity.superentity, slot < superentity.slotCount { entity = superentity }
    return entity.subtree
  }
}

extension ManagedObjectContext {
  /// Gives the objects of a fetch their batches.
  ///
  /// - Parameter sizes: The sizes of the first batches. All others have ``FaultBatch/greatestSize``.
  func makeBatches(of objects: [ManagedObject], _ request: FetchRequest, sizes: [Int]) {
    if request.usesBatchFaulting { return makeBatches(of: objects, sizes: sizes) }
    let single = FaultBatch.single()
    var old: [FaultBatch] = []
    for object in objects { object.replaceBatch(with: single, keeping: &old) }
    withExtendedLifetime(old) {}
  }

  /// Gives objects their batches. A single object keeps the batch in which it was found before.
  func makeBatches(of objects: [ManagedObject], sizes: [Int] = FaultBatch.firstSizes) {
    if objects.count < 2 { return }
    var index = 0
    var old: [FaultBatch] = []
    for batch in FaultBatch.divide(objects.map(\.key), sizes: sizes) {
      for _ in batch.keys {
        objects[index].replaceBatch(with: batch, keeping: &old)
        index += 1
      }
    }
    // Releasing batches releases objects, and the deallocator of their data may use the context.
    withExtendedLifetime(old) {}
  }

  /// Returns the object with a key that a relationship of `owner` contains. If the object is a fault without a batch,
  /// it joins the batch of the related objects: the relationship of all objects in the owner's batch contains them. If
  /// the owner is read by itself, so is the object.
  func target(_ key: RowKey, of owner: ManagedObject, _ slot: Int) -> ManagedObject {
    let object = object(for: key)
    if object.batch == nil, object.needsRow, let batch = owner.batch {
      object.batch = batch.keys.isEmpty ? batch : batch.batch(of: key, slot, of: owner, state)
    }
    return object
  }

  /// Returns the objects of keys in a to-many relationship of `owner`. Faults without a batch get one.
  func targets(_ keys: some Collection<RowKey>, of owner: ManagedObject, _ slot: Int) -> [ManagedObject] {
    let objects = keys.map { target($0, of: owner, slot) }
    if owner.batch == nil || objects.last?.batch == nil {
      makeBatches(of: objects.filter { $0.batch == nil && $0.needsRow })
    }
    return objects
  }

  /// Reads the row of a fault. Also reads the rows of the other faults in its batch.
  ///
  /// - Returns: False if the store does not have the row.
  func readRow(of object: ManagedObject) throws(ManagedObjectError) -> Bool {
    guard let batch = object.batch, batch.considersOthers() else { return try readSingleRow(of: object) }
    let owners = batch.owners
    let others = batch.keysToRead(with: object.key).filter { key in
      guard key != object.key else { return false }
      if let other = registered[key] { return other.needsRow }
      return owners != nil && current(key) == key
    }
    if others.isEmpty {
      batch.noteNoOthers()
      return try readSingleRow(of: object)
    }
    var isFound = false
    var read = [object]
    do {
      try takeRows([object.key] + others) { key in
        if key == object.key {
          isFound = true
          return object
        }
        guard let other = registered[key] ?? (owners == nil ? nil : make(key)) else { return nil }
        if other.batch == nil { other.batch = batch }
        // An object of another batch can retain the owners, which would then never be released.
        if other.batch === batch { read.append(other) }
        return other.needsRow ? other : nil
      }
    } catch {
      batch.noteFailure()
      return try readSingleRow(of: object)
    }
    batch.noteRead(others.count + 1)
    if let owners { state.retainReadAhead(read, of: ObjectIdentifier(owners)) }
    return isFound
  }

  private func readSingleRow(of object: ManagedObject) throws(ManagedObjectError) -> Bool {
    guard let row = try readRows([object.key])[0] else { return false }
    object.take(row)
    return true
  }

  /// Reads a value of an object that the store left out of the row. For a relationship, also reads the unread values of
  /// the same slot in other objects of the object's batch.
  ///
  /// - Returns: the value; nil if the store or the parent context no longer has the object.
  func readUnreadValue(ofSlot slot: Int, of object: ManagedObject) throws(ManagedObjectError) -> RowValue? {
    guard let batch = object.batch, object.shape.relationships[slot] != nil, batch.considersOthers() else {
      return try readValues(ofSlot: slot, [object.key])[0]
    }
    let entities = object.shape.entity.subtree(declaring: slot)
    let limit = object.shape.readLimit(ofSlot: slot)
    var others: [ManagedObject] = []
    for key in batch.keys[(batch.keys.count <= limit ? 0 : batch.keys.firstIndex(of: object.key) ?? 0)...] {
      guard others.count < limit else { break }
      guard key != object.key, entities.contains(Int(key.entityIndex)), let other = registered[key],
        other.hasValues, other.isUnread(slot), !other.status.isInaccessible
      else { continue }
      others.append(other)
    }
    if others.isEmpty {
      batch.noteNoOthers()
      return try readValues(ofSlot: slot, [object.key])[0]
    }
    guard let values = try? readValues(ofSlot: slot, [object.key] + others.map(\.key)) else {
      batch.noteFailure()
      return try readValues(ofSlot: slot, [object.key])[0]
    }
    batch.noteRead(0)
    object.shape.noteRead(values, ofSlot: slot)
    for (other, value) in zip(others, values.dropFirst()) {
      if let value { other.setUnreadValue(value, slot) }
    }
    return values[0]
  }
}
