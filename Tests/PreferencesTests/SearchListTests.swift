import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

/// Folders with files for every layer of the search list.
private struct Folders {
  let folder: TemporaryFolder
  let locations: PreferencesLocations
  let name: DomainName
  let suites: [DomainName]

  init() throws {
    let folder = TemporaryFolder(isInMemory: true)
    self.folder = folder
    func url(_ name: String) -> URL { folder.url.appending(path: name) }
    locations = PreferencesLocations(
      folder: url("user"), systemFolders: [url("system1"), url("system2")],
      managedFolders: [url("managed1"), url("managed2")], host: "here")
    name = DomainName("com.example.search")
    suites = [DomainName("first"), DomainName("second")]
  }

  /// All layers, in search order.
  var layers: [(source: UserPreferences.Source, file: String?)] {
    let own = "com.example.search.plist"
    let global = ".GlobalPreferences.plist"
    return [
      (.managed(name, path: folder.path("managed1/\(own)")), "managed1/\(own)"),
      (.managed(name, path: folder.path("managed2/\(own)")), "managed2/\(own)"),
      (.managed(.global, path: folder.path("managed1/\(global)")), "managed1/\(global)"),
      (.managed(.global, path: folder.path("managed2/\(global)")), "managed2/\(global)"),
      (.arguments, nil),
      (.application(name, .current), "user/ByHost/com.example.search.here.plist"),
      (.application(name, .any), "user/\(own)"),
      (.suite(suites[1], .current), "user/ByHost/second.here.plist"),
      (.suite(suites[1], .any), "user/second.plist"),
      (.suite(suites[0], .current), "user/ByHost/first.here.plist"),
      (.suite(suites[0], .any), "user/first.plist"),
      (.global(.current), "user/ByHost/.GlobalPreferences.here.plist"),
      (.global(.any), "user/\(global)"),
      (.systemWide(name, path: folder.path("system1/\(own)")), "system1/\(own)"),
      (.systemWide(name, path: folder.path("system2/\(own)")), "system2/\(own)"),
      (.systemWide(.global, path: folder.path("system1/\(global)")), "system1/\(global)"),
      (.systemWide(.global, path: folder.path("system2/\(global)")), "system2/\(global)"),
      (.registration, nil),
    ]
  }

  /// Writes a file for each layer: the key `from-N` has a value in layer N and all later ones, which is the number of
  /// the layer.
  func store() throws -> UserPreferences {
    var arguments: [String] = []
    var registered: [String: PropertyList] = [:]
    for (index, layer) in layers.enumerated() {
      let keys = (0...index).map { "from-\($0)" }
      if let file = layer.file {
        var contents: PropertyList = [:]
        for key in keys { contents.dictionary?[key] = .string("\(index)") }
        let url = folder.url.appending(path: file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.data(format: .binary).write(to: url)
      } else if layer.source == .arguments {
        arguments = keys.flatMap { ["-\($0)", "\(index)"] }
      } else {
        for key in keys { registered[key] = .string("\(index)") }
      }
    }
    let store = UserPreferences(suiteName: name, locations: locations, arguments: arguments)
    for suite in suites { store.addSuite(named: suite) }
    store.register(defaults: registered)
    return store
  }
}

@Suite("The search list") struct SearchListTests {
  private let folders: Folders
  private let store: UserPreferences

  init() throws {
    folders = try Folders()
    store = try folders.store()
  }

  @Test func `the search list has all layers in order`() {
    #expect(store.searchList.map(\.source) == folders.layers.map(\.source))
    #expect(store.searchList.map(\.path) == folders.layers.map { $0.file.map { folders.folder.path($0) } })
  }

  @Test(arguments: 0..<18) func `domains are searched in order, and the source of a value is reported`(_ index: Int)
    throws
  {
    let key = "from-\(index)"
    #expect(folders.layers.count == 18)
    #expect(store.value(forKey: key) == .string("\(index)"))
    #expect(store.integer(forKey: key) == index)
    let (value, source) = try #require(store.effectiveValue(forKey: key))
    #expect(value == .string("\(index)"))
    #expect(source == folders.layers[index].source)
    #expect(store.isForced(forKey: key) == (index < 4))
    #expect(store.dictionaryRepresentation()[key] == .string("\(index)"))
  }

