internal import FoundationEssentials
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// A copy of the last save of a domain's file, in the same folder: `.DOMAIN.plist.last`.
///
/// The processes of a domain agree by it. A save locks it from beginning to end: another file may replace the domain's
/// at any moment, and a lock on that file is worth nothing then. If the domain's file cannot be read, the process that
/// makes it anew begins with the newest acknowledged state, before it changes anything.
///
/// It has a line with generation, length and hash, and the bytes. It is written in place, after the domain's file is on
/// the disk; the hash detects one that a process did not finish, which is ignored.
final class LastSave {
  private let location: FileLocation
  private let lock: HeldLock
  private let header: Header?
  /// True if it has a state.
  private var isUsed: Bool

  /// The line at the beginning, which is padded to a fixed length.
  private struct Header {
    static let mark = "preferences-last-save-1"
    static let length = 160

    let generation: FileGeneration
    /// The number of bytes of the state.
    let size: Int

    init(_ generation: FileGeneration, size: Int) { (self.generation, self.size) = (generation, size) }

    init?(_ bytes: Data) {
      let words = String(decoding: bytes.prefix(Self.length), as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard bytes.count >= Self.length, words.count == FileGeneration.wordCount + 2, words[0] == Self.mark,
        let generation = FileGeneration(words.dropFirst().dropLast()), let size = Int(words[words.count - 1])
      else { return nil }
      self.init(generation, size: size)
    }

    var bytes: Data {
      let line = ([Self.mark] + generation.words + [String(size)]).joined(separator: " ")
      return Data((line + String(repeating: " ", count: Self.length - 1 - line.utf8.count) + "\n").utf8)
    }
  }

  private static let suffix = ".last"

  /// The generation of the state that was last saved to a file; nil if that is not known.
  static func generation(of file: String) -> FileGeneration? {
    let target = FileSystem.target(of: file)
    let name = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target[target.utf8.index(after: $0)...] }
    let path = PreferencesLocations.join(FileSystem.parent(of: target), ".\(name ?? target[...])\(suffix)")
    return FileSystem.beginning(of: path, count: Header.length).flatMap { Header($0)?.generation }
  }

  /// Opens and locks it for a file.
  ///
  /// - Parameter isMade: true to make it if it is missing.
  /// - Returns: nil if it is missing and is not made, or cannot be used. Files are saved without it then.
  /// - Throws: `EWOULDBLOCK` if another process has it locked for longer; an error that names what is there
  ///   instead of the file, if that is not to be replaced.
  init?(of file: String, until deadline: ContinuousClock.Instant, isMade: Bool) throws(FileError) {
    while true {
      guard let domain = try FileLocation(file) else { return nil }
      _ = try domain.file()
      let location = domain.companion(Self.suffix)
      guard let (descriptor, identity) = try? location.openCompanion(isMade: isMade) else { return nil }
      let lock = HeldLock(on: descriptor, reportedAs: location.path)
      try FileSystem.lock(descriptor, location.path, until: deadline)
      // A process that has removed the domain meanwhile has removed this, too.
      guard location.hasFile(identity) else { continue }
      self.location = location
      self.lock = lock
      let header = (try? FileSystem.readSome(descriptor, named: location.path)).flatMap { Header($0) }
      self.header = header
      isUsed = header != nil
      return
    }
  }

  /// Removes one that was made for a save that came to nothing. It is locked until after this.
  deinit { if !isUsed, !ForkedChild.isThisProcess { location.removeCompanion() } }

  /// The generation of the state that was last saved; nil if it is not known.
  var generation: FileGeneration? { header?.generation }

  /// The bytes that were last saved; nil if they are not all here.
  func contents() -> Data? {
    guard let header, lseek(lock.descriptor, 0, SEEK_SET) == 0,
      let file = try? FileSystem.readRegularFile(lock.descriptor, named: location.path, limit: FileContents.limit)
    else { return nil }
    let data = Data(file.data.dropFirst(Header.length))
    return data.count == header.size && FileGeneration.hash(data) == header.generation.hash ? data : nil
  }

  /// Notes what the file holds now.
  ///
  /// - Parameter file: whose group and permissions this one gets.
  func write(_ data: Data, _ generation: FileGeneration, like file: FileIdentity) {
    // Before there is anything to be read.
    location.setPermissions(of: lock.descriptor, like: file)
    // An unfinished copy must not be taken for the last save.
    isUsed = put(Header(generation, size: data.count).bytes + data)
  }

  /// Notes that the file is about to be made anew, with the state that is here.
  func noteLoss(_ generation: FileGeneration) {
    _ = put(Header(generation, size: header?.size ?? 0).bytes, isAll: false)
  }

  private func put(_ data: Data, isAll: Bool = true) -> Bool {
    guard lseek(lock.descriptor, 0, SEEK_SET) == 0,
      (try? FileOutput(descriptor: lock.descriptor, name: location.path).write(data)) != nil
    else { return false }
    return !isAll || ftruncate(lock.descriptor, off_t(data.count)) == 0
  }

  /// Removes it, with the file.
  func remove() { isUsed = false }

  /// Removes one that could not be opened, since the file was saved without it.
  static func discard(of file: String) { (try? FileLocation(file))?.companion(suffix).removeCompanion() }
}
