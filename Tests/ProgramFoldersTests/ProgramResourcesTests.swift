import Foundation
import ObjectModels
import TestSupport
import Testing

@testable import ProgramFolders

@Suite("Resources of a program and its modules") struct ProgramResourcesTests {
  private let files = ResourceFolder()

  private func program(_ path: String) -> ProgramLocation { ProgramLocation(executable: files.path(path)) }

  private func path(_ bundle: ResourceBundle) -> String {
    String(bundle.bundleURL.path.dropFirst(files.url.path.count + 1))
  }

  @Test func `the resources of a program are in its Apple bundle`() throws {
    try files.addInformation("Mac.app/Contents/Info.plist", "mac")
    try files.add(
      "Mac.app/Contents/MacOS/mac", "Mac.app/Contents/Resources/a.txt", "Mac.app/Contents/MacOS/mac.resources/")
    try files.addInformation("iPhone.app/Info.plist", "iphone")
    let mac = try ResourceBundle.main(of: program("Mac.app/Contents/MacOS/mac"))
    #expect(path(mac) == "Mac.app")
    #expect(mac.bundleIdentifier == "mac")
    #expect(try mac.url(forResource: "a.txt").path == files.path("Mac.app/Contents/Resources/a.txt"))
    #expect(try ResourceBundle.main(of: program("iPhone.app/iPhone")).bundleIdentifier == "iphone")
  }

