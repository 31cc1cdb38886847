import CSQLite
import Foundation
import Synchronization

/// Makes SQLite's system calls on the files of one folder fail.
///
/// SQLite makes all system calls through tables of functions. This type replaces the tables of this process with its
/// own, which count the calls and forward them.
enum FailingFiles {
  /// The counted calls.
  enum Call: Hashable, Sendable {
    case open, read, write, truncate, sync, size, lock, sharedMemory, delete, look
  }

  private struct Watch {
    var folder: String
    var calls: [Call] = []
    var fails: @Sendable (Int, Call) -> Int32?
  }

  private struct File {
    let folder: String
    /// The address of the original table.
    let methods: Int
  }

  private struct State {
    var watches: [String: Watch] = [:]
    /// The open files by address, and the original tables by the address of the replaced ones.
    var files: [Int: File] = [:]
    var tables: [Int: Int] = [:]
  }

  private static let state = Mutex(State())

  /// Runs a function while calls on the files of a folder fail.
  ///
  /// - Parameter fails: Returns the error of a call by its index, or nil to execute it.
  /// - Returns: The calls.
  static func calls(
    in folder: URL, fails: @escaping @Sendable (Int, Call) -> Int32?, during body: () throws -> Void
  ) rethrows -> [Call] {
    let path = folder.path
    state.withLock { $0.watches[path] = Watch(folder: path, fails: fails) }
    defer { state.withLock { $0.watches[path] = nil } }
    try body()
    return state.withLock { $0.watches[path]?.calls ?? [] }
  }

  private static func result(_ call: Call, _ folder: String?) -> Int32? {
    state.withLock { state in
      guard let folder, let watch = state.watches[folder] else { return nil }
      state.watches[folder]?.calls.append(call)
      return watch.fails(watch.calls.count, call)
    }
  }

  private static func result(_ call: Call, _ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32? {
    let number = Int(bitPattern: file)
    return result(call, state.withLock { $0.files[number]?.folder })
  }

  private static func result(_ call: Call, path: UnsafePointer<CChar>?) -> Int32? {
    result(call, path.map { (String(cString: $0) as NSString).deletingLastPathComponent })
  }

  nonisolated(unsafe) private static var system = sqlite3_vfs()
  nonisolated(unsafe) private static let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)

  /// Installs the tables for all files that are opened later.
  static let installed: Void = {
    guard let vfs = sqlite3_vfs_find(nil) else { return }
    system = vfs.pointee
    var ours = system
    ours.zName = UnsafePointer(strdup("failing"))
    ours.pNext = nil
    ours.xOpen = { vfs, name, file, flags, outFlags in
      if let code = FailingFiles.result(.open, path: name) {
        file?.pointee.pMethods = nil
        return code
      }
      let code = FailingFiles.system.xOpen(vfs, name, file, flags, outFlags)
      if code == SQLITE_OK, let file, let name, let methods = file.pointee.pMethods {
        FailingFiles.replaceMethods(methods, of: file, (String(cString: name) as NSString).deletingLastPathComponent)
      }
      return code
    }
    ours.xDelete = { vfs, name, sync in
      FailingFiles.result(.delete, path: name) ?? FailingFiles.system.xDelete(vfs, name, sync)
    }
    ours.xAccess = { vfs, name, flags, result in
      FailingFiles.result(.look, path: name) ?? FailingFiles.system.xAccess(vfs, name, flags, result)
    }
    FailingFiles.ours.initialize(to: ours)
    sqlite3_vfs_register(FailingFiles.ours, 1)
  }()

  private static func replaceMethods(
    _ methods: UnsafePointer<sqlite3_io_methods>, of file: UnsafeMutablePointer<sqlite3_file>, _ folder: String
  ) {
    let (number, table) = (Int(bitPattern: file), Int(bitPattern: methods))
    let ours = state.withLock { state in
      state.files[number] = File(folder: folder, methods: table)
      if let known = state.tables[table] { return known }
      let new = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      new.initialize(to: makeMethods(methods.pointee))
      state.tables[table] = Int(bitPattern: new)
      return Int(bitPattern: new)
    }
    file.pointee.pMethods = UnsafePointer(bitPattern: ours)
  }

  /// Returns the original functions for a file.
  private static func methods(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods {
    let number = Int(bitPattern: file)
    let table = state.withLock { $0.files[number]?.methods ?? 0 }
    return UnsafePointer<sqlite3_io_methods>(bitPattern: table)?.pointee ?? sqlite3_io_methods()
  }

  private static func makeMethods(_ system: sqlite3_io_methods) -> sqlite3_io_methods {
    var ours = system
    ours.xClose = { file in
      let methods = FailingFiles.methods(file)
      let number = Int(bitPattern: file)
      FailingFiles.state.withLock { $0.files[number] = nil }
      return methods.xClose(file)
    }
    ours.xRead = { file, bytes, count, offset in
      FailingFiles.result(.read, file) ?? FailingFiles.methods(file).xRead(file, bytes, count, offset)
    }
    ours.xWrite = { file, bytes, count, offset in
      FailingFiles.result(.write, file) ?? FailingFiles.methods(file).xWrite(file, bytes, count, offset)
    }
    ours.xTruncate = { file, size in
      FailingFiles.result(.truncate, file) ?? FailingFiles.methods(file).xTruncate(file, size)
    }
    ours.xSync = { file, flags in FailingFiles.result(.sync, file) ?? FailingFiles.methods(file).xSync(file, flags) }
    ours.xFileSize = { file, size in
      FailingFiles.result(.size, file) ?? FailingFiles.methods(file).xFileSize(file, size)
    }
    ours.xLock = { file, kind in FailingFiles.result(.lock, file) ?? FailingFiles.methods(file).xLock(file, kind) }
    if system.xShmMap == nil { return ours }
    ours.xShmMap = { file, region, size, extends, memory in
      FailingFiles.result(.sharedMemory, file)
        ?? FailingFiles.methods(file).xShmMap(file, region, size, extends, memory)
    }
    return ours
  }

  /// Returns SQLite's error code for a failed call.
  static func error(_ call: Call) -> Int32 {
    // A full disk has its own error code.
    if call == .write { return SQLITE_FULL }
    if call == .open { return SQLITE_CANTOPEN }
    let number: Int32 =
      switch call {
      case .read: 1
      case .truncate: 6
      case .sync: 4
      case .size: 7
      case .lock: 15
      case .sharedMemory: 19
      case .delete: 10
      case .look, .open, .write: 13
      }
    return SQLITE_IOERR | number << 8
  }
}
