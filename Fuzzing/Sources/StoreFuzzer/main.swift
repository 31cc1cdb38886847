import CLibFuzzer
import Foundation
import ManagedObjects
import SQLiteStore

/// The store that the bytes are written to.
private let folder: URL = {
  let memory = URL(filePath: "/dev/shm")
  let parent =
    FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
  let folder = parent.appending(path: "store-fuzzer-\(ProcessInfo.processInfo.processIdentifier)")
  try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}()

/// Opens bytes as an SQLite store with the model in it, reads all objects, changes one of each entity and saves it.
///
/// Errors are what a damaged store should lead to; the process ends for anything else.
private func fuzzStore(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let file = folder.appending(path: "Store.sqlite")
  for end in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: file.path + end) }
  do {
    try Data(UnsafeBufferPointer(start: start, count: count)).write(to: file)
    let model = try SQLiteStore.model(inFile: file)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(SQLiteStore(file, model: model))
    let context = ManagedObjectContext(coordinator: coordinator)
    for entity in model.entities {
      for object in try context.fetch(FetchRequest(entity.name)) {
        for property in object.entity.properties { _ = object[property.name] }
      }
    }
    for entity in model.entities where !entity.isAbstract {
      let object = try context.fetch(FetchRequest(entity.name)).first ?? context.insert(entity)
      for attribute in entity.attributes where attribute.type == .string {
        try object.setValue(.string("changed"), forKey: attribute.name)
      }
      do { try context.save() } catch { context.rollback() }
    }
  } catch {
    return 0
  }
  return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&count, &arguments) { fuzzStore($0, $1) }
try? FileManager.default.removeItem(at: folder)
exit(status)
