import Foundation
import ProgramFolders
import PropertyLists
import SQLiteAccess
import TestSupport
import Testing

/// A program that finds its folders, reads the files that it brings with it, and copies a filled database before it
/// changes it.
private struct NotesProgram {
  let folders: StandardFolders
  let bundle: ResourceBundle

  /// The database that the program changes.
  var database: URL {
    get throws { try folders.url(forFile: "Notes.db", in: .documents, create: true) }
  }

  /// Copies the database of the bundle into the documents, unless the documents have one.
  func createEditableCopyOfDatabaseIfNeeded() throws {
    let file = try database
    if FileManager.default.fileExists(atPath: file.path) { return }
    try FileManager.default.copyItem(at: bundle.url(forResource: "Notes", withExtension: "db"), to: file)
  }
}

@Suite("A program that finds its folders and resources") struct FoldersProgramTests {
  private let sandbox = TemporaryFolder(isInMemory: true)
  private let files = TemporaryFolder(isInMemory: true)
  private let program: NotesProgram

  init() throws {
    let app = files.url.appending(path: "Notes.app")
    for (path, text) in [
      ("Info.plist", "{ CFBundleIdentifier = \"org.example.notes\"; CFBundleShortVersionString = \"1.2\"; }"),
      ("Welcome.txt", "Welcome"), ("Icons/add.png", "add"), ("Icons/remove.png", "remove"),
      ("en.lproj/Help.html", "Help"), ("de.lproj/Help.html", "Hilfe"),
      ("en.lproj/Localizable.strings", "\"title\" = \"Notes\"; \"quit\" = \"Quit\";"),
      ("de.lproj/Localizable.strings", "\"title\" = \"Notizen\";"),
    ] {
      let file = app.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try SQLiteDatabase(path: app.appending(path: "Notes.db").path)
      .execute(script: "CREATE TABLE note (content TEXT); INSERT INTO note VALUES ('Welcome')")
    program = NotesProgram(
      folders: try StandardFolders(container: sandbox.url),
      bundle: try ResourceBundle(url: app, languages: ["de"]))
  }

  @Test func `the folders of the program are in its sandbox`() throws {
    let folders = program.folders
    let paths = try [StandardFolder.documents, .library, .caches, .preferences, .temporary].map {
      try folders.url(for: $0).path.dropFirst(sandbox.url.path.count)
    }
    #expect(paths == ["/Documents", "/Library", "/Library/Caches", "/Library/Preferences", "/tmp"])
    #expect(sandbox.names.isEmpty)
    _ = try folders.url(for: .caches, create: true)
    #expect(sandbox.names == ["Library"])
    #expect(throws: ProgramFoldersError.self) { try folders.url(forFile: "../outside", in: .documents) }
  }

  @Test func `the caches are left out of backups, and the documents are not`() throws {
    let caches = try program.folders.forProgram("org.example.notes").url(for: .caches, create: true)
    let documents = try program.folders.url(for: .documents, create: true)
    #expect(CacheDirectoryTag.isPresent(in: caches) && !CacheDirectoryTag.isPresent(in: documents))
  }

  @Test func `the search list has the folders of the user and of the computer, with and without a tilde`() throws {
    let folders = StandardFolders(environment: [:], home: URL(filePath: "/home/ada"))
    #expect(folders.paths(for: .documents, in: [.user], expandingTilde: false) == ["~/Documents"])
    #expect(folders.paths(for: .documents, in: [.user]) == ["/home/ada/Documents"])
    #expect(folders.urls(for: .applicationSupport, in: [.user, .local]).count > 1)
    #expect(folders.abbreviatingWithTilde("/home/ada/a.plist") == "~/a.plist")
  }

  @Test func `resources are found by name, type, folder and language`() throws {
    let bundle = program.bundle
    #expect(bundle.bundleIdentifier == "org.example.notes")
    #expect(bundle.infoDictionary["CFBundleShortVersionString"]?.string == "1.2")
    let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
    #expect(try String(contentsOf: welcome, encoding: .utf8) == "Welcome")
    let icons = try bundle.urls(forResourcesWithExtension: "png", subdirectory: "Icons")
    #expect(Set(icons.map(\.lastPathComponent)) == ["add.png", "remove.png"])
    #expect(try bundle.url(forResource: "add", withExtension: "png", subdirectory: "Icons").path.hasSuffix("add.png"))
    let help = try bundle.url(forResource: "Help", withExtension: "html")
    #expect(try String(contentsOf: help, encoding: .utf8) == "Hilfe")
    let english = try bundle.url(forResource: "Help", withExtension: "html", localization: "en")
    #expect(try String(contentsOf: english, encoding: .utf8) == "Help")
    #expect(try bundle.localizedString(forKey: "title") == "Notizen")
    #expect(try bundle.localizedString(forKey: "quit") == "Quit")
  }

  @Test func `a missing resource is an error that has the folders that were searched`() throws {
    let error = #expect(throws: ProgramFoldersError.self) {
      try program.bundle.url(forResource: "add", withExtension: "png")
    }
    #expect(try #require(error).description.contains(files.path("Notes.app")), "\(String(describing: error))")
  }

  @Test func `the database of the bundle is copied once, and then changed`() throws {
    try program.createEditableCopyOfDatabaseIfNeeded()
    let database = try SQLiteDatabase(path: program.database.path)
    try database.run("INSERT INTO note VALUES (\("Milk"))")
    try program.createEditableCopyOfDatabaseIfNeeded()
    #expect(try database.rows("SELECT content FROM note").map { try $0[0] as String } == ["Welcome", "Milk"])
    let original = try SQLiteDatabase(path: files.path("Notes.app/Notes.db"), .readOnly)
    #expect(try original.value("SELECT COUNT(*) FROM note") == 1)
  }
}
