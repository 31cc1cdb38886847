internal import Dispatch
internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists
internal import Synchronization

/// Saving: under the file's lock, what the file holds is read, changed key by key, and put in the file's place.
extension DomainFile {
  /// A change to one value that depends on what the file holds.
  typealias Update = (inout PropertyList?) throws(PreferencesError) -> Void
  /// A change to all values that depends on what the file holds; nil for no file.
  typealias UpdateOfAll = (inout OrderedDictionary<String, PropertyList>?) throws(PreferencesError) -> Void

  /// Makes the changes that an update asks for, which are taken back if the file cannot have them. It is given what the
  /// file holds; nil if there is none.
  private typealias Staging =
    (OrderedDictionary<String, PropertyList>?) throws(PreferencesError) -> DomainTable.StagedChanges

  /// Brings the changes of this process into the file, and the values of the file into this process.
  ///
  /// Returns when all is on the disk.
  ///
  /// - Parameters:
  ///   - patience: how long to wait for others who save, here and in other processes.
  ///   - isAskedFor: whether a caller wants it, and not only time has passed.
  func save(patience: Duration, isAskedFor: Bool = true) throws(PreferencesError) {
    try save(patience: patience, isAskedFor, isUpdate: false) { _ in DomainTable.StagedChanges() }
  }

  /// As ``save(patience:)``, after a value was changed while no other process can change it. `update` is called again if the
  /// file was changed all the same.
  func update(_ key: String, patience: Duration, _ update: Update) throws(PreferencesError) {
    try save(patience: patience, true, isUpdate: true) { _ throws(PreferencesError) in
      // Again if another thread set the value meanwhile.
      while true {
        let old = table.versioned(key)
        var value = old.value
        try update(&value)
        if let value { try Preferences.check(value, forKey: key) }
        if let staged = table.stage(value, forKey: key, insteadOf: old) { return DomainTable.StagedChanges([staged]) }
      }
    }
  }

  /// As ``update(_:patience:_:)``, for all values at once. Without any there is no file.
  func updateAll(patience: Duration, _ update: UpdateOfAll) throws(PreferencesError) {
    try save(patience: patience, true, isUpdate: true) { held throws(PreferencesError) in
      var values = held
      try update(&values)
      for (key, value) in values ?? [:] where held?[key] != value { try Preferences.check(value, forKey: key) }
      return table.stage(values, insteadOf: held ?? [:])
    }
  }

  private func save(
    patience: Duration, _ isAskedFor: Bool, isUpdate: Bool, _ stage: Staging
  ) throws(PreferencesError) {
    let deadline = ContinuousClock.now + patience
    guard gate.wait(timeout: .now() + patience.seconds) == .success else {
      // The save that is under way may have begun before the last changes.
      schedule.saveBegins()
      schedule.saveFailed(self, .locked(path: path ?? ""))
      throw .locked(path: path ?? "")
    }
    defer {
      gate.signal()
      reportFaults()
    }
    schedule.saveBegins()
    disk.withLock { $0.isSaveAskedFor = isAskedFor }
    do throws(PreferencesError) {
      if isUpdate || table.hasUnsaved {
        try replaceFile(until: deadline, stage)
      } else {
        table.notify(disk.withLock { disk in look(&disk, isFirst: false) })
      }
    } catch {
      schedule.saveFailed(self, error)
      throw error
    }
    schedule.saveSucceeded(self)
  }

  private func replaceFile(until deadline: ContinuousClock.Instant, _ stage: Staging) throws(PreferencesError) {
    guard let path else { throw .noFolder }
    for _ in 0..<10 {
      if try attempt(path, deadline, stage) { return }
    }
    throw .changedMeanwhile(path: path)
  }

