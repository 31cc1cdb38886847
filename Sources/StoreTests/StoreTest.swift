internal import Dispatch
public import FoundationEssentials
public import ManagedObjects
internal import Synchronization

/// A conformance test for a ``PersistentStore``.
///
/// Run ``all`` tests on your store, in any test framework:
///
/// ```swift
/// @Test(arguments: StoreTest.all)
/// func conformance(test: StoreTest) throws {
///   try test.run { folder, model in try CSVStore(folder.appending(path: "store"), model: model) }
/// }
/// ```
///
/// The stores of this package pass these tests, except that the in-memory store skips those with ``reopensStore``.
public struct StoreTest: Sendable, CustomStringConvertible {
  /// A function that opens the store in a folder, or creates it if it does not exist. A test can open the store several
  /// times; it releases the previous instance first.
  public typealias Opening = (_ folder: URL, _ model: ManagedObjectModel) throws -> any PersistentStore

  /// The tested behavior.
  public let description: String
  /// True if the test closes a store, opens it again, and expects the saved objects. An in-memory store cannot pass
  /// such a test.
  public let reopensStore: Bool
  private let body: @Sendable (StoreBench) throws -> Void

  init(_ description: String, reopensStore: Bool = false, _ body: @escaping @Sendable (StoreBench) throws -> Void) {
    self.description = description
    self.reopensStore = reopensStore
    self.body = body
  }

  /// All tests.
  public static let all = saving + relationships + requests + files

  /// Runs the test in a temporary folder, which is deleted afterwards.
  ///
  /// For a store without a file, run only the tests that do not open a store again:
  ///
  /// ```swift
  /// for test in StoreTest.all where !test.reopensStore {
  ///   try test.run { _, model in try InMemoryStore(model: model) }
  /// }
  /// ```
  ///
  /// - Throws: ``StoreTestFailure`` if the store does not behave as the test expects, or an error that the store threw.
  public func run(opening: @escaping Opening) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(StoreBench(folder: folder, opening: opening))
  }
}

/// An error that a ``StoreTest`` throws if a store does not behave as expected.
public struct StoreTestFailure: Error, CustomStringConvertible {
  /// A description of the expected and the actual behavior, such as `the save did not change the token`.
  public let description: String
}

/// The store that a test opens, and helpers for tests.
struct StoreBench {
  let folder: URL
  let opening: StoreTest.Opening

  /// Opens the store of the test. The instance that was opened before must be released.
  func open(_ model: ManagedObjectModel? = nil) throws -> any PersistentStore {
    try opening(folder, model ?? TestLibrary.model())
  }

  /// Opens a second store, in its own folder.
  func openOther() throws -> any PersistentStore {
    let other = folder.appending(path: "other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    return try opening(other, TestLibrary.model())
  }

  /// Returns the objects of an entity, sorted by the property `key`. Throws if there are too few.
  ///
  /// - Parameter count: The minimum number of objects.
  static func fetch(
    _ entity: String, by key: String, atLeast count: Int, _ context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    let found = try context.fetch(FetchRequest(entity, sortedBy: [.init(key)]))
    try expect(found.count >= count, "expected at least \(count) objects of \(entity), found \(found.count)")
    return found
  }

  /// Returns a context with this store only.
  static func context(_ store: any PersistentStore) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: store.model)
    try coordinator.add(store)
    return ManagedObjectContext(coordinator: coordinator)
  }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw StoreTestFailure(description: message()) }
}

func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ name: @autoclosure () -> String) throws {
  try expect(value == expected, "\(name()): expected \(expected), found \(value)")
}

/// Returns an element of an array that the store returned. Throws if the array is too short.
func element<Element>(_ index: Int, of result: [Element], _ name: @autoclosure () -> String) throws -> Element {
  try expect(index < result.count, "\(name()): expected at least \(index + 1), found \(result.count)")
  return result[index]
}

/// Calls `body`, which must throw an error with one of the codes, and returns the error.
@discardableResult
func expectError(
  _ codes: ManagedObjectError.Code..., from name: @autoclosure () -> String, _ body: () throws -> Void
) throws -> ManagedObjectError {
  do { try body() } catch let error as ManagedObjectError {
    try expect(
      codes.contains(error.code),
      "\(name()): expected an error with one of the codes \(codes), found \(error.code): \(error)")
    return error
  }
  throw StoreTestFailure(
    description: "\(name()): expected an error with one of the codes \(codes), but no error was thrown")
}

/// Calls a function several times at once, on several threads. Each call gets another number, from 0.
///
/// - Throws: The first error of a call.
func inThreads(_ count: Int, _ body: @Sendable (Int) throws -> Void) throws {
  let failure = Mutex<(any Error)?>(nil)
  DispatchQueue.concurrentPerform(iterations: count) { number in
    do { try body(number) } catch { failure.withLock { $0 = $0 ?? error } }
  }
  if let error = failure.withLock({ $0 }) { throw error }
}
