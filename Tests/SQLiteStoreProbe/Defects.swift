import CSQLite
import Foundation
import ManagedObjects
import SQLiteStore

extension Probe {
  /// Locks a database for writing until a file with the same name and the suffix `.release` exists, or the test has
  /// ended.
  static func hold(_ path: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_busy_timeout(handle, 10_000) == SQLITE_OK,
      sqlite3_exec(handle, "BEGIN IMMEDIATE; UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX", nil, nil, nil) == SQLITE_OK
    else { throw Usage() }
    say("locked")
    let parent = getppid()
    while access(path + ".release", F_OK) != 0, getppid() == parent { usleep(10_000) }
    guard sqlite3_exec(handle, "COMMIT", nil, nil, nil) == SQLITE_OK else { throw Usage() }
    sqlite3_close(handle)
    say("free")
  }

  /// Saves objects of 10 000 bytes while the size of files is limited, until a save fails. Then it saves the same
  /// objects without the limit, and some more.
  static func fill(_ file: URL, room: Int) throws {
    let coordinator = PersistentStoreCoordinator(model: Chain.model)
    try coordinator.add(SQLiteStore(file, model: Chain.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    let limit = limitFiles(to: room)
    var number: Int64 = 0
    func insert() throws {
      number += 1
      let counter = try context.insert("Counter")
      try counter.setValues([
        "name": .string("fill"), "count": .integer(number),
        "data": .data(Data(repeating: UInt8(number % 251), count: 10_000)),
      ])
    }
    var failed: ManagedObjectError?
    while failed == nil {
      try insert()
      do throws(ManagedObjectError) {
        try context.save()
        say("saved \(number)")
      } catch {
        failed = error
      }
    }
    say("failed \(number) \(failed.map { "\($0.code)" } ?? "") \(context.insertedObjects.count)")
    // Saved objects can still be read.
    say("has \(try ManagedObjectContext(coordinator: coordinator).count(for: FetchRequest("Counter")))")
    liftLimit(limit)
    try context.save()
    say("saved \(number)")
    for _ in 0..<3 {
      try insert()
      try context.save()
      say("saved \(number)")
    }
  }

  /// Limits the size of files. Exceeding it is an error, and does not end the process.
  static func limitFiles(to room: Int) -> rlimit {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(fileSizeLimit, &limit)
    limit.rlim_cur = rlim_t(room)
    setrlimit(fileSizeLimit, &limit)
    return limit
  }

  static func liftLimit(_ limit: rlimit) {
    var limit = limit
    limit.rlim_cur = limit.rlim_max
    setrlimit(fileSizeLimit, &limit)
  }

  #if os(Linux)
    private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let fileSizeLimit = RLIMIT_FSIZE
  #endif
}
