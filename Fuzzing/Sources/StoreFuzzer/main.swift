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

/// The models of the stores that the run begins with, for files whose own model is damaged. One thread uses them.
private nonisolated(unsafe) var models: [ManagedObjectModel] = {
  var models: [ManagedObjectModel] = []
  for argument in CommandLine.arguments.dropFirst() where !argument.hasPrefix("-") {
    let folder = URL(filePath: argument)
    for file in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [] {
      guard let model = try? SQLiteStore.model(inFile: file, writesNothing: true) else { continue }
      let hashes = model.entityVersionHashesByName
      if !models.contains(where: { $0.entityVersionHashesByName == hashes }) { models.append(model) }
      if models.count == 8 { return models }
    }
  }
  return models
}()

/// Opens a file with the model in it, or else with one of the others that fits, those that did last first.
private func open(_ file: URL) throws -> SQLiteStore {
  let own = Result { try SQLiteStore.model(inFile: file) }
  if let model = try? own.get() { return try SQLiteStore(file, model: model) }
  for (index, model) in models.enumerated() {
    guard let store = try? SQLiteStore(file, model: model) else { continue }
    models.swapAt(0, index)
    return store
  }
  return try SQLiteStore(file, model: own.get())
}

/// Opens bytes as an SQLite store, reads all objects, executes requests, changes an object of each entity, inserts and
/// deletes some, and saves.
///
/// Errors are what a damaged store should lead to; the process ends for anything else.
private func fuzzStore(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Less is no database.
  guard count >= 1024 else { return -1 }
  let file = folder.appending(path: "Store.sqlite")
  for end in ["-wal", "-shm", "-journal"] { unlink(file.path + end) }
  do {
    try Data(UnsafeBufferPointer(start: start, count: count)).write(to: file)
    let store = try open(file)
    let coordinator = PersistentStoreCoordinator(model: store.model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    for entity in store.model.entities {
      read(entity, context)
      request(entity, context)
    }
    _ = try? store.history()
    for entity in store.model.entities where !entity.isAbstract { change(entity, context) }
  } catch {
    return 0
  }
  return 0
}

/// Reads all values of all objects.
private func read(_ entity: ManagedObjectModel.Entity, _ context: ManagedObjectContext) {
  for object in (try? context.fetch(FetchRequest(entity.name))) ?? [] {
    for property in object.entity.properties { _ = object[property.name] }
  }
}

/// Executes requests that have conditions, orders and groups.
private func request(_ entity: ManagedObjectModel.Entity, _ context: ManagedObjectContext) {
  var request = FetchRequest(entity.name)
  for relationship in entity.relationships {
    let format =
      relationship.definition.isToMany ? "SUBQUERY(%K, $x, $x != NULL).@count > 0 OR NONE %K != NULL" : "%K != NULL"
    let arguments = Array(repeating: relationship.name, count: relationship.definition.isToMany ? 2 : 1)
    request.predicate = try? ManagedPredicate(format: format, arguments: arguments)
    _ = try? context.count(for: request)
  }
  for path in elements(entity) {
    request.predicate = try? ManagedPredicate(format: "%K != NULL AND %K != 'a'", path, path)
    request.sortDescriptors = [.init(path)]
    _ = try? context.fetch(request)
  }
  guard let attribute = entity.attributes.first(where: { $0.type == .string && !$0.isTransient }) else { return }
  request.predicate = try? ManagedPredicate(
    format: "%K CONTAINS[cd] 'a' OR %K BEGINSWITH 'b' OR %K.length > 2", attribute.name, attribute.name, attribute.name)
  request.sortDescriptors = [.init(attribute.name, isAscending: false, comparison: .localizedStandard)]
  _ = try? context.fetch(request)
}

/// Returns the key paths of the elements of composite attributes that are strings.
private func elements(_ entity: ManagedObjectModel.Entity) -> [String] {
  entity.attributes.filter { $0.type == .composite && !$0.isTransient }.flatMap { attribute in
    attribute.definition.elements.filter { $0.type == .string }.map { "\(attribute.name).\($0.name)" }
  }
}

/// Changes, deletes and inserts an object.
private func change(_ entity: ManagedObjectModel.Entity, _ context: ManagedObjectContext) {
  do {
    let objects = try context.fetch(FetchRequest(entity.name))
    for object in [try objects.first ?? context.insert(entity), try context.insert(entity)] {
      for attribute in object.entity.attributes where attribute.type == .string {
        try object.setValue(.string("changed"), forKey: attribute.name)
      }
      for path in elements(object.entity) { try object.setValue(.string("changed"), forKeyPath: path) }
      for relationship in object.entity.relationships where relationship.definition.isToMany {
        try object.setValue(.set([]), forKey: relationship.name)
      }
    }
    if objects.count > 1, let last = objects.last { try context.delete(last) }
    try context.save()
  } catch {
    context.rollback()
  }
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&count, &arguments) { fuzzStore($0, $1) }
try? FileManager.default.removeItem(at: folder)
exit(status)