  @Test func `a key without a value is nil`() {
    #expect(store.value(forKey: "other") == nil)
    #expect(store.effectiveValue(forKey: "other") == nil)
    #expect(!store.isForced(forKey: "other"))
    #expect(store.dictionaryRepresentation().count == 18)
  }

  @Test(
    "a value is set in the application's domain for any host, and counts if no earlier domain has one",
    arguments: 0..<18)
  func isSetInTheDomainOfTheApplication(_ index: Int) throws {
    let key = "from-\(index)"
    store.set("set", forKey: key)
    #expect(store.string(forKey: key) == (index < 6 ? "\(index)" : "set"))
    #expect(store.value(forKey: key, in: store.domain) == "set")
    store.removeValue(forKey: key)
    #expect(store.string(forKey: key) == (index == 6 ? "7" : "\(index)"))
    try store.synchronize()
  }

  @Test func `setting values does not change other domains, or those of administrators and all users`() throws {
    let before = try folders.layers.compactMap(\.file).map { try contents($0) }
    for index in 0..<18 { store.set("set", forKey: "from-\(index)") }
    try store.synchronize()
    let after = try folders.layers.compactMap(\.file).map { try contents($0) }
    let changed = zip(folders.layers.compactMap(\.file), zip(before, after)).filter { $1.0 != $1.1 }.map(\.0)
    #expect(changed == ["user/com.example.search.plist"])
  }

  private func contents(_ file: String) throws -> Data {
    try Data(contentsOf: folders.folder.url.appending(path: file))
  }

  @Test func `the last added suite comes first, and each suite occurs once`() throws {
    func suites() -> [String] {
      store.searchList.compactMap { if case .suite(let name, .any) = $0.source { name.rawValue } else { nil } }
    }
    #expect(suites() == ["second", "first"])
    #expect(store.integer(forKey: "from-8") == 8)
    store.addSuite(named: folders.suites[0])
    #expect(suites() == ["first", "second"])
    #expect(store.integer(forKey: "from-7") == 9)
    #expect(store.integer(forKey: "from-8") == 9)
    store.removeSuite(named: folders.suites[0])
    #expect(suites() == ["second"])
    #expect(store.integer(forKey: "from-9") == 11)
    // The application's own domain and the global domain are already layers.
    store.addSuite(named: store.domain.name)
    store.addSuite(named: .global)
    #expect(suites() == ["second"])
    store.removeSuite(named: DomainName("never added"))
    store.removeSuite(named: folders.suites[1])
    #expect(suites() == [])
    #expect(store.integer(forKey: "from-7") == 11)
  }

  @Test func `the global domain occurs once in its own search list`() throws {
    let global = UserPreferences(suiteName: .global, locations: folders.locations, arguments: [])
    #expect(
      global.searchList.map(\.source) == [
        .managed(.global, path: folders.folder.path("managed1/.GlobalPreferences.plist")),
        .managed(.global, path: folders.folder.path("managed2/.GlobalPreferences.plist")),
        .arguments, .application(.global, .current), .application(.global, .any),
        .systemWide(.global, path: folders.folder.path("system1/.GlobalPreferences.plist")),
        .systemWide(.global, path: folders.folder.path("system2/.GlobalPreferences.plist")), .registration,
      ])
    global.set("set", forKey: "from-17")
    #expect(store.string(forKey: "from-17") == "set")
    try global.synchronize()
  }

