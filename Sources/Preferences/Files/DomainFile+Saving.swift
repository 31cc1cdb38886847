internal import Dispatch
internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// Functions that save. While the file is locked, its contents are read, changed key by key, and written to a new file,
/// which replaces the old file.
extension DomainFile {
  /// The entries of the domain before an update.
  enum HeldEntries {
    case file(DomainEntries?)
    case memory(DomainTable)

    /// The entries; nil if there is no file, or if neither the file nor the copy of its last save can be read.
    var entries: DomainEntries? {
      switch self {
      case .file(let entries): entries
      case .memory(let table):
        DomainEntries(OrderedDictionary(uncheckedUniqueKeysWithValues: table.values.map { ($0, $1) }))
      }
    }
  }

  /// A function that applies the changes of an update to the table. The changes are reverted if the file cannot be
  /// written. The function returns nil if the update has failed. The save then writes nothing.
  typealias Staging = (HeldEntries) throws(PreferencesError) -> DomainTable.StagedChanges?

  /// The greatest number of times that an update is repeated because other threads have set values that it has read.
  private static let greatestRepetition = 8

  /// Calls `change` with the values of the domain and saves its changes, while no other process can change the values.
  /// `change` is called again if a program that does not lock the file has changed it, or if another thread has set a
  /// value that `change` has read. Returns the result or error of the last call of `change`.
  func update<Success, Failure>(
    patience: Duration, _ change: (inout DomainValues) throws(Failure) -> Success
  ) throws(PreferencesError) -> Result<Success, Failure> {
    try updating(patience) { _, outcome throws(PreferencesError) in
      for repetition in 0... {
        var values = DomainValues(table)
        let own = UpdateUnderWay.during(name) { outcome = Result { () throws(Failure) in try change(&values) } }
        guard case .success? = outcome else { return nil }
        if let error = values.firstError { throw error }
        let staged = values.stage(superseding: own, isLast: repetition == Self.greatestRepetition)
        if let staged { return staged }
      }
      return nil
    }
  }

  /// Changes all values at once, like ``update(patience:_:)``. If `change` sets them to nil, the file is removed.
  func updateAll<Success, Failure>(
    patience: Duration, _ change: (inout OrderedDictionary<String, PropertyList>?) throws(Failure) -> Success
  ) throws(PreferencesError) -> Result<Success, Failure> {
    try updating(patience) { held, outcome throws(PreferencesError) in
      let entries = held.entries
      var visible = entries?.values.byName
      _ = UpdateUnderWay.during(name) { outcome = Result { () throws(Failure) in try change(&visible) } }
      guard case .success? = outcome else { return nil }
      let held = entries ?? DomainEntries()
      let values = visible.map { held.changed(to: $0) }
      for (key, value) in values?.values ?? [:] where held[key] != value { try value.checkStorable(forKey: key.name) }
      return table.stage(values, insteadOf: held)
    }
  }

  private func updating<Success, Failure>(
    _ patience: Duration,
    _ stage: (HeldEntries, inout Result<Success, Failure>?) throws(PreferencesError) -> DomainTable.StagedChanges?
  ) throws(PreferencesError) -> Result<Success, Failure> {
    var outcome: Result<Success, Failure>?
    try save(patience: patience, isUpdate: true) { held throws(PreferencesError) in
      try stage(held, &outcome)
    }
    // Never thrown, because a save that throws no error has called `change`.
    guard let outcome else { throw .changedMeanwhile(path: path ?? "") }
    return outcome
  }

  /// Merges the changes of this process into the file, and the values of the file into this process. Returns when
  /// everything is on the disk.
  ///
  /// - Parameters:
  ///   - patience: the time to wait for other saves.
  ///   - isAskedFor: true if a caller requested the save; false if a timer or the end of the process triggered it.
  ///   - isUpdate: true to call `stage` even if nothing is unsaved.
  func save(
    patience: Duration, isAskedFor: Bool = true, isUpdate: Bool = false,
    _ stage: Staging = { _ in DomainTable.StagedChanges() }
  ) throws(PreferencesError) {
    guard !ForkedChild.isThisProcess else { throw .forkedProcess }
    if UpdateUnderWay.isOfThisThread(name) { throw .updateUnderWay(path: name) }
    let deadline = ContinuousClock.now + patience
    guard gate.wait(timeout: .now() + patience.seconds) == .success else {
      // The save in progress may not include the last changes, so saving is tried again later.
      schedule.saveBegins()
      schedule.saveFailed(self, .locked(path: path ?? ""))
      throw .locked(path: path ?? "")
    }
    defer {
      gate.signal()
      tellFindings()
    }
    schedule.saveBegins()
    disk.withLock { $0.isSaveAskedFor = isAskedFor }
    do {
      if !isUpdate, !table.hasUnsaved { table.notify(disk.withLock { disk in look(&disk, isFirst: false) }) }
      // Reading the file may have restored values, which must be saved.
      if isUpdate || table.hasUnsaved { try replaceFile(until: deadline, stage) }
    } catch {
      schedule.saveFailed(self, error)
      throw error
    }
    schedule.saveSucceeded(self)
  }

