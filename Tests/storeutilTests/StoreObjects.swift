import CSQLite
import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// Stores that the tests make, read and change in their own process. That takes less time than to start the tool.
extension Library {
  /// Opens a store of any kind. Creates it if `isReadOnly` is false and there is no file; the end of its name is its
  /// kind.
  ///
  /// - Parameter model: The name of a model file, or of a store that contains the model. If it is nil, an SQLite store
  ///   contains its model, and another one has that of the library.
  func context(_ store: String, model: String? = nil, isReadOnly: Bool = true) throws -> ManagedObjectContext {
    let file = url.appending(path: store)
    let named: StoreFileKind = store.hasSuffix("xml") ? .xml : store.hasSuffix("binary") ? .binaryPropertyList : .sqlite
    let kind = StoreFileKind(ofFile: file.path) ?? named
    let model = try self.model(model ?? (kind == .sqlite ? store : "Library.xcdatamodel"))
    let opened: any PersistentStore
    switch kind {
    case .xml: opened = try XMLStore(file, model: model, isReadOnly: isReadOnly)
    case .binaryPropertyList: opened = try BinaryStore(file, model: model, isReadOnly: isReadOnly)
    default:
      opened = try SQLiteStore(
        file, model: model, access: isReadOnly ? .readOnly(writesNothing: true) : .readWrite)
    }
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(opened)
    return ManagedObjectContext(coordinator: coordinator)
  }

  /// Returns the model in a model file or in a store.
  func model(_ name: String) throws -> ManagedObjectModel {
    let file = url.appending(path: name)
    if StoreFileKind(ofFile: file.path) == .sqlite { return try SQLiteStore.model(inFile: file, writesNothing: true) }
    return try ManagedObjectModel(contentsOf: file)
  }

  /// Returns the number of objects that meet a condition.
  func count(_ store: String, _ entity: String, _ condition: String? = nil, model: String? = nil) throws -> Int {
    let predicate = try condition.map { try ManagedPredicate(format: $0) }
    return try context(store, model: model).count(for: FetchRequest(entity, where: predicate))
  }

  /// Returns the values of objects at some key paths, in an order that does not depend on the objects' keys. A to-many
  /// relationship in a key path leads to several values. The key `@entity` stands for the name of the entity.
  func values(
    _ store: String, _ entity: String, _ keys: [String], where condition: String? = nil, model: String? = nil
  ) throws -> [[[AttributeValue]]] {
    let predicate = try condition.map { try ManagedPredicate(format: $0) }
    let context = try context(store, model: model)
    var rows: [[[AttributeValue]]] = []
    for object in try context.fetch(FetchRequest(entity, where: predicate)) {
      var row: [[AttributeValue]] = []
      for key in keys {
        if key == "@entity" {
          row.append([.string(object.entity.name)])
        } else {
          let value = try object[key] ?? object.value(forKeyPath: key)
          row.append(Self.attributes(value).sorted { "\($0)" < "\($1)" })
        }
      }
      rows.append(row)
    }
    return rows.sorted { "\($0)" < "\($1)" }
  }

  private static func attributes(_ value: ManagedObject.Value) -> [AttributeValue] {
    switch value {
    case .attribute(let value): [value]
    case .object(let object): [.string("\(object.objectID)")]
    case .array(let elements), .set(let elements): elements.flatMap { attributes($0) }
    }
  }

  /// Sets values of all objects that meet a condition.
  func change(
    _ store: String, _ entity: String, where condition: String, _ values: KeyValuePairs<String, AttributeValue>
  ) throws {
    let context = try context(store, isReadOnly: false)
    let objects = try context.fetch(FetchRequest(entity, where: ManagedPredicate(format: condition)))
    try #require(!objects.isEmpty)
    for object in objects { try object.setValues(values) }
    try context.save()
  }

  /// Executes SQL statements on a store.
  func execute(_ statements: String, on store: String) throws {
    try SQLiteFile.change(url.appending(path: store), statements)
  }
}

extension ManagedObjectContext {
  /// Inserts an object and saves it, so that the primary keys follow the order of the calls.
  @discardableResult
  func add(
    _ entity: String, _ values: KeyValuePairs<String, AttributeValue>,
    _ related: KeyValuePairs<String, ManagedObject.Value> = [:]
  ) throws -> ManagedObject {
    let object = try insert(entity)
    try object.setValues(values)
    for (key, value) in related { try object.setValue(value, forKey: key) }
    try save()
    return object
  }
}

/// Executes statements on a database.
enum SQLiteFile {
  static func change(_ file: URL, _ statements: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    let opened = sqlite3_open(file.path, &database)
    let executed = sqlite3_exec(database, statements, nil, nil, nil)
    let message = String(cString: sqlite3_errmsg(database))
    try #require(opened == SQLITE_OK && executed == SQLITE_OK, "\(message)")
  }
}
