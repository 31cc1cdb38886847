import Foundation
import TestSupport
import Testing

/// The Swift compiler in the path, if any.
private let compiler: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  .map { URL(filePath: String($0)).appending(path: "swiftc") }
  .first { FileManager.default.isExecutableFile(atPath: $0.path) }

/// Uses of another task's objects that must be compiler errors. The same is checked for property wrappers in a class
/// that is not a managed object.
@Suite("Confinement", .enabled(if: compiler != nil, "there is no swiftc")) struct ConfinementTests {
  /// The module cache of the compiler. Building system modules takes most of the time of a compilation.
  private static let cache = TemporaryFolder()

  /// Returns the compiler's errors for the body of a function with an object, a context and an ID.
  static func errors(_ body: String) throws -> [Substring] {
    let program = """
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

      func work(_ note: Note, _ context: ManagedObjectContext, _ id: ManagedObjectID, _ model: ManagedObjectModel) async {
        \(body)
      }
      """
    let folder = TemporaryFolder()
    let file = URL(filePath: folder.path("program.swift"))
    try Data(program.utf8).write(to: file)
    let modules = Program.executable("Modules").path
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    // The compiler checks for data races after types, so that type checking alone is not enough.
    let result = try Program.run(
      #require(compiler),
      [
        "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules, "-I",
        sources.appending(path: "CLibXML2").path, "-module-cache-path", Self.cache.path("cache"), file.path,
      ])
    let lines = result.errors.split(separator: "\n").filter { $0.contains(": error: ") }
    try #require(result.status == 0 || !lines.isEmpty, "\(result.errors)")
    return lines
  }

  @Test(arguments: [
    "Task { note.title = \"x\" }",
    "Task { _ = context }",
    "Task.detached { _ = note.author }",
    "async let other: Void = use(note); note.title = \"y\"; await other",
    "await withTaskGroup(of: Void.self) { group in group.addTask { _ = context } }",
    "let closure: @Sendable () -> Void = { print(note.title) }; closure()",
    "let closure: @Sendable () -> Void = { _ = context }; closure()",
    "await Keeper().keep(note)",
    "await MainActor.run { print(note.title) }",
  ])
  func `is broken by`(_ body: String) throws {
    let errors = try Self.errors(body)
    #expect(
      errors.contains { $0.contains("risks causing data races") || $0.contains("non-Sendable type") }, "\(errors)")
  }

  @Test(arguments: [
    "Task { print(id) }",
    "async let other: Void = use(id); print(id); await other",
    "await Keeper().keep(id)",
    "let closure: @Sendable () -> Void = { print(id, model.entities) }; closure()",
    "await withTaskGroup(of: Void.self) { group in group.addTask { print(id) } }",
    "note.title = \"x\"; await use(note); note.author = note",
  ])
  func `is kept by`(_ body: String) throws { #expect(try Self.errors(body) == []) }

  @Test(arguments: [
    ("class Plain { @Attribute var title: String = \"\" }; print(Plain().title)", "'Plain' inherit from"),
    ("struct Plain { @Attribute var title: String }; print(Plain().title)", "@Attribute is for properties of classes"),
  ])
  func `has wrappers for managed objects alone`(_ body: String, _ message: String) throws {
    let errors = try Self.errors(body)
    #expect(errors.contains { $0.contains(message) }, "\(errors)")
  }

  @Test(
    "comes with wrappers that take only what attributes and relationships can have",
    arguments: [
      ("@Attribute(.minimumLength(1)) var a: Int", "minimumLength"),
      ("@Attribute(.externalStorage) var a: String?", "externalStorage"),
      ("@Attribute(.minimum(1)) var a: String", "minimum"),
      ("@Attribute var a: [Int: Note]", "SecureCoding"),
      ("@Relationship var a: Note", "RelationshipValue"),
      ("@Relationship var a: Set<String>", "ManagedObject"),
      ("@Relationship(inverse: \\Other.notes) var a: Note?", "PartialKeyPath"),
    ])
  func types(_ property: String, _ word: String) throws {
    let errors = try Self.errors(
      "class Other: ManagedObject { @Relationship var notes: Set<Note>; \(property) }; print(Other.self)")
    #expect(errors.contains { $0.contains(word) }, "\(errors)")
  }
}