  private func replaceFile(until deadline: ContinuousClock.Instant, _ stage: Staging) throws(PreferencesError) {
    guard !isInMemory else { return try keepInMemory(stage) }
    guard let path else { throw .noFolder }
    for _ in 0..<10 {
      if try attempt(path, deadline, stage) { return }
    }
    throw .changedMeanwhile(path: path)
  }

  /// Applies an update without a file, and marks all values as saved.
  private func keepInMemory(_ stage: Staging) throws(PreferencesError) {
    guard
      let staged = try stage(.memory(table))
    else { return }
    table.savedInMemory()
    table.notify(staged.keys)
  }

  /// Tries to save once. Returns false if another program changed the file meanwhile.
  private func attempt(
    _ path: String, _ deadline: ContinuousClock.Instant, _ stage: Staging
  ) throws(PreferencesError) -> Bool {
    // Observers are notified once no lock is held.
    var changed: [TableKey] = []
    var staged: DomainTable.StagedChanges?
    defer { table.notify(changed + (staged?.keys ?? [])) }
    do {
      // Locks the copy of the last save first: this lock remains valid if another file replaces the domain's file.
      let last = try LastSave(of: path, until: deadline, isMade: keepsLastSave)
      defer { withExtendedLifetime(last) {} }
      // The lock moves into the closure through an optional, because it cannot be copied.
      var locked = try LockedFile(path, until: deadline)
      let outcome = try disk.withLock { disk in
        // The `defer` runs while `disk` is locked. Another thread can read the file only after that, and must then know
        // which changes the file has.
        var outcome: Outcome?
        defer {
          if let outcome {
            if outcome.hasChanged { table.noteInFile(changes: outcome.changes) }
          } else if let staged {
            table.takeBack(staged)
          }
        }
        func adoptAndStage(
          _ held: DomainEntries?, _ identity: FileIdentity?, _ generation: FileGeneration?, isKnown: Bool,
          _ disk: inout Disk
        ) throws(PreferencesError) -> DomainTable.StagedChanges? {
          if !isKnown { changed += adopt(held ?? DomainEntries(), identity, generation, &disk, isSaved: true) }
          staged = try stage(.file(held))
          // The change may have forked the process. The child does not own the lock.
          guard !ForkedChild.isThisProcess else { throw .forkedProcess }
          return staged
        }
        if let file = locked.take() {
          outcome = try replace(file, last, path, deadline, &disk, adoptAndStage)
        } else {
          outcome = try create(path, last, &disk, adoptAndStage)
        }
        return outcome
      }
      guard let outcome else { return false }
      // An update may have changed nothing.
      guard outcome.hasChanged else { return true }
      if !outcome.isNoted { LastSave.discard(of: path) }
      // Readers of the file see the new values from now on. They count as saved when the file's name is on the disk
      // too.
      try FileSystem.synchronizeFolder(of: path)
      table.saved(changes: outcome.changes)
      return true
    } catch let error as PreferencesError {
      throw error
    } catch let error as FileError {
      throw error.isLocked ? .locked(path: path) : .notSaved(path: path, PropertyListError(error))
    } catch let error as PropertyListError {
      throw .notSaved(path: path, error)
    } catch {
      throw .notSaved(path: path, PropertyListError(.malformed, "\(error)"))
    }
  }

  /// The outcome of an attempt to save.
  private struct Outcome {
    /// The number of the table's changes that the file has.
    let changes: Int
    /// True if the file was changed.
    let hasChanged: Bool
    /// True if the copy of the last save was written, or removed with the file.
    var isNoted = false
  }

  /// A function that updates the table with the values of the file, unless `isKnown` is true, and then applies the
  /// requested changes. It returns nil if an update has failed, so that no changes were made.
  private typealias AdoptAndStage = (
    DomainEntries?, FileIdentity?, FileGeneration?, _ isKnown: Bool, inout Disk
  ) throws(PreferencesError) -> DomainTable.StagedChanges?

