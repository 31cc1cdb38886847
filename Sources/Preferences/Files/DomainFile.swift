internal import Dispatch
internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// The file of one domain: read, watched and saved for all who use the domain in this process.
///
/// Three things guard it, always taken in this order: `gate`, for one save at a time; `disk`, for whoever reads or
/// replaces the file; and the table's own, which is all that readers and writers of values ever wait for.
final class DomainFile: Sendable {
  /// Nil if there is no folder to have the file in.
  let path: String?
  /// The path, or a name that no other domain has.
  let name: String
  let table = DomainTable()
  /// The folder that is not made if it is missing.
  let base: String?
  /// True if each save writes a copy. If false, a save only updates an existing copy.
  let keepsLastSave: Bool
  /// True if the domain has no file, and values count as saved at once.
  let isInMemory: Bool

  let gate = DispatchSemaphore(value: 1)
  let schedule = SaveSchedule()
  let disk = Mutex(Disk())

  /// What was found while a lock was held, to be told once none is.
  struct Findings {
    /// Whether values were put back that have to be saved.
    var hasPutBack = false
    var errors: [PreferencesError] = []
  }

  /// What is known of the file.
  struct Disk {
    /// The state whose values the table has; nil if there was no file.
    private(set) var known: FileIdentity?
    /// Whether the file had been written to so shortly before that another state of it may look the same: the clock of
    /// file systems has ticks, and numbers of files are used again.
    private var isRecent = false
    /// The hash of the bytes whose values the table has; nil if there was no file.
    private var fingerprint: UInt64?
    /// The format it has, and is saved in.
    var format = PropertyListFormat.binary
    /// The folder of the file, or the nearest above it that was there when this process looked.
    var seenFolder: String?
    /// How many changes there had been when the folder was found to have vanished; nil if it has not.
    var changesBeforeVanishing: Int?
    /// Whether somebody asked for the save that is under way, and not only time has passed.
    var isSaveAskedFor = false
    /// Whether the values cannot be told from the file: it cannot be read, or its folder has vanished. Those that are
    /// known count then.
    var isLost = false
    /// The state of the file that was reported as unreadable, and what its name is to end with.
    var reported: FileIdentity?
    var suffix = ""
    /// Whether what earlier processes left has been removed.
    var isSwept = false
    /// Why the file could not be read the last time, if that was not for what it is.
    var readError: PropertyListError?
    /// Whether the file will be looked at again without a reason from outside.
    var isLookDue = false
    var findings = Findings()
    /// True after the table has taken the values of the file for the first time.
    private(set) var isConfirmed = false
    /// The saved state that the values of the table come from, or an earlier one; nil if it had no number.
    private(set) var generation: FileGeneration?
    /// What the file has lost when it was damaged, as long as it is waited for that somebody puts it back, and until
    /// when that is.
    var awaited: Set<TableKey> = []
    var waitsUntil = ContinuousClock.now

    /// Whether the table certainly has the values that the file has in this state.
    func isInStep(with identity: FileIdentity?) -> Bool { known == identity && !isRecent && awaited.isEmpty }

    /// True if the file was made anew after the table took its values.
    func isMadeAnew(in current: FileGeneration?) -> Bool { known != nil && current?.hasLoss(since: generation) == true }

    /// True if the values of the table are a state that was saved, so that `current` includes it.
    func isBefore(_ current: FileGeneration?) -> Bool {
      generation?.isCounted(with: current) == true && generation?.hash == fingerprint
    }

    /// Whether the table has the values of a file of these bytes.
    func isInStep(with bytes: Data) -> Bool {
      known != nil && fingerprint == FileGeneration.hash(bytes) && awaited.isEmpty
    }

    /// Notes that the file has this state, with the values that the table has.
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

  /// The file at a path, which is one object however many ask for it.
  static func at(_ path: String?, base: String?) -> DomainFile {
    guard let path else { return DomainFile(nil, base: nil, keepsLastSave: false) }
    let file = files.object(for: TableKey(path)) { DomainFile(path, base: base, keepsLastSave: true) }
    file.readFirst()
    return file
  }

  /// The file at a path, for one look or one change: nobody else has the object, and the file is neither read before
  /// nor watched.
  static func apart(_ path: String?, base: String?, keepsLastSave: Bool = false) -> DomainFile {
    DomainFile(path, base: base, keepsLastSave: keepsLastSave)
  }

  /// Values without a file.
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
  /// Whether the file is looked at when nobody saves it any more.
  private let isReloadDue = Atomic(false)

