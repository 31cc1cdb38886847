internal import Dispatch
internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// The file of one domain. It is read, watched and saved for all ``UserPreferences`` in this process that use the
/// domain.
///
/// There are three locks, which are always acquired in this order: `gate` allows one save at a time; `disk` protects
/// reading and replacing the file; and the lock of the table is the only one that readers and writers of values wait
/// for.
final class DomainFile: Sendable {
  /// The path; nil if there is no folder for the file.
  let path: String?
  /// The path, or a unique name for a domain without a file.
  let name: String
  let table = DomainTable()
  /// The user's home folder, which is not created if it is missing; nil if the file may be anywhere.
  let base: String?
  /// True if each save also writes a copy (``LastSave``). If false, a save only updates an existing copy.
  let keepsLastSave: Bool
  /// True if the domain has no file, and values count as saved immediately.
  let isInMemory: Bool

  let gate = DispatchSemaphore(value: 1)
  let schedule = SaveSchedule()
  let disk = Mutex(Disk())

  /// The errors and restored values that were found while a lock was held. They are reported after all locks have been
  /// released.
  struct Findings {
    /// True if values were restored that must be saved.
    var hasPutBack = false
    var errors: [PreferencesError] = []
  }

  /// The known state of the file.
  struct Disk {
    /// The identity of the file that the values of the table come from; nil if there was no file.
    private(set) var known: FileIdentity?
    /// True if the file was written so recently that a newer state may have the same identity, because the times of
    /// files are inexact and inode numbers are reused.
    private var isRecent = false
    /// The hash of the bytes that the values of the table come from; nil if there was no file.
    private var fingerprint: UInt64?
    /// The format of the file. It is saved in the same format.
    var format = PropertyListFormat.binary
    /// The folder of the file, or its nearest ancestor that existed at the last look.
    var seenFolder: String?
    /// The number of changes to the table when the folder was found to be missing; nil if the folder exists.
    var changesBeforeVanishing: Int?
    /// True if a caller requested the save in progress; false if a timer triggered it.
    var isSaveAskedFor = false
    /// True if the values of the domain are not in the file, because the file cannot be read, or because its folder is
    /// missing. The values in memory are used then.
    var isLost = false
    /// The identity of the file when it was last reported as unreadable. The same state of the file is not reported
    /// again.
    var reported: FileIdentity?
    /// The suffix of the name that the unreadable file gets when it is set aside; empty if no such file was reported.
    var suffix = ""
    /// True after the temporary files of killed processes were removed.
    var isSwept = false
    /// The error of the last attempt to read the file, unless it was about the file's contents.
    var readError: PropertyListError?
    /// True if a reload of the file is scheduled.
    var isLookDue = false
    var findings = Findings()
    /// True after the table has taken the values of the file for the first time.
    private(set) var isConfirmed = false
    /// The saved state that the values of the table come from, or an earlier one; nil if it is unknown.
    private(set) var generation: FileGeneration?
    /// The keys that the file lost when it was damaged, and that another process may still restore.
    var awaited: Set<TableKey> = []
    /// The deadline for another process to restore the keys in ``awaited``.
    var waitsUntil = ContinuousClock.now

    /// Returns true if it is certain that the table has the values of the file with this identity.
    func isInStep(with identity: FileIdentity?) -> Bool { known == identity && !isRecent && awaited.isEmpty }

    /// Returns true if the file has become unreadable since the table got its values from it, so that a process has
    /// replaced it with a new file.
    ///
    /// - Parameter current: the state that was last saved.
    func isMadeAnew(in current: FileGeneration?) -> Bool { known != nil && current?.hasLoss(since: generation) == true }

    /// Returns true if the table has the values of a saved state that is in the same series of saves as `current`, so
    /// that `current` includes that state.
    func isBefore(_ current: FileGeneration?) -> Bool {
      generation?.isCounted(with: current) == true && generation?.hash == fingerprint
    }