  /// The contents of a file.
  typealias Contents = (bytes: Data, entries: DomainEntries, format: PropertyListFormat)

  /// Saves the values to a file that exists and is locked.
  ///
  /// - Returns: nil if another program changed the file meanwhile.
  private func replace(
    _ locked: consuming LockedFile, _ last: LastSave?, _ path: String, _ deadline: ContinuousClock.Instant,
    _ disk: inout Disk, _ adoptAndStage: AdoptAndStage
  ) throws -> Outcome? {
    var file = locked
    disk.seenFolder = FileSystem.folderOfTarget(of: path)
    sweep(path, &disk)
    let found = try contents(of: &file, last?.generation, path, deadline, &disk)
    let newest = found == nil ? newestState(last, disk) : nil
    // Nil if the file cannot be read and there is no newer copy. The values in memory are used then, because no process
    // has removed them.
    let held = found?.entries ?? newest
    let isKnown = found.map { disk.isInStep(with: $0.bytes) } ?? (newest == nil)
    guard let staged = try adoptAndStage(held, file.identity, last?.generation, isKnown, &disk) else {
      if let found { disk.noteInStep(with: file.identity, found.bytes, found.format, last?.generation) }
      return Outcome(changes: 0, hasChanged: false)
    }
    let (entries, changes) = table.merged(with: held)
    // A file that cannot be read is renamed, even if no new file is written.
    let suffix = found == nil ? disk.suffix : nil
    let generation =
      found == nil ? last?.generation?.afterLoss ?? FileGeneration(Data(), isLoss: true) : last?.generation
    if found == nil, let generation { last?.noteLoss(generation) }
    if entries.isEmpty, table.isReplaced || staged.removesFile {
      guard try file.remove(settingAside: suffix) else { return nil }
      last?.remove()
      disk.noteInStep(with: nil, nil, .binary, nil)
    } else if table.hasUnsaved {
      let (bytes, format) = try Self.bytes(of: entries, found?.format ?? disk.format, for: path)
      let next = generation?.next(bytes) ?? FileGeneration(bytes, isLoss: false)
      if bytes == found?.bytes, file.identity.isOwn {
        // The process that wrote these bytes may not have synced them.
        try file.synchronize()
        last?.write(bytes, next, like: file.identity)
        disk.noteInStep(with: file.identity, bytes, format, next)
      } else {
        let replaced = try file.replace(
          with: bytes, settingAside: suffix, lastGood: disk.known, displaced: Self.suffixOfDisplaced())
        guard let identity = replaced else { return nil }
        last?.write(bytes, next, like: identity)
        disk.noteInStep(with: identity, bytes, format, next)
      }
    } else {
      // An update that changed nothing does not write the file, even if another program wrote it.
      if let found { disk.noteInStep(with: file.identity, found.bytes, found.format, last?.generation) }
      return Outcome(changes: changes, hasChanged: false)
    }
    return Outcome(changes: changes, hasChanged: true, isNoted: last != nil)
  }

  /// Returns the entries that were last saved to a file that cannot be read any more. They come from the copy of the
  /// last save. Returns nil if this process has the entries in memory, or if a complete copy does not exist.
  private func newestState(_ last: LastSave?, _ disk: Disk) -> DomainEntries? {
    guard let last, let generation = last.generation, disk.generation?.covers(generation) != true,
      let data = last.contents()
    else { return nil }
    return try? FileContents.parse(data).entries
  }

  /// Returns the contents of a locked file; nil if they cannot be read as preferences.
  private func contents(
    of file: inout LockedFile, _ generation: FileGeneration?, _ path: String, _ deadline: ContinuousClock.Instant,
    _ disk: inout Disk
  ) throws -> Contents? {
    do {
      guard let contents = try FileContents.read(&file, generation, until: deadline), !contents.isUnfinished,
        let (entries, format) = try contents.parsed?.get()
      else { throw PreferencesError.changedMeanwhile(path: path) }
      return (contents.data, entries, format)
    } catch let error as PropertyListError {
      guard error.isAboutFile else { throw error }
      fileIsUnreadable(path, error, file.identity, &disk)
      try file.checkSettingAside()
      return nil
    }
  }

