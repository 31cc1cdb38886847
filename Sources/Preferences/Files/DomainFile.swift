internal import Dispatch
internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists
internal import Synchronization

/// The file of one domain: read, watched and saved for all who use the domain in this process.
///
/// Three things guard it, always taken in this order: `gate`, for one save at a time; `disk`, for whoever reads or replaces
/// the file; and the table's own, which is all that readers and writers of values ever wait for.
final class DomainFile: Sendable {
  /// Nil if there is no folder to have the file in.
  let path: String?
  let table = DomainTable()
  /// The folder that is not made if it is missing.
  let base: String?

  let gate = DispatchSemaphore(value: 1)
  let schedule = SaveSchedule()
  let disk = Mutex(Disk())

  /// What is known of the file.
  struct Disk {
    /// The state whose values the table has; nil if there was no file.
    private(set) var known: FileIdentity?
    /// Whether the file had been written to so shortly before that another state of it may look the same: the clock of file
    /// systems has ticks, and numbers of files are used again.
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
    /// Whether the values cannot be told from the file: it cannot be read, or its folder has vanished. Those that are known
    /// count then.
    var isLost = false
    /// The state of the file that was reported as unreadable, and what its name is to end with.
    var reported: FileIdentity?
    var suffix = ""
    /// Whether what earlier processes left has been removed.
    var isSwept = false
    /// Why the file could not be read the last time, if that was not for what it is.
    var readFault: PropertyListError?
    /// Whether the file will be looked at again without a reason from outside.
    var isLookDue = false
    /// Faults to tell as soon as no lock is held.
    var faults: [PreferencesError] = []

    /// Whether the table certainly has the values that the file has in this state.
    func isInStep(with identity: FileIdentity?) -> Bool { known == identity && !isRecent }

    /// Whether the table has the values of a file of these bytes.
    func isInStep(with bytes: Data) -> Bool { known != nil && fingerprint == Self.fingerprint(bytes) }

    private static func fingerprint(_ bytes: Data) -> UInt64 {
      ByteHash.hash(bytes.bytes, from: 0, count: bytes.count, seed: ByteHash.seed)
    }

    /// Notes that there is no file any more, and that what it held counts.
    mutating func isSetAside() {
      known = nil
      isRecent = false
      fingerprint = nil
      isLost = true
    }

    /// Notes that the file has this state, with the values that the table has.
    mutating func isInStep(with identity: FileIdentity?, _ bytes: Data?, _ format: PropertyListFormat) {
      known = identity
      fingerprint = bytes.map { Self.fingerprint($0) }
      isRecent = identity.map { $0.secondsSinceModification < 0.05 } ?? false
      self.format = format
      isLost = false
      changesBeforeVanishing = nil
      reported = nil
      suffix = ""
      readFault = nil
    }
  }

  private static let files = Mutex<[[UInt8]: WeakFile]>([:])

  private struct WeakFile: Sendable {
    weak var file: DomainFile?
  }

  /// The file at a path, which is one object however many ask for it.
  static func at(_ path: String?, base: String?) -> DomainFile {
    guard let path else { return DomainFile(nil, base: nil) }
    let file = files.withLock { files in
      let key = Array(path.utf8)
      if let file = files[key]?.file { return file }
      // As often as the number of files doubles, so that it costs nothing on average.
      if files.count.nonzeroBitCount == 1 { files = files.filter { $0.value.file != nil } }
      let file = DomainFile(path, base: base)
      files[key] = WeakFile(file: file)
      return file
    }
    _ = LaterWork.isPossible
    file.readFirst(path)
    return file
  }

  /// The file at a path, for one look or one change: nobody else has the object, and the file is neither read before nor
  /// watched.
  static func apart(_ path: String?, base: String?) -> DomainFile { DomainFile(path, base: base) }

  private init(_ path: String?, base: String?) {
    self.path = path
    self.base = base
  }

