internal import Dispatch
internal import SharedFiles
internal import Synchronization
internal import SystemFiles

/// Has files read again when other processes change them.
///
/// Files are watched from when somebody observes their values, else from a tenth of a second after they were opened: to
/// take a watch down takes the system up to 15 ms at the end of a process, and one that reads a value and ends needs
/// none.
///
/// The folders of the files are watched, because files are replaced, and what leads to the folders, because another
/// folder or link may replace it. Where the system tells nothing of changes, on network file systems and where
/// its means are used up, the files are looked at four times a second.
final class FileWatcher: Sendable {
  static let shared = FileWatcher()

  /// How often files are looked at whose changes nobody tells.
  private static let pollingInterval = DispatchTimeInterval.milliseconds(250)

  /// How long after it was opened a file is watched that nobody observes.
  private static let delay = DispatchTimeInterval.milliseconds(100)

  private let queue = DispatchQueue(label: "preferences.watch")
  private let state = Mutex(State())

  private struct State: Sendable {
    #if os(Linux) || os(Android)
      var events: FolderEvents?
      /// Those that are watched, and links.
      var folders: Set<Int32> = []
    #endif
    var files: [ObjectIdentifier: WatchedFile] = [:]
    var isPolling = false
    /// Those that are to be watched, and whether that is about to be done.
    var pending: [WeakReference<DomainFile>] = []
    var isPendingDue = false
  }

  private struct WatchedFile: Sendable {
    weak var file: DomainFile?
    let path: String
    var names: [WatchedName] = []
    /// What leads to the file and its folder, as far as it can be watched.
    var waypoints: Set<Int32> = []
    var isPolled = false
  }

  /// A name in a folder that is watched: of the file, or of a folder on the way to it that is not there yet.
  private struct WatchedName: Hashable, Sendable {
    let folder: Int32
    let name: String
  }

  /// Has a file watched soon.
  func addLater(_ file: DomainFile) {
    state.withLock { state in
      state.pending.append(WeakReference(object: file))
      guard !state.isPendingDue, LaterWork.prepare() else { return }
      state.isPendingDue = true
      queue.asyncAfter(deadline: .now() + Self.delay) { [self] in addPending() }
    }
  }

  private func addPending() {
    let files = state.withLock { state in
      state.isPendingDue = false
      defer { state.pending = [] }
      return state.pending.compactMap(\.object)
    }
    for file in files { file.watch() }
  }

  /// Has a file read again whenever it is changed, as long as it lives.
  func add(_ file: DomainFile, at path: String) {
    state.withLock { state in
      // As often as the number of files doubles, so that it costs nothing on average.
      if state.files.count.nonzeroBitCount == 1 { removeTheDead(&state) }
      var watched = WatchedFile(file: file, path: path)
      startWatching(&watched, &state)
      state.files[ObjectIdentifier(file)] = watched
      if watched.isPolled { poll(&state) }
    }
  }

  private func removeTheDead(_ state: inout State) {
    state.files = state.files.filter { $0.value.file != nil }
    #if os(Linux) || os(Android)
      forgetUnusedFolders(&state)
    #endif
  }

  private func poll(_ state: inout State) {
    guard !state.isPolling, LaterWork.prepare() else { return }
    state.isPolling = true
    queue.asyncAfter(deadline: .now() + Self.pollingInterval) { [self] in
      let files = self.state.withLock { state -> [DomainFile] in
        state.isPolling = false
        let files = state.files.values.filter(\.isPolled).compactMap(\.file)
        if !files.isEmpty { poll(&state) }
        return files
      }
      for file in files { file.reload() }
    }
  }

  #if os(Linux) || os(Android)
    /// Watches the folders that say when the file changes: the one with its name and, if that is a symbolic link, the
    /// one with the file it leads to.
    private func startWatching(_ watched: inout WatchedFile, _ state: inout State) {
      if state.events == nil, LaterWork.prepare() {
        state.events = FolderEvents(on: queue) { [weak self] events in self?.handle(events) }
      }
      watched.names = []
      watched.isPolled = false
      // From the top, and before the folder: what changes after it was passed is told.
      watched.waypoints = Set(
        FileSystem.waypoints(of: watched.path).compactMap { path in state.events?.watchMoveOrRemoval(of: path) })
      state.folders.formUnion(watched.waypoints)
      for path in Set([watched.path, FileSystem.target(of: watched.path)]) {
        guard let events = state.events, let name = Self.watchedName(path, events) else {
          watched.isPolled = true
          continue
        }
        watched.names.append(name)
        state.folders.insert(name.folder)
        if FileSystem.isShared(FileSystem.parent(of: path)) { watched.isPolled = true }
      }
    }

    /// Watches the folder that says when there is a change; nil if the system does not let anybody watch it.
    private static func watchedName(_ path: String, _ events: FolderEvents) -> WatchedName? {
      var name = path
      // Folders may come and go while they are looked for; whoever goes on doing that is polled.
      for _ in 0..<100 {
        let folder = FileSystem.parent(of: name)
        if let watched = events.watch(folder) {
          // What came between the look and the watch is told by nobody.
          let isMissing = name != path && (try? FileIdentity(at: name)) == nil
          guard name == path || isMissing else {
            name = path
            continue
          }
          return WatchedName(folder: watched, name: name.split(separator: "/").last.map(String.init) ?? "")
        }
        // Only what is not there can be waited for in the folder above.
        guard folder != "/", folder != ".", (try? FileIdentity(at: folder)) == nil else { return nil }
        name = folder
      }
      return nil
    }

    private func forgetUnusedFolders(_ state: inout State) {
      let used = Set(state.files.values.flatMap { $0.names.map(\.folder) + $0.waypoints })
      for folder in state.folders.subtracting(used) { state.events?.forget(folder) }
      state.folders.formIntersection(used)
    }

    private func handle(_ events: [FolderEvents.Event]) {
      let files = state.withLock { state -> [DomainFile] in
        var gone: Set<Int32> = []
        var changed: Set<WatchedName> = []
        var isAll = false
        for event in events {
          switch event {
          case .changed(let folder, let name): changed.insert(WatchedName(folder: folder, name: name))
          case .gone(let folder): gone.insert(folder)
          case .overflow: isAll = true
          }
        }
        var files: [DomainFile] = []
        var isElsewhere = false
        for (id, watched) in state.files {
          guard
            isAll || !watched.waypoints.isDisjoint(with: gone)
              || watched.names.contains(where: { gone.contains($0.folder) || changed.contains($0) }),
            let file = watched.file
          else { continue }
          files.append(file)
          // The folder may be another by now, or there at last.
          var updated = watched
          startWatching(&updated, &state)
          if updated.names != watched.names || updated.waypoints != watched.waypoints { isElsewhere = true }
          state.files[id] = updated
          if updated.isPolled { poll(&state) }
        }
        // A folder that no path leads to any more would still be watched, and be one more each time.
        if isElsewhere { forgetUnusedFolders(&state) }
        return files
      }
      for file in files { file.reload() }
    }
  #else
    private func startWatching(_ watched: inout WatchedFile, _ state: inout State) { watched.isPolled = true }
  #endif
}
