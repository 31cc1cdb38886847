private import Synchronization

/// Temporary files that writers left when they were killed.
extension FileSystem {
  /// Removes the temporary files that killed writers of a file left next to it.
  ///
  /// A temporary file is removed only if it has a name that ``NewFile`` makes for this file, belongs to the user of
  /// this process, has not been written to for ten minutes, and is not locked, as a writer locks it.
  package static func removeAbandonedFiles(of path: String) {
    guard let location = try? FileLocation(lookingFor: path) else { return }
    let prefix = NewFile.temporaryPrefix(text(location.name))
    for name in names(in: parent(of: location.realPath)) where NewFile.prefix(ofTemporary: name) == prefix {
      removeIfAbandoned(name, in: location)
    }
  }

  /// Removes the temporary files that killed writers of a file left. Lists each folder once in a process, so that
  /// replacing all files of a folder takes time in proportion to their number.
  static func removeAbandonedFilesOnce(beside location: FileLocation) {
    let folder = parent(of: location.realPath)
    let found = abandoned.withLock { abandoned in
      if abandoned[folder] == nil {
        let temporary = names(in: folder).compactMap { name in
          NewFile.prefix(ofTemporary: name).map { (prefix: $0, name: name) }
        }
        abandoned[folder] = Dictionary(grouping: temporary, by: \.prefix).mapValues { $0.map(\.name) }
      }
      return abandoned[folder]?.removeValue(forKey: NewFile.temporaryPrefix(text(location.name))) ?? []
    }
    for name in found { removeIfAbandoned(name, in: location) }
  }

  /// The temporary files of the folders that were listed, by the beginnings of their names.
  private static let abandoned = Mutex<[String: [String: [String]]]>([:])

  private static func removeIfAbandoned(_ name: String, in location: FileLocation) {
    let path = systemPath(name)
    guard let identity = location.identity(of: path), identity.isRegularFile, identity.isOwn,
      identity.secondsSinceModification > 600
    else { return }
    let descriptor = location.folder.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { _ = close(descriptor) }
    // A file system without locks has writers that hold none.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return }
    _ = location.folder.remove(path)
  }
}