  /// Saves the values to a new file. Returns nil if the file was created, or its folder removed, meanwhile.
  private func create(_ path: String, _ copy: LastSave?, _ disk: inout Disk, _ adoptAndStage: AdoptAndStage) throws
    -> Outcome?
  {
    try checkFolder(path, &disk)
    let generation = copy?.generation
    if disk.isMadeAnew(in: generation) { disk.isLost = true }
    // Reading a missing file removes the values in memory, but not if the file was lost or this process has never read
    // one. No process has removed the values then.
    guard try adoptAndStage(nil, nil, generation, disk.known == nil || disk.isLost, &disk) != nil, table.hasUnsaved
    else { return Outcome(changes: 0, hasChanged: false) }
    try makeFolder(path, &disk)
    let (entries, changes) = table.merged(with: disk.isLost ? nil : DomainEntries())
    guard !entries.isEmpty else {
      copy?.remove()
      disk.noteInStep(with: nil, nil, .binary, nil)
      return Outcome(changes: changes, hasChanged: true)
    }
    let (bytes, format) = try Self.bytes(of: entries, disk.format, for: path)
    // The copy may be missing because the folder was missing.
    let last = try copy ?? LastSave(of: path, until: .now, isMade: keepsLastSave)
    guard let identity = try FileSystem.create(path, with: bytes) else { return nil }
    let next = generation?.next(bytes) ?? FileGeneration(bytes, isLoss: false)
    last?.write(bytes, next, like: identity)
    disk.noteInStep(with: identity, bytes, format, next)
    sweep(path, &disk)
    return Outcome(changes: changes, hasChanged: true, isNoted: last != nil)
  }

  /// Throws an error if the folder of the file existed before and is missing now.
  private func checkFolder(_ path: String, _ disk: inout Disk) throws {
    let folder = FileSystem.folderOfTarget(of: path)
    if let seen = disk.seenFolder, try FileIdentity(at: seen) == nil {
      // Reported only once. After that, the folder is created as if it had never existed.
      disk.seenFolder = nil
      disk.isLost = true
      disk.changesBeforeVanishing = disk.changesBeforeVanishing ?? table.changeCount
      throw PreferencesError.folderVanished(path: seen)
    }
    // A folder that was removed together with the program's data, for example at the end of a test, is not created
    // again by a timer alone.
    if let changes = disk.changesBeforeVanishing, changes == table.changeCount, !disk.isSaveAskedFor,
      try FileIdentity(at: folder) == nil
    {
      throw PreferencesError.folderVanished(path: folder)
    }
  }

  private func makeFolder(_ path: String, _ disk: inout Disk) throws {
    let folder = FileSystem.folderOfTarget(of: path)
    do { try FileSystem.makeFolder(folder, below: base) } catch {
      throw base.map { (try? FileIdentity(at: $0)) == nil } == true ? PreferencesError.noFolder : error
    }
    disk.seenFolder = folder
  }

  /// Returns the bytes to write: XML if the file is XML and XML can represent all values, else binary. XML cannot
  /// represent a date with a fraction of a second, a control character, a null, or a dictionary that looks like a UID.
  /// OpenStep represents too few types.
  ///
  /// - Parameter limit: the maximum size of a file that can be read again, in bytes.
  /// - Throws: ``PropertyListError``, also if the result is larger than the limit.
  static func bytes(
    of entries: DomainEntries, _ format: PropertyListFormat, for path: String, limit: Int = FileContents.limit
  ) throws(PropertyListError) -> (Data, PropertyListFormat) {
    let (data, format) = try written(entries, format)
    guard data.count <= limit else {
      throw PropertyListError(
        .limitExceeded, "cannot write \(path): its values take \(data.count) bytes, and at most \(limit) can be read")
    }
    return (data, format)
  }

  private static func written(
    _ entries: DomainEntries, _ format: PropertyListFormat
  ) throws(PropertyListError) -> (Data, PropertyListFormat) {
    if format == .xml {
      do {
        return (try xml(of: entries), .xml)
      } catch  where error.kind == .notRepresentable {}
    }
    return (try entries.list.data(asXML: false), .binary)
  }

  private static func xml(of entries: DomainEntries) throws(PropertyListError) -> Data {
    var options = PropertyListWritingOptions(fractionalSeconds: .refuse, writesUIDDictionaries: false)
    let data = try entries.list.data(asXML: true, options)
    // Other readers treat such a dictionary as a UID. Foundation on Linux then drops all values of the file.
    if data.firstRange(of: Data("<key>CF$UID</key>".utf8)) != nil {
      options.writesUIDDictionaries = true
      _ = try entries.list.data(asXML: true, options)
    }
    return data
  }

  private func sweep(_ path: String, _ disk: inout Disk) {
    guard !disk.isSwept else { return }
    disk.isSwept = true
    FileSystem.removeAbandonedFiles(of: path)
  }
}

extension Duration {
  /// The number of seconds.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