  @Test func `the resources of a tool are next to it, in share, or in its folder`() throws {
    try files.add("usr/bin/notes", "usr/share/other.resources/", "plain/notes", "plain/a.txt")
    #expect(try path(ResourceBundle.main(of: program("usr/bin/notes"))) == "usr/bin")
    try files.add("usr/share/notes.resources/")
    #expect(try path(ResourceBundle.main(of: program("usr/bin/notes"))) == "usr/share/notes.resources")
    try files.add("usr/bin/notes.resources/")
    #expect(try path(ResourceBundle.main(of: program("usr/bin/notes"))) == "usr/bin/notes.resources")
    #expect(
      try ResourceBundle.main(of: program("plain/notes")).url(forResource: "a.txt").path == files.path("plain/a.txt"))
    #expect(throws: ProgramFoldersError.self) { try ResourceBundle.main(of: ProgramLocation(executable: nil)) }
  }

  @Test func `the resources of a module are next to the executable, in its bundle, or in share`() throws {
    try files.add("build/notes", "build/notes_Notes.resources/a.txt", "build/notes_NotesTests.resources/")
    try files.add("Mac.app/Contents/MacOS/mac", "Mac.app/Contents/Resources/notes_Notes.bundle/")
    try files.add("usr/bin/notes", "usr/share/notes_Notes.resources/")
    func module(_ executable: String, _ target: String, _ package: String? = "notes") throws -> String {
      try path(ResourceBundle.module(target, package: package, of: program(executable)))
    }
    #expect(try module("build/notes", "Notes") == "build/notes_Notes.resources")
    #expect(try module("build/notes", "NotesTests", nil) == "build/notes_NotesTests.resources")
    #expect(
      try module("Mac.app/Contents/MacOS/mac", "Notes", nil) == "Mac.app/Contents/Resources/notes_Notes.bundle")
    #expect(try module("usr/bin/notes", "Notes") == "usr/share/notes_Notes.resources")
  }

  @Test func `the error for a missing module lists the folders`() throws {
    try files.add("usr/bin/notes")
    let error = #expect(throws: ProgramFoldersError.self) {
      try ResourceBundle.module("Notes", package: "notes", of: program("usr/bin/notes"))
    }
    let folders = ["usr/bin", "usr/share"].map { files.path($0) }.joined(separator: ", ")
    #expect(error?.description == "\"notes_Notes.resources\" was not found in \(folders)")
    #expect(throws: ProgramFoldersError.self) {
      try ResourceBundle.module("../Notes", package: nil, of: program("usr/bin/notes"))
    }
  }

  @Test func `a module of several packages is refused without the name of the package`() throws {
    try files.add("b/notes", "b/one_Notes.resources/", "b/two_Notes.resources/")
    let error = #expect(throws: ProgramFoldersError.self) {
      try ResourceBundle.module("Notes", package: nil, of: program("b/notes"))
    }
    #expect(error?.description.hasSuffix("it could be any of one_Notes.resources, two_Notes.resources") == true)
    #expect(
      try path(ResourceBundle.module("Notes", package: "two", of: program("b/notes"))) == "b/two_Notes.resources")
  }

  @Test func `the module of a type has its resources`() throws {
    struct Local {}
    try files.add("b/notes", "b/x_ProgramFoldersTests.resources/", "b/y_ProgramFolders.resources/")
    for type in [Self.self, ResourceFolder.self, Local.self] as [Any.Type] {
      #expect(
        try path(ResourceBundle(for: type, of: program("b/notes"))) == "b/x_ProgramFoldersTests.resources")
    }
    #expect(
      try path(ResourceBundle(for: ProgramFoldersError.self, of: program("b/notes"))) == "b/y_ProgramFolders.resources")
    #expect(throws: ProgramFoldersError.self) { try ResourceBundle(for: Int.self, of: program("b/notes")) }
    #expect(throws: ProgramFoldersError.self) { try ResourceBundle(for: (Int, Int).self, of: program("b/notes")) }
  }

  @Test func `a target whose name is not an identifier is found by its module`() throws {
    try files.add("b/notes", "b/x_Program-Folders.resources/")
    try files.add("c/notes", "c/x_ProgramFolders.resources/")
    #expect(throws: ProgramFoldersError.self) {
      try ResourceBundle(for: ProgramFoldersError.self, of: program("b/notes"))
    }
    #expect(
      try path(ResourceBundle(for: ProgramFoldersError.self, of: program("c/notes"))) == "c/x_ProgramFolders.resources")
  }

  @Test func `all bundles are those of the program, its modules and its frameworks`() throws {
    try files.addInformation("Mac.app/Contents/Info.plist", "mac")
    try files.add(
      "Mac.app/Contents/MacOS/mac", "Mac.app/Contents/Resources/a_A.bundle/", "Mac.app/Contents/Resources/c.bundle",
      "Mac.app/Contents/Frameworks/B.framework/Resources/x", "Mac.app/Contents/Frameworks/libc.so")
    let bundles = try ResourceBundle.allBundles(of: program("Mac.app/Contents/MacOS/mac")).map(path)
    #expect(
      bundles == ["Mac.app", "Mac.app/Contents/Resources/a_A.bundle", "Mac.app/Contents/Frameworks/B.framework"])
    try files.add("b/notes", "b/notes.resources/", "b/x_X.resources/")
    #expect(
      try ResourceBundle.allBundles(of: program("b/notes")).map(path) == ["b/notes.resources", "b/x_X.resources"])
  }

  @Test(arguments: ["/usr/bin/x", "/usr/local/bin/x", "/bin/x", "/home/u/.local/bin/x", "/usr/sbin/x"])
  func `bundles in folders that programs share can belong to other programs`(_ path: String) throws {
    #expect(ProgramLocation(executable: path).isInSharedFolder)
    #expect(!ProgramLocation(executable: "/opt/notes/bin/x").isInSharedFolder)
  }

  @Test func `only named bundles are used in a folder that programs share`() throws {
    try files.add(".local/bin/notes", ".local/share/notes_Notes.resources/", ".local/share/other_Other.resources/")
    let program = program(".local/bin/notes")
    #expect(try ResourceBundle.allBundles(of: program).map(path) == [".local/bin"])
    #expect(try path(ResourceBundle.module("Notes", package: nil, of: program)) == ".local/share/notes_Notes.resources")
    try files.add("opt/bin/notes", "opt/share/notes_Notes.resources/")
    #expect(
      try ResourceBundle.allBundles(of: self.program("opt/bin/notes")).map(path) == [
        "opt/bin", "opt/share/notes_Notes.resources",
      ])
  }

  @Test func `the resources of this module are those that Swift Package Manager has put next to the tests`() throws {
    let bundle = try ResourceBundle(for: ResourceFolder.self)
    #expect(bundle.bundleURL.path == Bundle.module.bundleURL.path)
    let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
    #expect(welcome.path == Bundle.module.url(forResource: "Welcome", withExtension: "txt")?.path)
    #expect(try String(contentsOf: welcome, encoding: .utf8) == "Welcome!\n")
    let model = try ManagedObjectModel(named: "Notes", in: bundle)
    #expect(model.entities.map(\.name) == ["Note"])
    #expect(try ResourceBundle.allBundles.contains { $0.bundleURL == bundle.bundleURL })
  }

  @Test func `the resources of this process are those next to its executable`() throws {
    let folder = Program.executable("").path
    #expect(try ResourceBundle.main.bundleURL.path.hasPrefix(folder))
    #expect(try ResourceBundle.allBundles.first?.bundleURL == ResourceBundle.main.bundleURL)
    #expect(throws: ProgramFoldersError.self) { try ResourceBundle.module("NoSuchTarget") }
  }
}
