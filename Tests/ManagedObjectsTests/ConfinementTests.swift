import Foundation
import TestSupport
import Testing

/// The Swift compiler in the path, if any.
private let compiler: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  .map { URL(filePath: String($0)).appending(path: "swiftc") }
  .first { FileManager.default.isExecutableFile(atPath: $0.path) }

/// Uses of another task's objects that must be compiler errors. The same is checked for property wrappers in a class
/// that is not a managed object.
@Suite("Confinement to tasks", .enabled(if: compiler != nil, "swiftc is not in PATH")) struct ConfinementTests {
  private static let broken = [
    "Task { note.title = \"x\" }",
    "Task { _ = context }",
    "Task.detached { _ = note.author }",
    "async let other: Void = use(note); note.title = \"y\"; await other",
    "await withTaskGroup(of: Void.self) { group in group.addTask { _ = context } }",
    "let closure: @Sendable () -> Void = { print(note.title) }; closure()",
    "let closure: @Sendable () -> Void = { _ = context }; closure()",
    "await Keeper().keep(note)",
    "await MainActor.run { print(note.title) }",
    "@MainActor func reset(_ container: PersistentContainer) { "
      + "let own = container.mainContext; Task.detached { own.reset() } }; print(reset)",
    "actor Worker { func reset(_ container: PersistentContainer) { "
      + "let own = container.newContext(isolation: self); Task.detached { own.reset() } } }; print(Worker())",
  ]

  private static let kept = [
    "Task { print(id) }",
    "async let other: Void = use(id); print(id); await other",
    "await Keeper().keep(id)",
    "let closure: @Sendable () -> Void = { print(id, model.entities) }; closure()",
    "await withTaskGroup(of: Void.self) { group in group.addTask { print(id) } }",
    "note.title = \"x\"; await use(note); note.author = note",
    "@MainActor func reset(_ container: PersistentContainer) { container.mainContext.reset() }; print(reset)",
    "func reset(_ worker: BackgroundContext) async { await worker.perform { $0.reset() } }; print(reset)",
  ]

  private static let outsideOfObjects = [
    ("class Plain { @Attribute var title: String = \"\" }; print(Plain().title)", "'Plain' inherit from"),
    ("struct Plain { @Attribute var title: String }; print(Plain().title)", "@Attribute is for properties of classes"),
  ]

  private static let wrongTypes = [
    ("@Attribute(.minimumLength(1)) var a: Int", "minimumLength"),
    ("@Attribute(.externalStorage) var a: String?", "externalStorage"),
    ("@Attribute(.minimum(1)) var a: String", "minimum"),
    ("@Attribute var a: [Int: Note]", "SecureCoding"),
    ("@Relationship var a: Note", "RelationshipValue"),
    ("@Relationship var a: Set<String>", "ManagedObject"),
    ("@Relationship(inverse: \\Other.notes) var a: Note?", "PartialKeyPath"),
  ].map { property, word in
    ("class Other: ManagedObject { @Relationship var notes: Set<Note>; \(property) }; print(Other.self)", word)
  }

  /// The compiler's errors for each body of a function.
  ///
  /// Most functions are in one program, because the compiler takes most of the time for the modules. It checks for data
  /// races only in a program whose types are right, so functions without an error are compiled again without
  /// those that have errors.
  private static let compiled: Result<[String: [Substring]], any Error> = Result {
    var errors: [String: [Substring]] = [:]
    // The compiler reports these errors without a position, so each function is a program of its own.
    for (body, _) in outsideOfObjects { errors[body] = try compile([body])[0] }
    var bodies = broken + kept + wrongTypes.map(\.0)
    while !bodies.isEmpty {
      let found = try compile(bodies)
      for (body, lines) in zip(bodies, found) { errors[body] = lines }
      if found.allSatisfy(\.isEmpty) { break }
      bodies = zip(bodies, found).filter { $0.1.isEmpty }.map(\.0)
    }
    return errors
  }

  /// Returns the compiler's errors for bodies of functions with an object, a context and an ID, each in a line.
  private static func compile(_ bodies: [String]) throws -> [[Substring]] {
    let declarations = """
      import ManagedObjects

      final class Note: ManagedObject {
        @Attribute var title: String
        @Relationship var author: Note?
      }

      actor Keeper {
        var note: Note?
        var id: ManagedObjectID?
        func keep(_ note: Note) { self.note = note }
        func keep(_ id: ManagedObjectID) { self.id = id }
      }

      func use(_ note: Note) async { print(note.title) }
      func use(_ id: ManagedObjectID) async { print(id) }

      """
    let parameters = "_ note: Note, _ context: ManagedObjectContext, _ id: ManagedObjectID, _ model: ManagedObjectModel"
    let functions = bodies.enumerated().map { "func work\($0)(\(parameters)) async { \($1) }\n" }
    let folder = TemporaryFolder()
    let file = URL(filePath: folder.path("program.swift"))
    try Data((declarations + functions.joined()).utf8).write(to: file)
    let modules = Program.executable("Modules").path
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    // The compiler checks for data races after types, so that type checking alone is not enough.
    let result = try Program.run(
      #require(compiler),
      [
        "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules, "-I",
        sources.appending(path: "CLibXML2").path, "-module-cache-path", Program.executable("ModuleCache").path,
        file.path,
      ])
    let lines = result.errors.split(separator: "\n").filter { $0.contains(": error: ") }
    try #require(result.status == 0 || !lines.isEmpty, "\(result.errors)")
    let first = declarations.split(separator: "\n", omittingEmptySubsequences: false).count
    var errors = [[Substring]](repeating: [], count: bodies.count)
    for line in lines {
      let parts = line.split(separator: "program.swift:")
      let number = parts.count > 1 ? Int(parts[1].prefix { $0 != ":" }) : nil
      let index = try #require(bodies.count == 1 ? 0 : number.map { $0 - first }, "\(line)")
      try #require(errors.indices.contains(index), "\(line)")
      errors[index].append(line)
    }
    return errors
  }

  private static func errors(_ body: String) throws -> [Substring] {
    let errors = try compiled.get()
    return try #require(errors[body])
  }

  @Test(arguments: broken)
  func `the compiler rejects code that shares an object or a context between tasks`(_ body: String) throws {
    let errors = try Self.errors(body)
    #expect(
      errors.contains { $0.contains("risks causing data races") || $0.contains("non-Sendable type") }, "\(errors)")
  }

  @Test(arguments: kept)
  func `the compiler accepts code that shares only object IDs between tasks`(_ body: String) throws {
    #expect(try Self.errors(body) == [])
  }

  @Test(arguments: outsideOfObjects)
  func `the compiler rejects property wrappers outside of managed objects`(_ body: String, _ message: String) throws {
    let errors = try Self.errors(body)
    #expect(errors.contains { $0.contains(message) }, "\(errors)")
  }

  @Test(arguments: wrongTypes)
  func `the compiler rejects property wrappers with wrong types or options`(_ body: String, _ word: String) throws {
    let errors = try Self.errors(body)
    #expect(errors.contains { $0.contains(word) }, "\(errors)")
  }
}