    /// Returns true if the table has the values of a file with these bytes.
    func isInStep(with bytes: Data) -> Bool {
      known != nil && fingerprint == FileGeneration.hash(bytes) && awaited.isEmpty
    }

    /// Notes that the file has this identity, contents, format and generation, and that the table has its values.
    mutating func noteInStep(
      with identity: FileIdentity?, _ bytes: Data?, _ format: PropertyListFormat, _ generation: FileGeneration?
    ) {
      known = identity
      isConfirmed = true
      self.generation = generation
      fingerprint = bytes.map { FileGeneration.hash($0) }
      isRecent = identity.map { $0.secondsSinceModification < 0.05 } ?? false
      self.format = format
      isLost = false
      changesBeforeVanishing = nil
      reported = nil
      suffix = ""
      readError = nil
    }
  }

  private static let files = SharedObjects<TableKey, DomainFile>()

  /// Returns the file at a path. All callers share one object.
  static func at(_ path: String?, base: String?) -> DomainFile {
    guard let path else { return DomainFile(nil, base: nil, keepsLastSave: false) }
    let file = files.object(for: TableKey(path)) { DomainFile(path, base: base, keepsLastSave: true) }
    file.readFirst()
    return file
  }

  /// Returns an object that no other caller shares, for one read or one change of the file at a path. The file is
  /// neither read in advance nor watched.
  static func apart(_ path: String?, base: String?, keepsLastSave: Bool = false) -> DomainFile {
    DomainFile(path, base: base, keepsLastSave: keepsLastSave)
  }

  /// Returns an object for values without a file.
  static func inMemory() -> DomainFile { DomainFile(nil, base: nil, keepsLastSave: false, isInMemory: true) }

  private init(_ path: String?, base: String?, keepsLastSave: Bool, isInMemory: Bool = false) {
    ForkGate.watch(preparing: SaveSchedule.prepare)
    self.path = path
    self.base = base
    self.keepsLastSave = keepsLastSave
    self.isInMemory = isInMemory
    name = path ?? "domain in memory \(UInt64.random(in: .min ... .max))"
  }

  private let isRead = Mutex(false)
  private let isWatched = Atomic(false)
  /// True if the file must be read again once no save is in progress.
  private let isReloadDue = Atomic(false)

  private func readFirst() {
    guard !ForkedChild.isThisProcess else { return PreferencesErrors.report(.forkedProcess) }
    // The second caller waits until the first has read the file.
    let seen = isRead.withLock { isRead -> Seen? in
      if isRead { return nil }
      isRead = true
      FileWatcher.shared.addLater(self)
      return disk.withLock { disk in (look(&disk, isFirst: true), exchange(&disk.findings, with: Findings())) }
    }
    // Nil if the file was read before.
    if let seen { tell(seen) }
  }

  private typealias Seen = (changed: [TableKey], findings: Findings)

  private func tell(_ seen: Seen) {
    table.notify(seen.changed)
    tell(seen.findings)
  }

  private func tell(_ findings: Findings) {
    if findings.hasPutBack, table.hasUnsaved { schedule.fileHasChanged(self) }
    for error in findings.errors { PreferencesErrors.report(error) }
  }

  /// Reports the findings. Must not be called while holding a lock.
  func tellFindings() { tell(disk.withLock { disk in exchange(&disk.findings, with: Findings()) }) }

  /// From now on, reloads the values whenever the file changes. Without this call, reloading begins a tenth of a second
  /// after the file was opened.
  func watch() {
    guard let path, !isWatched.exchange(true, ordering: .sequentiallyConsistent) else { return }
    FileWatcher.shared.add(self, at: path)
    // Changes that were made before the file was watched are not reported.
    reload()
  }