  private let isRead = Mutex(false)
  /// Whether the file is looked at when nobody saves it any more.
  private let isReloadDue = Atomic(false)

  private func readFirst(_ path: String) {
    // Whoever comes second waits until the first has read it.
    let changed = isRead.withLock { isRead -> [String]? in
      if isRead { return nil }
      isRead = true
      // First, since what changes after the look is told only if the file is watched by then.
      FileWatcher.shared.add(self, at: path)
      return disk.withLock { disk in look(&disk, isFirst: true) }
    }
    // A save may have the file just now, which nobody who reads is to wait for.
    guard let changed else { return }
    table.notify(changed)
    reportFaults()
  }

  /// Takes the values of the file if it is another than the one that was read last. If the file is being saved just now, that is done
  /// soon after: a save may be slow, and whoever tells of changes has other files to tell of.
  func reload() {
    guard let changed = disk.withLockIfAvailable({ disk in look(&disk, isFirst: false) }) else {
      return reloadAfterSave()
    }
    table.notify(changed)
    reportFaults()
  }

  private func reloadAfterSave() {
    guard LaterWork.isPossible, !isReloadDue.exchange(true, ordering: .sequentiallyConsistent) else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(10)) { [weak self] in
      guard let self else { return }
      isReloadDue.store(false, ordering: .sequentiallyConsistent)
      reload()
    }
  }

  /// Tells the faults that were found while a lock was held.
  func reportFaults() {
    for fault in disk.withLock({ disk in exchange(&disk.faults, with: []) }) { PreferencesFaults.report(fault) }
  }
}

/// Reading.
extension DomainFile {
  /// Looks at the file.
  ///
  /// - Returns: the keys whose values are others than before.
  func look(_ disk: inout Disk, isFirst: Bool) -> [String] {
    guard let path else { return [] }
    do throws(PropertyListError) {
      guard let identity = try FileIdentity(at: path) else { return try fileIsMissing(path, &disk) }
      disk.seenFolder = FileSystem.folderOfTarget(of: path)
      if disk.isInStep(with: identity) {
        disk.isLost = false
        return []
      }
      return try read(path, &disk, isFirst: isFirst)
    } catch {
      guard FileSystem.isAboutFile(error) else {
        if disk.known == nil { disk.isLost = true }
        if disk.readFault != error { disk.faults.append(.notRead(path: path, error)) }
        disk.readFault = error
        reloadLater(&disk, milliseconds: 1000)
        return []
      }
      fileIsUnreadable(path, error, try? FileIdentity(at: path), &disk)
      return []
    }
  }

  private func fileIsMissing(_ path: String, _ disk: inout Disk) throws(PropertyListError) -> [String] {
    let folder = FileSystem.folderOfTarget(of: path)
    let nearest = try FileSystem.nearestFolder(to: folder)
    if nearest == folder {
      disk.seenFolder = folder
      disk.changesBeforeVanishing = nil
    } else if let seen = disk.seenFolder, try FileIdentity(at: seen) == nil {
      // One that is not mounted just now, perhaps. What it held is not gone because of that, nor when the folder is made
      // again.
      disk.isLost = true
      disk.changesBeforeVanishing = disk.changesBeforeVanishing ?? table.changeCount
    } else if disk.seenFolder == nil {
      disk.seenFolder = nearest
    }
    guard !disk.isLost, disk.known != nil else { return [] }
    disk.isInStep(with: nil, nil, .binary)
    return table.adopt([:])
  }

