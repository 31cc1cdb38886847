import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore
import SystemFiles
import ToolSupport

/// The options for opening a store.
///
/// The options are not in nested groups. In debug builds, whenever ArgumentParser checks a group, it checks each group
/// in it four times. So one more level of groups would make parsing four times as slow.
struct OpeningArguments: ParsableArguments {
  @Option(
    file: "The model of the store, if the store does not contain it: .momd, .mom, .xcdatamodeld, .xcdatamodel, or an "
      + "SQLite store with the model. Of several versions, the one that the store was made with is used. Not needed if "
      + "exactly one model file in the store's folder has the version hashes of the store.", "model")
  var model: String?

  @Flag(name: ImmutableArgument.name, help: ImmutableArgument.help)
  var isImmutable = false

  @Flag(
    help: """
      Read an SQLite store without its model, by its tables alone: properties have the names of columns, and most \
      to-one relationships are numbers.
      """)
  var tables = false

  /// Throws `ValidationError` if the option `--immutable` is given. Verbs that write call this.
  func refuseImmutable() throws {
    if isImmutable { throw ValidationError("--immutable works only for reading.") }
  }

  /// Returns true if the file at a path must be read without writing any file.
  func writesNothing(_ path: String) -> Bool { ImmutableArgument.writesNothing(path, isGiven: isImmutable) }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - isTrial: true if changes are rolled back.
  ///   - allowsTriggers: true if a save may run triggers that other programs have created.
  func open(
    _ path: String, isReadOnly: Bool = true, isTrial: Bool = false, allowsTriggers: Bool = false
  ) throws -> OpenStore {
    let url = URL(filePath: path)
    let kind = try StoreKind(path)
    let writesNothing = (isReadOnly || isTrial) && writesNothing(path)
    if tables {
      guard kind == .sqlite, isReadOnly, model == nil else {
        throw ValidationError(
          "--tables works only for reading SQLite stores, and cannot be combined with --model.")
      }
      return OpenStore(try SQLiteStore(tablesOf: url, writesNothing: writesNothing))
    }
    if kind == .sqlite, isReadOnly, model == nil {
      do { return OpenStore(try SQLiteStore(withModelInFile: url, writesNothing: writesNothing)) } catch {
        // If the store contains no model, one is searched for below.
        if error.code != .open { throw error }
      }
    }
    let model = try modelOfStore(path, kind, writesNothing: writesNothing)
    if isTrial, kind == .sqlite {
      // Opening the store read-only first reports its defects before SQLite creates files next to it.
      _ = try kind.open(url, model, .readOnly(writesNothing: writesNothing))
      return OpenStore(try SQLiteStore(forTrialsIn: url, model: model, allowsTriggers: allowsTriggers))
    }
    let access: StoreAccess =
      isReadOnly
      ? .readOnly(writesNothing: writesNothing) : .readWrite(createsFile: false, allowsTriggers: allowsTriggers)
    return OpenStore(try kind.open(url, model, access))
  }

  /// Returns the model for opening a store.
  private func modelOfStore(_ path: String, _ kind: StoreKind, writesNothing: Bool) throws -> ManagedObjectModel {
    let url = URL(filePath: path)
    if let model { return try ModelFile(model).version(of: kind.metadata(url, writesNothing: writesNothing)) }
    if kind == .sqlite {
      do { return try SQLiteStore.model(inFile: url, writesNothing: writesNothing) } catch {
        guard let metadata = try? kind.metadata(url, writesNothing: writesNothing),
          let model = ModelFile.toldModel(beside: path, with: metadata)
        else { throw error }
        return model
      }
    }
    let metadata = try kind.metadata(url, writesNothing: writesNothing)
    if let model = ModelFile.toldModel(beside: path, with: metadata) { return model }
    let example = ModelFile.example(ofModelBeside: path, with: metadata).map { ", such as \($0.printable())" }
    throw ValidationError(
      "\(path.printable()) is \(kind.nameWithArticle), which does not contain its model; use --model with the model "
        + "file\(example ?? ", or with an SQLite store that contains the model").")
  }
}

/// The option to read a store without writing any file.
struct ImmutableArgument: ParsableArguments {
  static let name = NameSpecification.customLong("immutable")
  static let help = ArgumentHelp(
    """
    Write no files at all, not even those that SQLite uses to share a store. A store with a write-ahead log is read \
    from a copy. No program may save into the store meanwhile. Without this option, a store is read in this way if \
    no program has it open.
    """)

  @Flag(name: Self.name, help: Self.help)
  var isGiven = false

