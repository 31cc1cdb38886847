import Foundation
import ProgramFolders
import TestSupport
import Testing

@Suite("The locations of standard folders") struct StandardFoldersTests {
  private let folder = TemporaryFolder()

  /// The folders of a user whose home folder is empty.
  private func folders(_ environment: [String: String] = [:]) -> StandardFolders {
    StandardFolders(environment: environment, home: folder.url)
  }

  private func mode(_ url: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  #if os(Linux)
    static let userFolders: [([String: String], StandardFolder, String)] = [
      ([:], .home, "/home/u"), ([:], .documents, "/home/u/Documents"), ([:], .library, "/home/u/.local/share"),
      ([:], .applicationSupport, "/home/u/.local/share"), ([:], .caches, "/home/u/.cache"),
      ([:], .preferences, "/home/u/.config"), ([:], .temporary, "/tmp"),
      (["XDG_DATA_HOME": "/d/"], .applicationSupport, "/d"), (["XDG_DATA_HOME": "/d"], .library, "/d"),
      (["XDG_CACHE_HOME": "/c"], .caches, "/c"), (["XDG_CONFIG_HOME": "/p"], .preferences, "/p"),
      (["TMPDIR": "/t"], .temporary, "/t"),
      // The specification ignores relative paths.
      (["XDG_DATA_HOME": "d"], .applicationSupport, "/home/u/.local/share"),
      (["XDG_CACHE_HOME": ""], .caches, "/home/u/.cache"), (["TMPDIR": "t"], .temporary, "/tmp"),
    ]

    @Test(arguments: userFolders) func `the folders of a user are those of the XDG specification`(
      _ environment: [String: String], _ folder: StandardFolder, _ path: String
    ) throws {
      let folders = StandardFolders(environment: environment, home: URL(filePath: "/home/u"))
      #expect(try folders.url(for: folder).path == path)
    }

    static let sharedFolders: [([String: String], StandardFolder, Set<FolderDomain>, [String])] = [
      ([:], .applicationSupport, [.local, .system], ["/usr/local/share", "/usr/share"]),
      ([:], .applicationSupport, [.local], ["/usr/local/share"]), ([:], .applicationSupport, [.system], ["/usr/share"]),
      ([:], .preferences, [.user, .local, .system], ["/h/.config", "/etc/xdg"]), ([:], .preferences, [.system], []),
      ([:], .caches, [.local], ["/var/cache"]), ([:], .documents, [.local, .system], []),
      ([:], .temporary, [.local, .system], []),
      // The order of the variable counts, not that of the domains.
      (
        ["XDG_DATA_DIRS": "/usr/share/gnome:/usr/local/share/::opt:/opt/share"], .library, [.user, .local, .system],
        ["/h/.local/share", "/usr/share/gnome", "/usr/local/share", "/opt/share"]
      ),
      (["XDG_CONFIG_DIRS": "/a:/usr/etc"], .preferences, [.system], ["/usr/etc"]),
    ]

    @Test(arguments: sharedFolders) func `a search list has the folders of the domains in order`(
      _ environment: [String: String], _ folder: StandardFolder, _ domains: Set<FolderDomain>, _ paths: [String]
    ) {
      let folders = StandardFolders(environment: environment, home: URL(filePath: "/h"))
      #expect(folders.paths(for: folder, in: domains) == paths)
      #expect(folders.urls(for: folder, in: domains).map(\.path) == paths)
      #expect(folders.urls(for: folder, in: domains).filter { !$0.hasDirectoryPath } == [])
    }

    static let userDirectories: [(String, String)] = [
      ("", "/Documents"), ("XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n", "/Dokumente"),
      ("# comment\n  XDG_DOCUMENTS_DIR = \"$HOME/A \\\"b\\\" \\\\/\"\n", "/A \"b\" \\"),
      ("XDG_DOCUMENTS_DIR=\"$HOME/Old\"\nXDG_DOCUMENTS_DIR=\"$HOME/New\"", "/New"),
      // A folder that the user does not want is the home folder.
      ("XDG_DOCUMENTS_DIR=\"$HOME/\"\n", ""), ("XDG_DOCUMENTS_DIR=\"$HOME\"\n", ""),
      ("XDG_DOCUMENTS_DIR=\"Dokumente\"\n", "/Documents"), ("XDG_DOCUMENTS_DIR=\"$HOMEDIR/x\"\n", "/Documents"),
      ("XDG_DOCUMENTS_DIR=$HOME/Dokumente\n", "/Documents"), ("XDG_DOCUMENTS_DIR=\"$HOME/Dok\n", "/Documents"),
      ("XDG_DOWNLOAD_DIR=\"$HOME/Downloads\"\n", "/Documents"), ("XDG_DOCUMENTS_DIRS=\"/x\"\n", "/Documents"),
    ]

    @Test(arguments: userDirectories) func `the folder for documents is that of user-dirs.dirs`(
      _ text: String, _ path: String
    ) throws {
      let config = try folders().url(for: .preferences, create: true)
      try Data(text.utf8).write(to: config.appending(path: "user-dirs.dirs"))
      #expect(try folders().url(for: .documents).path == folder.url.path + path)
    }

    @Test func `an unreadable user-dirs.dirs is an error, not a default`() throws {
      let file = folder.url.appending(path: "user-dirs.dirs", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      let locations = folders(["XDG_CONFIG_HOME": folder.url.path])
      let error = #expect(throws: ProgramFoldersError.self) { try locations.url(for: .documents) }
      #expect(error?.description == "cannot read \(folder.url.path)/user-dirs.dirs: it is not a regular file")
      #expect(throws: ProgramFoldersError.self) { try locations.existingFile("a", in: .documents) }
      #expect(locations.paths(for: .documents).isEmpty)
      #expect(try locations.url(for: .caches).lastPathComponent == ".cache")
    }

    @Test func `user-dirs.dirs can have an absolute path, and is in the folder for preferences`() throws {
      try Data("XDG_DOCUMENTS_DIR=\"/srv/docs/\"".utf8).write(to: folder.url.appending(path: "user-dirs.dirs"))
      #expect(try folders(["XDG_CONFIG_HOME": folder.url.path]).url(for: .documents).path == "/srv/docs")
    }

    @Test func `a program has subfolders, but not in the folders that users see`() throws {
      let folders = try StandardFolders(environment: [:], home: URL(filePath: "/h")).forProgram("org.example.notes")
      let paths = try StandardFolder.allCases.map { try folders.url(for: $0).path }
      #expect(
        paths == [
          "/h/Documents", "/h/.local/share", "/h/.local/share/org.example.notes", "/h/.cache/org.example.notes",
          "/h/.config/org.example.notes", "/tmp/org.example.notes-\(geteuid())", "/h",
        ])
      #expect(
        folders.paths(for: .applicationSupport, in: [.local, .system]) == [
          "/usr/local/share/org.example.notes", "/usr/share/org.example.notes",
        ])
    }
  #endif