  private func readFirst() {
    guard !ForkedChild.isThisProcess else { return PreferencesErrors.report(.forkedProcess) }
    // Whoever comes second waits until the first has read it.
    let seen = isRead.withLock { isRead -> Seen? in
      if isRead { return nil }
      isRead = true
      FileWatcher.shared.addLater(self)
      return disk.withLock { disk in (look(&disk, isFirst: true), exchange(&disk.findings, with: Findings())) }
    }
    // A save may have the file just now, which nobody who reads is to wait for.
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

  /// Tells what was found. Not to be called with any lock held.
  func tellFindings() { tell(disk.withLock { disk in exchange(&disk.findings, with: Findings()) }) }

  /// Has the values follow the file from now on. Without this they do from a tenth of a second after it was opened.
  func watch() {
    guard let path, !isWatched.exchange(true, ordering: .sequentiallyConsistent) else { return }
    FileWatcher.shared.add(self, at: path)
    // What changed before was told by nobody.
    reload()
  }

  /// Takes the values of the file if it is another than the one that was read last. If the file is being saved just
  /// now, that is done soon after: a save may be slow, and whoever tells of changes has other files to tell of.
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

  /// Looks at the file. Returns the keys whose values are others than before.
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
        // What is there instead of the file is watched, so it is known when it goes.
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
      // One that is not mounted just now, perhaps. What it held is not gone because of that, nor when the folder is
      // made again.
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

  /// Has the table take the values of the file. What that has lost when it was damaged, though this process knows it,
  /// is put back: at once by those who save to the file, after a second by those who only read.
  func adopt(
    _ entries: DomainEntries, _ identity: FileIdentity?, _ generation: FileGeneration?, _ disk: inout Disk,
    isSaved: Bool
  ) -> [TableKey] {
    // If both states have numbers of one count, the new file includes all that this process has saved.
    let isCounted = disk.generation?.isCounted(with: generation) == true
    var lost = disk.isConfirmed ? table.keysLost(in: entries, areOwnSaved: isCounted) : []
    if !lost.isEmpty, disk.isMadeAnew(in: generation), !disk.isBefore(generation) {
      disk.waitsUntil = .now + .seconds(1)
    } else {
      // What was there again and went after that was removed.
      lost.formIntersection(disk.awaited)
    }
    let isOver = ContinuousClock.now >= disk.waitsUntil
    // Whoever saves a file owns it then.
    if isOver, identity?.isOwn != true, !isSaved { lost = [] }
    let isPutBack = !lost.isEmpty && (isSaved || isOver || table.isWriter)
    disk.awaited = isPutBack ? [] : lost
    if isPutBack { disk.findings.hasPutBack = true }
    if !disk.awaited.isEmpty { reloadLater(&disk, milliseconds: 1000) }
    return table.adopt(entries, keeping: lost, areUnsaved: isPutBack)
  }

  private func read(_ path: String, _ disk: inout Disk, isFirst: Bool) throws(PropertyListError) -> [TableKey] {
    // Who opens a store waits that long for the values; later they come by themselves.
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

  /// Looks at the file again, when whoever writes to it may have finished.
  private func reloadLater(_ disk: inout Disk, milliseconds: Int) {
    guard !disk.isLookDue, LaterWork.prepare() else { return }
    disk.isLookDue = true
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      self.disk.withLock { $0.isLookDue = false }
      reload()
    }
  }

  /// Values in the order that their keys have in the file, and then in that of the keys.
  func ordered(_ values: [TableKey: PropertyList]) -> OrderedDictionary<TableKey, PropertyList> {
    var ordered = OrderedDictionary<TableKey, PropertyList>(minimumCapacity: values.count)
    if let path, let held = try? FileContents.read(path, until: .now)?.parsed?.get() {
      for key in held.entries.values.keys { ordered[key] = values[key] }
    }
    for key in values.keys.sorted() { ordered[key] = values[key] }
    return ordered
  }

  /// Reports, once for each state of the file, that it cannot be read.
  func fileIsUnreadable(_ path: String, _ error: PropertyListError, _ identity: FileIdentity?, _ disk: inout Disk) {
    disk.isLost = true
    guard disk.suffix.isEmpty || disk.reported != identity else { return }
    disk.reported = identity
    disk.suffix = Self.suffixOfUnreadable()
    disk.findings.errors.append(Self.unreadableError(path, error, identity, suffix: disk.suffix))
  }

  /// The error to report for a file that cannot be read: it is set aside later, or stays where it is.
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

  /// What the name of a file that cannot be read is to end with.
  static func suffixOfUnreadable() -> String { FileSystem.suffixOfUnreadable + timestamp(Date()) }

  /// The suffix of the name of a file that a program put there while this one saved, and that another program replaced
  /// at the same moment.
  static func suffixOfDisplaced() -> String { ".replaced-\(timestamp(Date()))" }

  /// A moment as part of a file's name: `20261121T130501Z`.
  private static func timestamp(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted)) + "Z"
  }
}