  @Test func `sources of values have descriptions`() {
    #expect(
      store.searchList.map(\.source.description).map {
        $0.replacing("\(folders.folder.url.path)/", with: "").replacing("com.example.search", with: "X")
      } == [
        "managed (managed1/X.plist)", "managed (managed2/X.plist)", "managed (managed1/.GlobalPreferences.plist)",
        "managed (managed2/.GlobalPreferences.plist)", "arguments", "application X on this host", "application X",
        "suite second on this host", "suite second", "suite first on this host", "suite first", "global on this host",
        "global", "system-wide (system1/X.plist)", "system-wide (system2/X.plist)",
        "system-wide (system1/.GlobalPreferences.plist)", "system-wide (system2/.GlobalPreferences.plist)",
        "registered",
      ])
  }

  @Test func `volatile domains with other names are not searched`() {
    store.setVolatileDomain(["mine": 1], forName: "domain")
    #expect(store.value(forKey: "mine") == nil)
    #expect(store.volatileDomain(forName: "domain") == ["mine": 1])
    #expect(store.volatileDomainNames == ["NSArgumentDomain", "NSRegistrationDomain", "domain"])
    let other = UserPreferences(suiteName: folders.suites[0], locations: folders.locations, arguments: [])
    #expect(other.volatileDomain(forName: "domain") == ["mine": 1])
    store.removeVolatileDomain(forName: "domain")
    #expect(other.volatileDomain(forName: "domain") == [:])
    #expect(store.volatileDomainNames == ["NSArgumentDomain", "NSRegistrationDomain"])
  }

  @Test func `registering values extends the existing table`() {
    let table = DomainTable()
    var moves = 0
    var address = 0
    for number in 0..<1000 {
      #expect(table.register(["key \(number)": 1]) == [])
      let now = unsafe unsafeBitCast(table.listed.values, to: Int.self)
      if now != address { moves += 1 }
      address = now
    }
    #expect(table.listed.values.count == 1000)
    // A growing dictionary is moved when its capacity is used up.
    #expect(moves < 20)
  }

  @Test func `registered values come last, for all stores with the same folders`() throws {
    let other = UserPreferences(suiteName: folders.suites[0], locations: folders.locations, arguments: [])
    store.register(defaults: ["added": 1])
    store.register(defaults: ["added too": 2, "added": 3])
    #expect(other.integer(forKey: "added") == 3)
    #expect(other.integer(forKey: "added too") == 2)
    #expect(other.effectiveValue(forKey: "added")?.source == .registration)
    store.setVolatileDomain(["only": 4], forName: UserPreferences.registrationDomain)
    #expect(other.value(forKey: "added") == nil)
    #expect(other.volatileDomain(forName: UserPreferences.registrationDomain) == ["only": 4])
    let elsewhere = UserPreferences(
      suiteName: DomainName("any"), locations: PreferencesLocations(folder: folders.folder.url), arguments: [])
    #expect(elsewhere.value(forKey: "only") == nil)
  }
}

@Suite("The folders of preferences") struct PreferencesLocationsTests {
  #if !canImport(Darwin)
    /// The environment, the home folder, and the folders of the user and of the system.
    static let environments: [([String: String], String?, String?, [String])] = [
      ([:], "/home/u", "/home/u/.config", ["/etc/xdg"]),
      (["XDG_CONFIG_HOME": "/c"], "/home/u", "/c", ["/etc/xdg"]),
      (["XDG_CONFIG_HOME": "/c/"], "/home/u", "/c", ["/etc/xdg"]),
      (["XDG_CONFIG_HOME": "/c"], nil, "/c", ["/etc/xdg"]),
      // Relative paths are ignored, as the specification says.
      (["XDG_CONFIG_HOME": "c"], "/home/u", "/home/u/.config", ["/etc/xdg"]),
      (["XDG_CONFIG_HOME": "./c"], "/home/u", "/home/u/.config", ["/etc/xdg"]),
      (["XDG_CONFIG_HOME": "~/c"], "/home/u", "/home/u/.config", ["/etc/xdg"]),
      (["XDG_CONFIG_HOME": ""], "/home/u", "/home/u/.config", ["/etc/xdg"]),
      ([:], "/home/u/", "/home/u/.config", ["/etc/xdg"]),
      ([:], "/", "/.config", ["/etc/xdg"]),
      ([:], nil, nil, ["/etc/xdg"]),
      ([:], "relative", nil, ["/etc/xdg"]),
      (["XDG_CONFIG_DIRS": "/a:/b"], "/h", "/h/.config", ["/a", "/b"]),
      (["XDG_CONFIG_DIRS": "/a/::b:/c:"], "/h", "/h/.config", ["/a", "/c"]),
      (["XDG_CONFIG_DIRS": ""], "/h", "/h/.config", ["/etc/xdg"]),
      (["XDG_CONFIG_DIRS": "a:b"], "/h", "/h/.config", ["/etc/xdg"]),
    ]