  @Test func `a container has Apple's names, and no other folders`() throws {
    let folders = try StandardFolders(container: URL(filePath: "/c/"))
    let paths = try StandardFolder.allCases.map { try folders.url(for: $0).path }
    #expect(
      paths == [
        "/c/Documents", "/c/Library", "/c/Library/Application Support", "/c/Library/Caches", "/c/Library/Preferences",
        "/c/tmp", "/c",
      ])
    #expect(folders.paths(for: .library, in: [.local, .system]) == [])
    #expect(throws: ProgramFoldersError.noFolder(.library, .local)) { try folders.url(for: .library, in: .local) }
    let program = try folders.forProgram("notes")
    #expect(try program.url(for: .temporary).path == "/c/tmp/notes")
    #expect(try program.url(for: .preferences).path == "/c/Library/Preferences")
    #expect(throws: ProgramFoldersError.self) { try StandardFolders(container: #require(URL(string: "https://a/b"))) }
  }

  @Test func `a user without a home folder has only the folder for temporary files`() throws {
    let folders = StandardFolders(environment: [:], home: nil)
    for folder in StandardFolder.allCases where folder != .temporary {
      #expect(throws: ProgramFoldersError.noFolder(folder, .user)) { try folders.url(for: folder) }
      #expect(folders.paths(for: folder, in: [.user]) == [])
    }
    #expect(try folders.url(for: .temporary).path == "/tmp")
    #expect(folders.abbreviatingWithTilde("/a") == "/a")
    #expect(folders.expandingTilde(in: "~/a") == "~/a")
  }

  @Test func `nothing is created until create is true, and then for the user only`() throws {
    let folders = try folders(["TMPDIR": folder.path("tmp")]).forProgram("notes")
    for kind in StandardFolder.allCases { _ = try folders.url(for: kind) }
    _ = try folders.url(forFile: "a/b", in: .documents)
    #expect(folder.names == [])
    for kind in StandardFolder.allCases {
      let url = try folders.url(for: kind, create: true)
      if kind != .home { #expect(try mode(url) == 0o700, "\(kind)") }
    }
    let file = try folders.url(forFile: "Drafts/2026/today.txt", in: .documents, create: true)
    #expect(file.path == folder.path("Documents/Drafts/2026/today.txt"))
    #expect(try mode(file.deletingLastPathComponent()) == 0o700)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `an existing folder keeps its permissions`() throws {
    let documents = folder.url.appending(path: "Documents")
    try FileManager.default.createDirectory(
      at: documents, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    #expect(try folders().url(for: .documents, create: true).path == documents.path)
    #expect(try mode(documents) == 0o755)
  }

  @Test func `a missing home folder is not created, and neither is a folder in it`() throws {
    let home = folder.url.appending(path: "nobody")
    let folders = StandardFolders(environment: [:], home: home)
    for kind in [StandardFolder.home, .documents, .caches] {
      let error = #expect(throws: ProgramFoldersError.self) { try folders.url(for: kind, create: true) }
      guard case .system(let url, errno: ENOENT, let reason) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(try url == folders.url(for: kind))
      #expect(reason == "\(home.path) does not exist")
    }
    #expect(folder.names == [])
  }

  @Test func `the error for a folder that cannot be created says which and why`() throws {
    try Data().write(to: folder.url.appending(path: "Documents"))
    let error = #expect(throws: ProgramFoldersError.self) {
      try folders().url(forFile: "a/b", in: .documents, create: true)
    }
    guard case .system(let url, let code, let reason) = error else { throw try #require(error) }
    #expect(url.path.hasPrefix(folder.path("Documents")) && code == ENOTDIR)
    #expect(reason.contains(folder.path("Documents")), "\(reason)")
  }

  @Test(arguments: [
    "/a", "", "..", ".", "a/../b", "a//b", "a/", "../a", "a/.", "a\0b", String(repeating: "n", count: 256),
  ])
  func `a path that is absolute or leaves its folder is refused`(_ path: String) throws {
    let folders = folders()
    #expect(throws: ProgramFoldersError.self) { try folders.url(forFile: path, in: .documents, create: true) }
    #expect(throws: ProgramFoldersError.self) { try folders.existingFile(path, in: .documents) }
    #expect(throws: ProgramFoldersError.self) { try folders.forProgram(path) }
    #expect(folder.names == [])
  }

  @Test func `the error for a refused name says what is wrong`() throws {
    let error = #expect(throws: ProgramFoldersError.self) { try folders().url(forFile: "../.ssh/id", in: .documents) }
    #expect(error?.description == "\"../.ssh/id\" is not a valid name: it leaves the folder")
    let other = #expect(throws: ProgramFoldersError.self) { try folders().forProgram("a/b") }
    #expect(other?.description == "\"a/b\" is not a valid name: it contains a slash")
    #expect(
      ProgramFoldersError.noFolder(.library, .local).description == "there is no folder library in the domain local")
  }

  #if os(Linux)
    @Test func `the first existing file of a search list is found`() throws {
      let shared = ["a", "b"].map { folder.path($0) }
      let folders = try folders(["XDG_DATA_DIRS": shared.joined(separator: ":")]).forProgram("notes")
      #expect(try folders.existingFile("themes/dark", in: .applicationSupport) == nil)
      for path in [shared[1] + "/notes", shared[0] + "/notes", folder.path(".local/share/notes")] {
        let themes = URL(filePath: path).appending(path: "themes")
        try FileManager.default.createDirectory(at: themes, withIntermediateDirectories: true)
        try Data().write(to: themes.appending(path: "dark"))
        #expect(try folders.existingFile("themes/dark", in: .applicationSupport)?.path == path + "/themes/dark")
      }
      #expect(
        try folders.existingFile("themes/dark", in: .applicationSupport, domains: [.local])?.path
          == shared[0] + "/notes/themes/dark")
    }
  #endif

  @Test func `a folder for temporary files that others can write to is not used`() throws {
    let temporary = folder.url.appending(path: "tmp")
    let folders = try folders(["TMPDIR": temporary.path]).forProgram("notes")
    let own = try folders.url(for: .temporary, create: true)
    #expect(try folders.url(for: .temporary, create: true) == own)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: own.path)
    let error = #expect(throws: ProgramFoldersError.self) { try folders.url(for: .temporary, create: true) }
    #expect(error?.description == "cannot use \(own.path): another user owns it or can write to it")
    try FileManager.default.removeItem(at: own)
    try FileManager.default.createSymbolicLink(at: own, withDestinationURL: folder.url)
    #expect(throws: ProgramFoldersError.self) { try folders.url(for: .temporary, create: true) }
  }

  @Test func `a path is written with and without a tilde`() throws {
    let folders = StandardFolders(environment: [:], home: URL(filePath: "/home/u/"))
    for (long, short) in [("/home/u", "~"), ("/home/u/a b", "~/a b"), ("/home/user", "/home/user"), ("a", "a")] {
      #expect(folders.abbreviatingWithTilde(long) == short)
      #expect(folders.expandingTilde(in: short) == long)
    }
    #expect(folders.expandingTilde(in: "~no-such-user/a") == "~no-such-user/a")
    #expect(folders.paths(for: .documents, expandingTilde: false) == ["~/Documents"])
  }

  @Test func `the folders of this process depend on its environment`() throws {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
    let expected = StandardFolders(environment: environment, home: home)
    if home != nil {
      for folder in StandardFolder.allCases {
        #expect(StandardFolders.current.paths(for: folder) == expected.paths(for: folder))
      }
    }
  }
}