  private func read(_ path: String, _ disk: inout Disk, isFirst: Bool) throws(PropertyListError) -> [String] {
    // Who opens a store waits that long for the values; later they come by themselves.
    let deadline = ContinuousClock.now + (isFirst ? .milliseconds(500) : .zero)
    while true {
      guard let (data, identity) = try FileSystem.readRegularFile(path) else { return try fileIsMissing(path, &disk) }
      if disk.isInStep(with: data) {
        disk.isInStep(with: identity, data, disk.format)
        return []
      }
      do throws(PropertyListError) {
        let (entries, format) = try Self.entries(of: data)
        if !data.isEmpty || !identity.mayBeIncomplete {
          disk.isInStep(with: identity, data, format)
          return table.adopt(entries)
        }
      } catch {
        guard identity.mayBeIncomplete else { throw error }
      }
      // Programs that write to a file in place, as Foundation does, may be in the middle of it.
      guard ContinuousClock.now < deadline else {
        if disk.known == nil { disk.isLost = true }
        reloadLater(&disk, milliseconds: 100)
        return []
      }
      FileSystem.pause(milliseconds: 20)
    }
  }

  /// Looks at the file again, when whoever writes to it may have finished.
  private func reloadLater(_ disk: inout Disk, milliseconds: Int) {
    guard !disk.isLookDue, LaterWork.isPossible else { return }
    disk.isLookDue = true
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      self.disk.withLock { $0.isLookDue = false }
      reload()
    }
  }

  /// Values in the order that their keys have in the file, and then in that of the keys.
  func ordered(_ values: [String: PropertyList]) -> OrderedDictionary<String, PropertyList> {
    var ordered = OrderedDictionary<String, PropertyList>(minimumCapacity: values.count)
    if let path, let (data, _) = try? FileSystem.readRegularFile(path), let held = try? Self.entries(of: data).entries {
      for key in held.keys { ordered[key] = values[key] }
    }
    for key in values.keys.sorted() { ordered[key] = values[key] }
    return ordered
  }

  /// The entries of a file's bytes. A file without a byte has none.
  static func entries(
    of data: Data
  ) throws(PropertyListError) -> (entries: OrderedDictionary<String, PropertyList>, format: PropertyListFormat) {
    if data.isEmpty { return ([:], .binary) }
    if let readable = FoundationXML.withStandIns(data), let (entries, format) = try? parse(readable) {
      return (FoundationXML.withoutStandIns(entries), format)
    }
    return try parse(data)
  }

  private static func parse(
    _ data: Data
  ) throws(PropertyListError) -> (entries: OrderedDictionary<String, PropertyList>, format: PropertyListFormat) {
    // Dictionaries that look like UIDs are what they are, and a key that stands twice has its last value, as for Apple's
    // reader: it is not for this reader to keep everything from the program because of it.
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, duplicateKeys: .keepLast)
    // JSON is no format of preferences. What begins like it may be an empty dictionary of OpenStep, and nothing else.
    let format = PropertyListFormat(detecting: data.bytes)
    let document = try PropertyListDocument(data, format: format == .json ? .openStep : format, options: options)
    guard case .dictionary(let entries) = try PropertyList(document.root) else {
      throw PropertyListError(.malformed, "the top value is no dictionary")
    }
    return (entries, document.format)
  }

  /// Reports, once for each state of the file, that it cannot be read.
  func fileIsUnreadable(
    _ path: String, _ error: PropertyListError, _ identity: FileIdentity?, _ disk: inout Disk
  ) {
    disk.isLost = true
    guard disk.suffix.isEmpty || disk.reported != identity else { return }
    disk.reported = identity
    disk.suffix = Self.suffixOfUnreadable()
    disk.faults.append(.unreadable(path: path, setAside: path + disk.suffix, error))
  }

  /// What the name of a file that cannot be read is to end with.
  static func suffixOfUnreadable() -> String { ".unreadable-\(timestamp(Date()))" }

  /// A moment as part of a file's name: `20261121T130501Z`.
  private static func timestamp(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted)) + "Z"
  }
}

extension FileIdentity {
  /// Whether somebody who writes to the file in place may not have finished. The clocks of file systems are not exactly
  /// that of the process.
  var mayBeIncomplete: Bool { abs(secondsSinceModification) < 1 }
}
