internal import FoundationEssentials
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// A copy of the last save of a domain's file, in the same folder: `.DOMAIN.plist.last`.
///
/// The processes that use a domain coordinate through this copy. A save locks the copy from beginning to end. A lock on
/// the domain's file itself would be useless, because another file may replace that file at any moment. If the domain's
/// file cannot be read, the process that replaces it begins with the values in the copy, before it changes anything.
///
/// The copy contains a line with the generation, length and hash, followed by the bytes that were saved. It is written
/// in place, after the domain's file is on the disk. A copy that was not completed has a wrong hash, and is ignored.
final class LastSave {
  private let location: FileLocation
  private let lock: HeldLock
  private let header: Header?
  /// True if the copy contains saved bytes. If false, the copy is removed when this object is released.
  private var isUsed: Bool

  /// The line at the beginning of the copy, which is padded to a fixed length.
  private struct Header {
    static let mark = "preferences-last-save-1"
    static let length = 160

    let generation: FileGeneration
    /// The number of bytes that were saved.
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

  /// Returns the generation of the state that was last saved to a file; nil if it is unknown.
  static func generation(of file: String) -> FileGeneration? {
    let target = FileSystem.target(of: file)
    let name = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { target[target.utf8.index(after: $0)...] }
    let path = FileSystem.join(FileSystem.parent(of: target), ".\(name ?? target[...])\(suffix)")
    return FileSystem.beginning(of: path, count: Header.length).flatMap { Header($0)?.generation }
  }

  /// Opens and locks the copy for a file.
  ///
  /// - Parameter isMade: true to create the copy if it is missing.
  /// - Returns: nil if the copy is missing and is not created, or cannot be used. Files are then saved without it.
  /// - Throws: `EWOULDBLOCK` if another process keeps the copy locked until `deadline`; an error about the file's path
  ///   if it leads to something that must not be replaced.
  init?(of file: String, until deadline: ContinuousClock.Instant, isMade: Bool) throws(FileError) {
    while true {
      guard let domain = try FileLocation(file) else { return nil }
      _ = try domain.file()
      let location = domain.companion(Self.suffix)
      guard let (descriptor, identity) = try? location.openCompanion(isMade: isMade) else { return nil }
      let lock = HeldLock(on: descriptor, reportedAs: location.path)
      try FileSystem.lock(descriptor, location.path, until: deadline)
      // A process that has removed the domain meanwhile has removed the copy too.
      guard location.hasFile(identity) else { continue }
      self.location = location
      self.lock = lock
      let header = (try? FileSystem.readSome(descriptor, named: location.path)).flatMap { Header($0) }
      self.header = header
      isUsed = header != nil
      return
    }
  }

  /// Removes the copy if it contains no saved bytes, because the save failed or has removed the file. The copy is still
  /// locked at this time.
  deinit { if !isUsed, !ForkedChild.isThisProcess { location.removeCompanion() } }

  /// The generation of the state that was last saved; nil if it is unknown.
  var generation: FileGeneration? { header?.generation }

  /// Returns the bytes that were last saved; nil if they are not complete.
  func contents() -> Data? {
    guard let header, lseek(lock.descriptor, 0, SEEK_SET) == 0,
      let file = try? FileSystem.readRegularFile(lock.descriptor, named: location.path, limit: FileContents.limit)
    else { return nil }
    let data = Data(file.data.dropFirst(Header.length))
    return data.count == header.size && FileGeneration.hash(data) == header.generation.hash ? data : nil
  }

  /// Writes the new contents of the file to the copy.
  ///
  /// - Parameter file: the file whose group and permissions the copy gets.
  func write(_ data: Data, _ generation: FileGeneration, like file: FileIdentity) {
    // The permissions are set before there are contents to read.
    location.setPermissions(of: lock.descriptor, like: file)
    // An unfinished copy must not be mistaken for the last save.
    isUsed = put(Header(generation, size: data.count).bytes + data)
  }

  /// Notes in the copy that the file cannot be read, and is about to be replaced with the values in the copy.
  func noteLoss(_ generation: FileGeneration) {
    _ = put(Header(generation, size: header?.size ?? 0).bytes, isAll: false)
  }

  private func put(_ data: Data, isAll: Bool = true) -> Bool {
    guard lseek(lock.descriptor, 0, SEEK_SET) == 0,
      (try? FileOutput(descriptor: lock.descriptor, name: location.path).write(data)) != nil
    else { return false }
    return !isAll || ftruncate(lock.descriptor, off_t(data.count)) == 0
  }

  /// Makes the release of this object remove the copy, because the file is removed.
  func remove() { isUsed = false }

  /// Removes a copy that could not be opened. It is outdated, because the file was saved without it.
  static func discard(of file: String) { (try? FileLocation(file))?.companion(suffix).removeCompanion() }
}