@Suite("Folders that backups leave out") struct CacheDirectoryTagTests {
  private let folder = TemporaryFolder()
  private var tag: URL { folder.url.appending(path: "CACHEDIR.TAG") }

  @Test func `the file has the name and the beginning of the specification`() throws {
    #expect(!CacheDirectoryTag.isPresent(in: folder.url))
    try CacheDirectoryTag.add(to: folder.url)
    let text = try String(contentsOf: tag, encoding: .utf8)
    // The bytes that the specification prints.
    #expect(text.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    #expect(text.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("#") })
    #expect(CacheDirectoryTag.isPresent(in: folder.url))
    try CacheDirectoryTag.add(to: folder.url)
    #expect(try String(contentsOf: tag, encoding: .utf8) == text)
    #expect(folder.names == ["CACHEDIR.TAG"])
    try CacheDirectoryTag.remove(from: folder.url)
    try CacheDirectoryTag.remove(from: folder.url)
    #expect(folder.names == [])
  }

  @Test(arguments: ["", "Signature: 8a477f597d28d172789f06886806bc5", "signature: 8a477f597d28d172789f06886806bc55"])
  func `a file with another beginning is no tag, and is not replaced`(_ text: String) throws {
    try Data(text.utf8).write(to: tag)
    #expect(!CacheDirectoryTag.isPresent(in: folder.url))
    let error = #expect(throws: ProgramFoldersError.self) { try CacheDirectoryTag.add(to: folder.url) }
    #expect(error?.description == "cannot write \(tag.path): there is another file with this name")
    try CacheDirectoryTag.remove(from: folder.url)
    #expect(try String(contentsOf: tag, encoding: .utf8) == text)
  }