  /// Reads the values of the file if it has changed since it was last read. Does not wait for a save in progress,
  /// because a save may be slow and the caller has other files to reload, but tries again 10 ms later.
  func reload() {
    let seen = disk.withLockIfAvailable { disk in
      (look(&disk, isFirst: false), exchange(&disk.findings, with: Findings()))
    }
    if let seen { tell(seen) } else { reloadAfterSave() }
  }

  private func reloadAfterSave() {
    guard LaterWork.prepare(), !isReloadDue.exchange(true, ordering: .sequentiallyConsistent) else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(10)) { [weak self] in
      guard let self else { return }
      isReloadDue.store(false, ordering: .sequentiallyConsistent)
      reload()
    }
  }

  /// Reads the file if it has changed. Returns the keys whose values have changed.
  func look(_ disk: inout Disk, isFirst: Bool) -> [TableKey] {
    guard let path else { return [] }
    do {
      guard let identity = try identity(at: path) else { return try fileIsMissing(path, &disk) }
      disk.seenFolder = FileSystem.folderOfTarget(of: path)
      if disk.isInStep(with: identity) {
        disk.isLost = false
        return []
      }
      return try read(path, &disk, isFirst: isFirst)
    } catch {
      guard error.isAboutFile else {
        // A folder or special file at the path is watched, so that its removal is noticed.
        let isObstructed = error.isAboutPath
        if disk.known == nil || isObstructed { disk.isLost = true }
        if disk.readError != error { disk.findings.errors.append(.notRead(path: path, error)) }
        disk.readError = error
        if !isObstructed { reloadLater(&disk, milliseconds: 1000) }
        return []
      }
      fileIsUnreadable(path, error, try? FileIdentity(at: path), &disk)
      return []
    }
  }

  private func identity(at path: String) throws(PropertyListError) -> FileIdentity? {
    try PropertyListError.converting(FileIdentity(at: path))
  }

  private func fileIsMissing(_ path: String, _ disk: inout Disk) throws(PropertyListError) -> [TableKey] {
    let folder = FileSystem.folderOfTarget(of: path)
    let nearest = try PropertyListError.converting(FileSystem.nearestFolder(to: folder))
    if nearest == folder {
      disk.seenFolder = folder
      disk.changesBeforeVanishing = nil
    } else if let seen = disk.seenFolder, try identity(at: seen) == nil {
      // The file system may not be mounted at the moment. The values are still valid then, even if the folder is
      // created again.
      disk.isLost = true
      disk.changesBeforeVanishing = disk.changesBeforeVanishing ?? table.changeCount
    } else if disk.seenFolder == nil {
      disk.seenFolder = nearest
    }
    let generation = LastSave.generation(of: path)
    if disk.isMadeAnew(in: generation) { disk.isLost = true }
    guard !disk.isLost, disk.known != nil else { return [] }
    disk.noteInStep(with: nil, nil, .binary, generation)
    return table.adopt(DomainEntries())
  }

  /// Updates the table with the values of the file. If the file lost values because it was damaged, and this process
  /// still knows them, they are restored: immediately if this process saves the file, after a second if it only reads
  /// the file.
  func adopt(
    _ entries: DomainEntries, _ identity: FileIdentity?, _ generation: FileGeneration?, _ disk: inout Disk,
    isSaved: Bool
  ) -> [TableKey] {
    // If both states belong to the same count of saves, the new file includes everything that this process has saved.
    let isCounted = disk.generation?.isCounted(with: generation) == true
    var lost = disk.isConfirmed ? table.keysLost(in: entries, areOwnSaved: isCounted) : []
    if !lost.isEmpty, disk.isMadeAnew(in: generation), !disk.isBefore(generation) {
      disk.waitsUntil = .now + .seconds(1)
    } else {
      // Values that were restored and are missing again were removed on purpose.
      lost.formIntersection(disk.awaited)
    }
    let isOver = ContinuousClock.now >= disk.waitsUntil
    // The user of a process that saves a file becomes its owner. So values in another user's file are only restored
    // when the file is saved for another reason.
    if isOver, identity?.isOwn != true, !isSaved { lost = [] }
    let isPutBack = !lost.isEmpty && (isSaved || isOver || table.isWriter)
    disk.awaited = isPutBack ? [] : lost
    if isPutBack { disk.findings.hasPutBack = true }
    if !disk.awaited.isEmpty { reloadLater(&disk, milliseconds: 1000) }
    return table.adopt(entries, keeping: lost, areUnsaved: isPutBack)
  }

  private func read(_ path: String, _ disk: inout Disk, isFirst: Bool) throws(PropertyListError) -> [TableKey] {
    // The first reader of a file waits this long for a complete file. Later, the values are updated when it is
    // complete.
    let deadline = ContinuousClock.now + (isFirst ? .milliseconds(500) : .zero)
    let contents = try FileContents.read(path, until: deadline, unless: { disk.isInStep(with: $0) })
    guard let contents else { return try fileIsMissing(path, &disk) }
    guard let parsed = contents.parsed else {
      disk.noteInStep(with: contents.identity, contents.data, disk.format, contents.generation)
      return []
    }
    if contents.isUnfinished {
      if disk.known == nil { disk.isLost = true }
      reloadLater(&disk, milliseconds: 100)
      return []
    }
    let (entries, format) = try parsed.get()
    let changed = adopt(entries, contents.identity, contents.generation, &disk, isSaved: false)
    disk.noteInStep(with: contents.identity, contents.data, format, contents.generation)
    return changed
  }

  /// Reads the file again after a delay, when the program that writes it may have finished.
  private func reloadLater(_ disk: inout Disk, milliseconds: Int) {
    guard !disk.isLookDue, LaterWork.prepare() else { return }
    disk.isLookDue = true
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      self.disk.withLock { $0.isLookDue = false }
      reload()
    }
  }

  /// Returns values in the order of the file; values that are not in the file follow, sorted by key.
  func ordered(_ values: [TableKey: PropertyList]) -> OrderedDictionary<TableKey, PropertyList> {
    var ordered = OrderedDictionary<TableKey, PropertyList>(minimumCapacity: values.count)
    if let path, let held = try? FileContents.read(path, until: .now)?.parsed?.get() {
      for key in held.entries.values.keys { ordered[key] = values[key] }
    }
    for key in values.keys.sorted() { ordered[key] = values[key] }
    return ordered
  }

  /// Reports that the file cannot be read, once for each state of the file.
  func fileIsUnreadable(_ path: String, _ error: PropertyListError, _ identity: FileIdentity?, _ disk: inout Disk) {
    disk.isLost = true
    guard disk.suffix.isEmpty || disk.reported != identity else { return }
    disk.reported = identity
    disk.suffix = Self.suffixOfUnreadable()
    disk.findings.errors.append(Self.unreadableError(path, error, identity, suffix: disk.suffix))
  }

  /// Returns the error for a file that cannot be read: `unreadable` if the next save sets the file aside, or `notRead`
  /// if the file must not be renamed.
  static func unreadableError(
    _ path: String, _ error: PropertyListError, _ identity: FileIdentity?, suffix: String
  ) -> PreferencesError {
    do {
      if let identity { try FileLocation(path)?.checkSettingAside(identity, isForbidden: error.isAboutPermission) }
      return .unreadable(path: path, setAside: path + suffix, error)
    } catch {
      return .notRead(path: path, PropertyListError(error))
    }
  }

  /// Returns the suffix for the name that an unreadable file gets when it is set aside.
  static func suffixOfUnreadable() -> String { FileSystem.suffixOfUnreadable + timestamp(Date()) }

  /// Returns the suffix for the name of a file that another program created during a save, and that a third program
  /// replaced at the same moment.
  static func suffixOfDisplaced() -> String { ".replaced-\(timestamp(Date()))" }

  /// Returns a date in the form for file names: `20261121T130501Z`.
  private static func timestamp(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted)) + "Z"
  }
}