  /// One attempt to save.
  ///
  /// - Returns: whether that was done; not if the file was changed meanwhile.
  private func attempt(
    _ path: String, _ deadline: ContinuousClock.Instant, _ stage: Staging
  ) throws(PreferencesError) -> Bool {
    // What may have changed is told once no lock is held.
    var changed: [String] = []
    var staged = DomainTable.StagedChanges()
    defer { table.notify(changed + staged.keys) }
    func change(
      _ held: OrderedDictionary<String, PropertyList>?, _ isKnown: Bool
    ) throws(PreferencesError) -> DomainTable.StagedChanges {
      if !isKnown { changed += table.adopt(held ?? [:]) }
      staged = try stage(held)
      return staged
    }
    do {
      // The value moves into the closure by way of an optional, since it cannot be copied.
      var locked = try lock(path, deadline)
      var hasRemoved = false
      let outcome = try disk.withLock { disk in
        // Before anybody else looks at the file, and takes a change for one that the file does not have yet, or has.
        var outcome: Int?
        defer {
          if let outcome { table.isInPlace(changes: outcome) } else { table.takeBack(staged) }
        }
        if let file = locked.take() {
          outcome = try replace(file, path, deadline, &disk, change)
          hasRemoved = staged.removesFile
        } else {
          outcome = try create(path, &disk, change)
        }
        return outcome
      }
      guard let changes = outcome else { return false }
      // An update may have changed nothing.
      guard table.hasUnsaved || hasRemoved else { return true }
      // Whoever reads the file has the new values from now on. They count as saved when the disk has its name too.
      try FileSystem.synchronizeFolder(of: path)
      table.saved(changes: changes)
      return true
    } catch let error as PreferencesError {
      throw error
    } catch let error as PropertyListError {
      throw FileSystem.isLocked(error) ? .locked(path: path) : .notSaved(path: path, error)
    } catch {
      throw .notSaved(path: path, PropertyListError(.malformed, "\(error)"))
    }
  }

  /// Has the table take the values that the file holds, unless it has them, and makes the changes that are asked for.
  private typealias Change =
    (OrderedDictionary<String, PropertyList>?, _ isKnown: Bool) throws(PreferencesError) -> DomainTable.StagedChanges

  /// Opens and locks the file; nil if there is none, or none any more because it could not be read.
  private func lock(
    _ path: String, _ deadline: ContinuousClock.Instant
  ) throws(PropertyListError) -> LockedFile? {
    do throws(PropertyListError) {
      return try LockedFile(path, until: deadline)
    } catch {
      guard FileSystem.isAboutFile(error) else { throw error }
    }
    // Of two processes that find it so, one sets it aside, and the other finds what the first has saved.
    return try FileSystem.withLockedFolder(of: path, until: deadline) { () throws(PropertyListError) -> LockedFile? in
      do throws(PropertyListError) {
        return try LockedFile(path, until: deadline)
      } catch {
        guard FileSystem.isAboutFile(error) else { throw error }
        try disk.withLock { disk throws(PropertyListError) in
          try setAside(path, error, try? FileIdentity(at: path), &disk)
        }
        return nil
      }
    }
  }

  /// Gives a file that cannot be read a name that says when that was found.
  private func setAside(
    _ path: String, _ error: PropertyListError, _ identity: FileIdentity?, _ disk: inout Disk
  ) throws(PropertyListError) {
    fileIsUnreadable(path, error, identity, &disk)
    _ = try FileSystem.setAside(path, suffix: disk.suffix)
    disk.isSetAside()
  }

  /// - Returns: how many changes of the table the file has now; nil if it was changed meanwhile.
  private func replace(
    _ locked: consuming LockedFile, _ path: String, _ deadline: ContinuousClock.Instant, _ disk: inout Disk,
    _ change: Change
  ) throws -> Int? {
    var file = locked
    disk.seenFolder = FileSystem.folderOfTarget(of: path)
    sweep(path, &disk)
    let (data, held, format): (Data, OrderedDictionary<String, PropertyList>, PropertyListFormat)
    do {
      guard let contents = try read(&file, until: deadline) else { throw PreferencesError.changedMeanwhile(path: path) }
      (data, held, format) = contents
    } catch let error as PropertyListError {
      guard FileSystem.isAboutFile(error) else { throw error }
      if try file.isUnchanged() { try setAside(path, error, file.identity, &disk) }
      return nil
    }
    let staged = try change(held, disk.isInStep(with: data))
    let (entries, changes) = table.merged(with: held)
    if entries.isEmpty, table.isReplaced || staged.removesFile {
      guard try file.remove() else { return nil }
      disk.isInStep(with: nil, nil, .binary)
      return changes
    }
    guard table.hasUnsaved else {
      // An update that changed nothing leaves the file as it is, whoever wrote it.
      disk.isInStep(with: file.identity, data, format)
      return changes
    }
    let (bytes, newFormat) = try Self.bytes(of: entries, format)
    if bytes == data {
      // Whoever wrote it may not have come to the end of it.
      try file.synchronize()
      disk.isInStep(with: file.identity, bytes, newFormat)
    } else {
      guard let identity = try file.replace(with: bytes) else { return nil }
      disk.isInStep(with: identity, bytes, newFormat)
    }
    return changes
  }