  @Test func `a symbolic link to a tag is no tag`() throws {
    let other = folder.url.appending(path: "other")
    try CacheDirectoryTag.add(to: other)
    try FileManager.default.createSymbolicLink(at: tag, withDestinationURL: other.appending(path: "CACHEDIR.TAG"))
    #expect(CacheDirectoryTag.isPresent(in: other))
    #expect(!CacheDirectoryTag.isPresent(in: folder.url))
  }

  @Test func `the tag of a parent folder is found`() throws {
    try CacheDirectoryTag.add(to: folder.url)
    let file = folder.url.appending(path: "a/b/c.png")
    #expect(CacheDirectoryTag.taggedFolder(containing: file)?.path == folder.url.path)
    #expect(CacheDirectoryTag.taggedFolder(containing: folder.url)?.path == folder.url.path)
    #expect(CacheDirectoryTag.taggedFolder(containing: folder.url.deletingLastPathComponent()) == nil)
  }

  @Test func `a new folder for the caches of a program is tagged, and no other folder`() throws {
    let all = try StandardFolders(container: folder.url)
    let program = try all.forProgram("notes")
    for kind in StandardFolder.allCases where kind != .caches {
      #expect(try !CacheDirectoryTag.isPresent(in: program.url(for: kind, create: true)))
    }
    #expect(try !CacheDirectoryTag.isPresent(in: all.url(for: .caches, create: true)))
    let caches = try program.url(for: .caches, create: true)
    #expect(CacheDirectoryTag.isPresent(in: caches))
    // A user can remove the tag.
    try CacheDirectoryTag.remove(from: caches)
    _ = try program.url(for: .caches, create: true)
    #expect(!CacheDirectoryTag.isPresent(in: caches))
  }
}
