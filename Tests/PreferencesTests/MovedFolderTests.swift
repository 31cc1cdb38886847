#if os(Linux) || os(Android)
  import Foundation
  import PropertyLists
  import TestSupport
  import Testing

  @testable import Preferences

  @Suite("Files are watched at their path, also after folders have moved") struct MovedFolderTests {
    /// A folder, and a file below it with the value 1.
    private func watched(
      _ path: String, _ prepare: (URL) throws -> Void
    ) throws -> (folder: TemporaryFolder, store: UserPreferences) {
      ReportedErrors.record()
      let folder = TemporaryFolder()
      try prepare(folder.url)
      let locations = PreferencesLocations(folder: folder.url.appending(path: path), host: "here")
      let store = UserPreferences(suiteName: DomainName("moved"), locations: locations, arguments: [])
      try #require(store.integer(forKey: "n") == 1)
      return (folder, store)
    }

    private func write(_ number: Int, in folder: URL, as name: String = "moved.plist") throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let contents = PropertyList.dictionary(["n": .integer(.init(number))])
      try contents.write(to: folder.appending(path: name), format: .binary)
    }

    @Test(arguments: ["a/b/c", "a/b", "a"]) func `a parent folder at any level can be moved`(_ moved: String) throws {
      let (folder, store) = try watched("a/b/c") { try write(1, in: $0.appending(path: "a/b/c")) }
      try FileManager.default.moveItem(at: folder.url.appending(path: moved), to: folder.url.appending(path: "away"))
      try write(2, in: folder.url.appending(path: "a/b/c"))
      #expect(eventually { store.integer(forKey: "n") == 2 })
      try write(3, in: folder.url.appending(path: "a/b/c"))
      #expect(eventually { store.integer(forKey: "n") == 3 })
    }

    @Test(arguments: [true, false])
    func `a link to a folder, or in a chain of links, can be changed`(_ isFolder: Bool) throws {
      let (folder, store) = try watched("config") { url in
        for number in 1...2 { try write(number, in: url.appending(path: "release-\(number)")) }
        if isFolder {
          try link("release-1", at: url.appending(path: "config"))
        } else {
          try write(0, in: url.appending(path: "middle"), as: "other.plist")
          try link("../release-1/moved.plist", at: url.appending(path: "middle/moved.plist"))
          try write(0, in: url.appending(path: "config"), as: "other.plist")
          try link("../middle/moved.plist", at: url.appending(path: "config/moved.plist"))
        }
      }
      // A new link replaces the old one atomically.
      let name = isFolder ? "config" : "middle/moved.plist"
      let fresh = folder.url.appending(path: name + ".new")
      try link(isFolder ? "release-2" : "../release-2/moved.plist", at: fresh)
      try #require(rename(fresh.path, folder.url.appending(path: name).path) == 0)
      #expect(eventually { store.integer(forKey: "n") == 2 })
      try write(3, in: folder.url.appending(path: "release-2"))
      #expect(eventually { store.integer(forKey: "n") == 3 })
    }

    private func link(_ target: String, at url: URL) throws {
      try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
    }
  }
#endif