    @Test(arguments: environments) func `the folders come from the environment, if its paths are absolute`(
      _ environment: [String: String], _ home: String?, _ user: String?, _ system: [String]
    ) {
      let locations = PreferencesLocations(environment: { environment[$0] }, home: home)
      #expect(locations.userFolder == user)
      #expect(locations.systemFolders == system)
      // Setting the environment does not make a user an administrator.
      #expect(locations.managedFolders == ["/etc/xdg/managed-preferences"])
    }
  #endif

  @Test func `explicit folders are used alone`() throws {
    let locations = PreferencesLocations(folder: URL(filePath: "/a/b/"), host: "h")
    #expect(locations.userFolder == "/a/b")
    #expect(locations.systemFolders == [])
    #expect(locations.managedFolders == [])
    #expect(locations.host == "h")
    #expect(PreferencesLocations(folder: try #require(URL(string: "https://a.b/c"))).userFolder == nil)
  }

  @Test func `folder names are compared by their bytes`() throws {
    let (composed, decomposed) = ("e\u{301}".precomposedStringWithCanonicalMapping, "e\u{301}")
    let folder = TemporaryFolder(isInMemory: true)
    let stores = [composed, decomposed].map { name in
      UserPreferences(
        suiteName: DomainName("d"),
        locations: PreferencesLocations(folder: folder.url.appending(path: name), host: "h"), arguments: [])
    }
    #expect(stores[0].locations != stores[1].locations)
    stores[0].set(1, forKey: "key")
    stores[0].register(defaults: ["registered": 1])
    #expect(stores[1].value(forKey: "key") == nil)
    #expect(stores[1].value(forKey: "registered") == nil)
    // Waits for the save to end before the folder is removed.
    try stores[0].synchronize()
  }

  @Test func `without folders, values are kept in memory`() throws {
    let locations = PreferencesLocations(environment: { _ in nil }, home: nil)
    let store = UserPreferences(suiteName: DomainName("nowhere"), locations: locations, arguments: [])
    let other = UserPreferences(suiteName: DomainName("nowhere"), locations: locations, arguments: [])
    store.set(1, forKey: "key")
    #expect(other.integer(forKey: "key") == 1)
    #expect(throws: PreferencesError.noFolder) { try store.synchronize() }
    #expect(store.integer(forKey: "key") == 1)
    #expect(store.persistentDomainNames == [])
  }

  @Test(
    "file names contain the host, without characters of a path", arguments: [("../x", ".._x"), ("", "_")])
  func haveFilesWhoseNamesHoldTheHost(_ host: String, _ name: String) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let locations = PreferencesLocations(folder: folder.url, host: host)
    let domain = PersistentDomain(DomainName("d"), host: .current)
    #expect(locations.file(of: domain) == folder.path("ByHost/d.\(name).plist"))
  }

  @Test(
    "a stored URL of a file in the home folder begins with ~",
    arguments: [
      ("/home/e\u{301}/a", "/home/e\u{301}", "~/a"), ("/home/e\u{301}", "/home/e\u{301}", "~"),
      ("/home/e\u{301}/a", "/home/\u{E9}", "/home/e\u{301}/a"), ("/home/user/a", "/home/use", "/home/user/a"),
      ("/home/u/a", "/", "/home/u/a"), ("/home/u/a", nil, "/home/u/a"),
    ])
  func standAsInAStoredURLOfAFile(_ path: String, _ home: String?, _ stored: String) throws {
    let value = try StoredURL.stored(URL(filePath: path, directoryHint: .notDirectory), home: home)
    #expect(value.string?.utf8.elementsEqual(stored.utf8) == true, "\(value)")
  }
}