  /// As `replace`, where there is no file.
  private func create(_ path: String, _ disk: inout Disk, _ change: Change) throws -> Int? {
    try checkFolder(path, &disk)
    // What is known of a file that cannot be read counts, since nobody removed it.
    _ = try change(nil, disk.known == nil || disk.isLost)
    guard table.hasUnsaved else { return table.changeCount }
    try makeFolder(path, &disk)
    let (entries, changes) = table.merged(with: disk.isLost ? nil : [:])
    guard !entries.isEmpty else {
      disk.isInStep(with: nil, nil, .binary)
      return changes
    }
    let (bytes, format) = try Self.bytes(of: entries, disk.format)
    guard let identity = try FileSystem.create(path, with: bytes) else { return nil }
    disk.isInStep(with: identity, bytes, format)
    sweep(path, &disk)
    return changes
  }

  /// Looks whether the folder has vanished.
  private func checkFolder(_ path: String, _ disk: inout Disk) throws {
    let folder = FileSystem.folderOfTarget(of: path)
    if let seen = disk.seenFolder, try FileIdentity(at: seen) == nil {
      // Said once; then the folder is made as if it had never been.
      disk.seenFolder = nil
      disk.isLost = true
      disk.changesBeforeVanishing = disk.changesBeforeVanishing ?? table.changeCount
      throw PreferencesError.folderVanished(path: seen)
    }
    // A folder that somebody removed together with the program's data does not come back by itself, as when a test has ended.
    if let changes = disk.changesBeforeVanishing, changes == table.changeCount, !disk.isSaveAskedFor,
      try FileIdentity(at: folder) == nil
    {
      throw PreferencesError.folderVanished(path: folder)
    }
  }

  private func makeFolder(_ path: String, _ disk: inout Disk) throws {
    let folder = FileSystem.folderOfTarget(of: path)
    do throws(PropertyListError) {
      try FileSystem.makeFolder(folder, below: base)
    } catch {
      throw base.map { (try? FileIdentity(at: $0)) == nil } == true ? PreferencesError.noFolder : error
    }
    disk.seenFolder = folder
  }

  /// The bytes and the entries of a locked file. Waits for programs that do not lock it and write to it in place.
  ///
  /// - Returns: nil if such a program is not done in time.
  private func read(
    _ file: inout LockedFile, until deadline: ContinuousClock.Instant
  ) throws(PropertyListError) -> (Data, OrderedDictionary<String, PropertyList>, PropertyListFormat)? {
    while true {
      let data = try file.read()
      do throws(PropertyListError) {
        let (entries, format) = try Self.entries(of: data)
        guard data.isEmpty, file.identity.mayBeIncomplete else { return (data, entries, format) }
      } catch {
        guard file.identity.mayBeIncomplete else { throw error }
      }
      guard ContinuousClock.now < deadline else { return nil }
      FileSystem.pause(milliseconds: 20)
    }
  }

  /// A file's bytes in XML if it is XML, else in the binary format; also if XML cannot hold all of it: a date with a
  /// fraction of a second, a control character, a null, a dictionary that looks like a UID. OpenStep holds too little.
  private static func bytes(
    of entries: OrderedDictionary<String, PropertyList>, _ format: PropertyListFormat
  ) throws(PropertyListError) -> (Data, PropertyListFormat) {
    let contents = PropertyList.dictionary(entries)
    if format == .xml {
      do throws(PropertyListError) {
        return (try xml(of: contents), .xml)
      } catch  where error.kind == .notRepresentable {}
    }
    return (try contents.data(format: .binary), .binary)
  }

  private static func xml(of contents: PropertyList) throws(PropertyListError) -> Data {
    var options = PropertyListWritingOptions(fractionalSeconds: .refuse, writesUIDDictionaries: false)
    let data = try contents.data(format: .xml, options: options)
    // To other readers a dictionary of this form is no dictionary. Foundation on Linux drops all values of the file over it.
    if data.firstRange(of: Data("<key>CF$UID</key>".utf8)) != nil {
      options.writesUIDDictionaries = true
      _ = try contents.data(format: .xml, options: options)
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
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
