import Foundation
import ObjectModels
import ProgramFolders
import TestSupport
import Testing

/// The code of the articles.
@Suite("The documentation examples of folders and resources") struct FoldersAndResourcesTests {
  private let files = ResourceFolder()

  private static let folder = "Sources/ProgramFolders/Documentation.docc/"

  @Test(arguments: ["ProgramFolders.md", "FoldersAndResources.md"])
  func `each code line of the articles is in this file`(_ name: String) throws {
    let article = try ArticleText(path: Self.folder + name)
    #expect(
      try !article.blocks.isEmpty
        && article.blocks(notIn: "Tests/ProgramFoldersTests/FoldersAndResourcesTests.swift") == [])
  }

  /// Only compiled, because it uses the folders of the user.
  private func overview() throws -> [URL] {
    let folders = try StandardFolders.current.forProgram("org.example.notes")
    let store = try folders.url(for: .applicationSupport, create: true).appending(path: "notes.sqlite")

    let bundle = try ResourceBundle.module("Notes")
    let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
    return [store, welcome]
  }

  /// Only compiled, because it uses the folders of the user and of the program.
  private func current() throws -> [Any] {
    let folders = try StandardFolders.current.forProgram("org.example.notes")
    let support = try folders.url(for: .applicationSupport, create: true)
    let thumbnails = try folders.url(forFile: "Thumbnails/1.png", in: .caches, create: true)

    let bundle = try ResourceBundle.module("Notes", package: "notes")
    let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
    let icons = try bundle.urls(forResourcesWithExtension: "png", subdirectory: "Icons")

    let app = try ResourceBundle(url: URL(filePath: "/opt/Notes.app"))
    print(app.infoDictionary["CFBundleShortVersionString"]?.string ?? "no version")
    return [support, thumbnails, welcome, icons]
  }

  @Test func `the examples of folders run`() throws {
    let home = StandardFolders(environment: ["XDG_DATA_DIRS": files.path("shared")], home: files.url)
    let folders = try home.forProgram("org.example.notes")
    #expect(throws: ProgramFoldersError.self) { try folders.url(forFile: "../other/secret", in: .documents) }

    let dark = try folders.existingFile("themes/dark.plist", in: .applicationSupport)
    for folder in folders.urls(for: .preferences, in: [.user, .local]) { print(folder.path) }
    print(folders.paths(for: .caches, in: [.user], expandingTilde: false))
    #expect(dark == nil)

    let server = files.url
    let tenant = try StandardFolders(container: server.appending(path: "tenants/17"))
    let documents = try tenant.url(for: .documents, create: true)
    #expect(documents.path == files.path("tenants/17/Documents"))

    let previews = try folders.url(forFile: "Previews", in: .applicationSupport)
    try CacheDirectoryTag.add(to: previews)
    print(CacheDirectoryTag.isPresent(in: previews))
    #expect(CacheDirectoryTag.isPresent(in: previews))
  }

  @Test func `the examples of languages and models run`() throws {
    try files.add("en.lproj/Help.html", "de.lproj/Help.html")
    try files.write("en.lproj/Localizable.strings", #""title" = "Notes";"#)
    let versions = VersionedModel(
      models: ["1": try ManagedObjectModel(entities: [EntityDescription("N", [])])], currentName: "1")
    try versions.writeCompiled(to: files.url.appending(path: "Notes.momd"))
    let bundle = try ResourceBundle(url: files.url, languages: ["en-GB"])

    print(bundle.preferredLocalizations)
    let title = try bundle.localizedString(forKey: "title")
    let strings = try bundle.localizedStrings(table: "Errors")
    #expect(bundle.preferredLocalizations == ["en"] && title == "Notes" && strings == [:])

    var german = bundle
    german.languages = ["de-AT"]
    let help = try german.url(forResource: "Help", withExtension: "html")
    #expect(help.path == files.path("de.lproj/Help.html"))

    #expect(try models(bundle) == 1)
  }

  private func models(_ bundle: ResourceBundle) throws -> Int {
    let model = try ManagedObjectModel(named: "Notes", in: bundle)
    let names = try ModelLocalization(forModelNamed: "Notes", in: bundle)
    return model.entities.count + names.entries.count
  }

  /// Only compiled, because the models depend on the program that runs the tests.
  private func allModels(_ bundle: ResourceBundle) throws -> Int {
    let model = try ManagedObjectModel(named: "Notes", in: bundle)
    let names = try ModelLocalization(forModelNamed: "Notes", in: bundle)
    let merged = try ManagedObjectModel.mergedModel(from: ResourceBundle.allBundles)
    return model.entities.count + names.entries.count + merged.entities.count
  }
}