  /// Returns true if the file at a path must be read without writing any file.
  func writesNothing(_ path: String) -> Bool { Self.writesNothing(path, isGiven: isGiven) }

  /// Returns true if the file at a path must be read without writing any file.
  ///
  /// - Parameter isGiven: true if the user has given the option.
  static func writesNothing(_ path: String, isGiven: Bool) -> Bool {
    isGiven || (try? StoreKind(path))?.isUnused(path) != false
  }
}

/// An open store.
struct OpenStore {
  let store: any PersistentStore
  let model: ManagedObjectModel

  init(_ store: any PersistentStore) {
    self.store = store
    model = store.model
  }

  /// Creates a context for the store's objects.
  ///
  /// - Parameter keepsChanges: false for a dry run, which rolls back every save.
  func context(keepsChanges: Bool = true) throws -> ManagedObjectContext {
    context(of: try coordinator(keepsChanges: keepsChanges))
  }

  /// Creates a coordinator for contexts. ``context(keepsChanges:)`` explains the parameter.
  func coordinator(keepsChanges: Bool) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(model: model)
    if keepsChanges {
      try coordinator.add(store)
    } else if let store = store as? any TrialSaving {
      try coordinator.add(TrialStore(store))
    } else {
      throw ManagedObjectError(.unsupportedRequest, "the store does not support dry runs")
    }
    return coordinator
  }

  func context(of coordinator: PersistentStoreCoordinator) -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator: coordinator)
    context.transactionAuthor = ToolName.current
    return context
  }

  /// Returns the entity with a name from the command line.
  func entity(_ name: String) throws -> ManagedObjectModel.Entity { try model.entity(onCommandLine: name) }

  /// Parses a condition on objects of an entity. In the text of the condition, objects, UUIDs, URLs and dates are
  /// written as strings.
  func predicate(_ text: String, for entity: ManagedObjectModel.Entity) throws -> ManagedPredicate {
    try ManagedPredicate(format: ProgramArguments.text(text), for: entity) { name, entity in
      // If an object ID in the text has no entity, as in `p12`, searches the entities that the relationship can lead
      // to.
      guard let number = Self.number(name[...]) else { return try? key(name) }
      let keys = entity.selfAndDescendants.map { RowKey(store: store.number, entityIndex: $0.index, number: number) }
      let rows = (try? store.rows(keys)) ?? []
      return zip(keys, rows).first { $0.1 != nil }?.0 ?? keys.first
    }
  }

  /// Parses the primary key of an object: `p12` or `12`.
  private static func number(_ text: Substring) -> Int64? {
    Int64(text.hasPrefix("p") ? text.dropFirst() : text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Parses an object ID from the command line: `x-coredata://STORE/Note/p12`, `Note/p12` or `Note/12`.
  func key(_ text: String) throws -> RowKey {
    var name = text[...]
    if text.hasPrefix(ObjectURI.prefix) {
      name = name.dropFirst(ObjectURI.prefix.count)
      guard name.hasPrefix(store.identifier + "/") else {
        throw ValidationError(
          "\(text.quoted) is an object of another store; the UUID of this store is \(store.identifier.quoted).")
      }
      name = name.dropFirst(store.identifier.count + 1)
    }
    // The name of an entity may contain a slash.
    guard let slash = name.lastIndex(of: "/"), slash > name.startIndex else { throw notAnID(text) }
    guard let number = Self.number(name[name.index(after: slash)...]) else { throw notAnID(text) }
    let entity = try entity(String(name[..<slash]))
    return RowKey(store: store.number, entityIndex: entity.index, number: number)
  }

  private func notAnID(_ text: String) -> ValidationError {
    ValidationError("\(text.quoted) is not an object ID such as Note/p12.")
  }

  /// Returns the object with a row key. Throws if it does not exist.
  func object(_ key: RowKey, in context: ManagedObjectContext) throws -> ManagedObject {
    let id = ManagedObjectID(key, model: model, storeIdentifier: store.identifier)
    do { return try context.existingObject(with: id) } catch {
      guard error.code == .referentialIntegrity else { throw error }
      throw ManagedObjectError(.referentialIntegrity, "the store has no object \(id)")
    }
  }
}

extension ManagedObjectModel {
  /// Returns the entity with a name from the command line.
  func entity(onCommandLine name: String) throws -> Entity {
    if let entity = entity(named: name) { return entity }
    let hint = MistypedVerb.nearest(to: name, in: entities.map(\.name)).map { "; did you mean \($0.printable())?" }
    throw ValidationError("The model has no entity \(name.quoted)\(hint ?? "; storeutil model \"STORE\" lists them.")")
  }
}
