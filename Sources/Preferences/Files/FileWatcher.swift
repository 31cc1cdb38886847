internal import Dispatch
internal import SharedFiles
internal import Synchronization
internal import SystemFiles

/// An observer that reloads files when other processes change them.
///
/// A file is watched as soon as its values are observed, and otherwise a tenth of a second after it was opened. The
/// delay avoids watches in a process that only reads a value and exits: at the end of the process, the system needs up
/// to 15 ms to remove a watch.
///
/// The folders of the files are watched, because a save replaces the file. The folders and links on the paths to these
/// folders are watched too, because they may be replaced. If the system does not report changes, as on network file
/// systems or when its resources are used up, the files are checked four times a second.
final class FileWatcher: Sendable {
  static let shared = FileWatcher()

  /// The time between two checks of files whose changes are not reported.
  private static let pollingInterval = DispatchTimeInterval.milliseconds(250)

  /// The time from opening a file until it is watched, if its values are not observed.
  private static let delay = DispatchTimeInterval.milliseconds(100)

  private let queue = DispatchQueue(label: "preferences.watch")
  private let state = Mutex(State())

  private struct State: Sendable {
    #if os(Linux) || os(Android)
      var events: FolderEvents?
      /// The watch descriptors of the watched folders and links.
      var folders: Set<Int32> = []
    #endif
    var files: [ObjectIdentifier: WatchedFile] = [:]
    var isPolling = false
    /// The recently opened files, which are watched once ``delay`` has passed.
    var pending: [WeakReference<DomainFile>] = []
    var isPendingDue = false
  }

  private struct WatchedFile: Sendable {
    weak var file: DomainFile?
    let path: String
    var names: [WatchedName] = []
    /// The watch descriptors of the folders and links on the paths to the file and its folder.
    var waypoints: Set<Int32> = []
    var isPolled = false
  }

  /// A name in a watched folder: of the file, or of a missing folder on the path to it.
  private struct WatchedName: Hashable, Sendable {
    let folder: Int32
    let name: String
  }

  /// Watches a file once ``delay`` has passed.
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

  /// Reloads a file whenever it changes, until the ``DomainFile`` is released.
  func add(_ file: DomainFile, at path: String) {
    state.withLock { state in
      // Released files are removed whenever the number has doubled, so that the average cost is constant.
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
    /// Watches the folder that contains the file and, if the file is a symbolic link, the folder that contains its
    /// target. If such a folder is missing, its nearest existing parent is watched. Also watches the folders and links
    /// on the path, because they may be replaced.
    private func startWatching(_ watched: inout WatchedFile, _ state: inout State) {
      if state.events == nil, LaterWork.prepare() {
        state.events = FolderEvents(on: queue) { [weak self] events in self?.handle(events) }
      }
      watched.names = []
      watched.isPolled = false
      // These are watched from the top, and before the folder of the file, so that no later change is missed.
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

    /// Watches the folder that contains a file, or its nearest parent that exists; returns nil if the system does not
    /// allow that.
    private static func watchedName(_ path: String, _ events: FolderEvents) -> WatchedName? {
      var name = path
      // Folders may be created and removed during the search. If that does not end, the file is polled.
      for _ in 0..<100 {
        let folder = FileSystem.parent(of: name)
        if let watched = events.watch(folder) {
          // A missing folder that was created before its parent was watched is not reported, so the search begins
          // again.
          let isMissing = name != path && (try? FileIdentity(at: name)) == nil
          guard name == path || isMissing else {
            name = path
            continue
          }
          return WatchedName(folder: watched, name: name.split(separator: "/").last.map(String.init) ?? "")
        }
        // If the folder is missing, its parent reports when it is created. If it exists and cannot be watched, the file
        // is polled.
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
          // A folder on the path may have been replaced or created.
          var updated = watched
          startWatching(&updated, &state)
          if updated.names != watched.names || updated.waypoints != watched.waypoints { isElsewhere = true }
          state.files[id] = updated
          if updated.isPolled { poll(&state) }
        }
        // Folders that are no longer on any path would otherwise remain watched, and accumulate.
        if isElsewhere { forgetUnusedFolders(&state) }
        return files
      }
      for file in files { file.reload() }
    }
  #else
    private func startWatching(_ watched: inout WatchedFile, _ state: inout State) { watched.isPolled = true }
  #endif
}
