import Foundation
import ProgramFolders
import PropertyLists
import TestSupport
import Testing

@Suite("Resources of a bundle") struct ResourceBundleTests {
  private let files = ResourceFolder()

  private func bundle(_ path: String = "", _ languages: [String] = ["en"]) throws -> ResourceBundle {
    try ResourceBundle(url: files.url.appending(path: path), languages: languages)
  }

  /// The name of the bundle, the file `Info.plist` and the folder of the resources.
  static let layouts = [
    ("Mac.app", "Contents/Info.plist", "Contents/Resources/"), ("iPhone.app", "Info.plist", ""),
    ("Old.bundle", "Contents/Info.plist", "Contents/Resources/"), ("Flat.bundle", "Info.plist", ""),
    ("Flat.framework", "Info.plist", ""), ("Mac.framework", "Resources/Info.plist", "Resources/"),
    ("notes_Notes.resources", "Info.plist", ""), ("folder", "Info.plist", ""),
  ]

  @Test(arguments: layouts) func `resources are found in all layouts of bundles`(
    _ name: String, _ information: String, _ resources: String
  ) throws {
    try files.addInformation("\(name)/\(information)", "org.example.\(name)")
    try files.add("\(name)/\(resources)Welcome.txt", "\(name)/\(resources)en.lproj/Help.html")
    let bundle = try bundle(name)
    #expect(bundle.bundleURL.path == files.path(name))
    #expect(bundle.bundleIdentifier == "org.example.\(name)")
    #expect(bundle.localizations == ["en"])
    let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
    #expect(welcome.path == files.path("\(name)/\(resources)Welcome.txt"))
    #expect(try bundle.url(forResource: "Help.html").path == files.path("\(name)/\(resources)en.lproj/Help.html"))
    // Foundation finds the same files.
    let foundation = try #require(Bundle(url: bundle.bundleURL))
    #expect(foundation.bundleIdentifier == bundle.bundleIdentifier)
    #expect(foundation.url(forResource: "Welcome", withExtension: "txt")?.path == welcome.path)
  }

  @Test func `a framework with versions is read through its links`() throws {
    try files.addInformation("N.framework/Versions/A/Resources/Info.plist", "n")
    try files.add("N.framework/Versions/A/Resources/a.txt")
    for (link, target) in [("Versions/Current", "A"), ("Resources", "Versions/Current/Resources")] {
      try FileManager.default.createSymbolicLink(
        atPath: files.path("N.framework/\(link)"), withDestinationPath: target)
    }
    #expect(try bundle("N.framework").url(forResource: "a.txt").path == files.path("N.framework/Resources/a.txt"))
  }

  @Test func `a folder without information is a bundle with an empty dictionary`() throws {
    let bundle = try bundle()
    #expect(bundle.infoDictionary == [:])
    #expect(bundle.bundleIdentifier == nil)
    #expect(bundle.developmentLocalization == "en")
    #expect(bundle.localizations == [])
    #expect(try bundle.urls(forResourcesWithExtension: nil) == [])
  }

  @Test func `a resource without a language comes first, then the preferred languages, Base and the first language`()
    throws
  {
    let order = ["", "de-AT.lproj/", "de.lproj/", "fr.lproj/", "Base.lproj/", "it.lproj/"]
    try files.addInformation("Info.plist", "n", region: "it")
    for folder in order { try files.add("\(folder)a.txt", "\(folder)Sub/b.txt") }
    try files.add("es.lproj/a.txt")
    let bundle = try bundle("", ["de_AT.UTF-8", "fr"])
    #expect(bundle.preferredLocalizations == ["de-AT", "de", "fr", "Base", "it"])
    var other = bundle
    other.languages = ["it", "es"]
    #expect(other.preferredLocalizations == ["it", "es", "Base"])
    for folder in order {
      #expect(try bundle.url(forResource: "a", withExtension: "txt").path == files.path("\(folder)a.txt"))
      let inFolder = try bundle.url(forResource: "b", withExtension: "txt", subdirectory: "Sub")
      #expect(inFolder.path == files.path("\(folder)Sub/b.txt"))
      for name in ["a.txt", "Sub/b.txt"] { try FileManager.default.removeItem(atPath: files.path(folder + name)) }
    }
    #expect(throws: ProgramFoldersError.self) { try bundle.url(forResource: "a", withExtension: "txt") }
    #expect(
      try bundle.url(forResource: "a", withExtension: "txt", localization: "es").path == files.path("es.lproj/a.txt"))
  }

  @Test func `one language is searched if it is named, in any spelling`() throws {
    try files.add("en.lproj/a.txt", "pt_BR.lproj/a.txt", "global.txt")
    let bundle = try bundle()
    #expect(try bundle.url(forResource: "a.txt", localization: "pt-BR").path == files.path("pt_BR.lproj/a.txt"))
    #expect(try bundle.url(forResource: "global.txt", localization: "pt-BR").path == files.path("global.txt"))
    #expect(throws: ProgramFoldersError.self) { try bundle.url(forResource: "a.txt", localization: "fr") }
  }

  @Test func `the error for a missing resource lists the folders in the order of the search`() throws {
    try files.add("en.lproj/", "de.lproj/")
    let error = #expect(throws: ProgramFoldersError.self) {
      try bundle("", ["de"]).url(forResource: "a", withExtension: "txt", subdirectory: "Sub")
    }
    guard case .notFound("a.txt", let searched) = error else { throw try #require(error) }
    #expect(searched.map(\.path) == ["Sub", "de.lproj/Sub", "en.lproj/Sub"].map { files.path($0) })
    let list = searched.map(\.path).joined(separator: ", ")
    #expect(error?.description == "\"a.txt\" was not found in \(list)")
  }

  @Test(arguments: ["../a", "/etc/passwd", "..", "", "a/../../b"])
  func `a name that leaves the bundle is refused`(_ name: String) throws {
    let bundle = try bundle()
    func refuses(_ body: () throws -> Void) { #expect(throws: ProgramFoldersError.self, performing: body) }
    refuses { _ = try bundle.url(forResource: name) }
    refuses { _ = try bundle.url(forResource: "a", subdirectory: name) }
    refuses { _ = try bundle.url(forResource: "a", localization: name) }
    refuses { _ = try bundle.urls(forResourcesWithExtension: "txt", subdirectory: name) }
    refuses { _ = try bundle.localizedStrings(table: name + "/../x") }
  }

  @Test func `all resources of a type are listed once, by name`() throws {
    try files.add(
      "b.png", "a.png", "a.txt", ".png", "de.lproj/b.png", "de.lproj/c.png", "en.lproj/c.png", "m.momd/x.mom")
    let bundle = try bundle("", ["de"])
    func names(_ type: String?, _ folder: String? = nil) throws -> [String] {
      try bundle.urls(forResourcesWithExtension: type, subdirectory: folder).map {
        String($0.path.dropFirst(files.url.path.count + 1))
      }
    }
    #expect(try names("png") == ["a.png", "b.png", "de.lproj/c.png"])
    #expect(try names("momd") == ["m.momd"])
    #expect(try names("gif") == [])
    #expect(try names("mom", "m.momd") == ["m.momd/x.mom"])
    #expect(try names(nil) == [".png", "a.png", "a.txt", "b.png", "de.lproj/c.png", "m.momd"])
    let german = try bundle.urls(forResourcesWithExtension: "png", localization: "en").map(\.lastPathComponent)
    #expect(german == ["a.png", "b.png", "c.png"])
  }

  @Test func `strings come from the preferred language, and missing keys from the less specific ones`() throws {
    try files.write("en.lproj/Localizable.strings", #""title" = "Notes"; "colour" = "Color"; "only" = "English";"#)
    try files.write("en-GB.lproj/Localizable.strings", "/* UTF-8 */ \"colour\" = \"Colour\";")
    try files.write("de.lproj/Localizable.strings", #""title" = "Notizen";"#)
    try files.write("de.lproj/InfoPlist.strings", "{ CFBundleName = Notizen; }")
    let british = try bundle("", ["en-GB"])
    #expect(try british.localizedStrings() == ["title": "Notes", "colour": "Colour", "only": "English"])
    let german = try bundle("", ["de"])
    #expect(try german.localizedString(forKey: "title") == "Notizen")
    #expect(try german.localizedString(forKey: "only") == "English")
    #expect(try german.localizedString(forKey: "CFBundleName", table: "InfoPlist") == "Notizen")
    #expect(try german.localizedString(forKey: "none") == "none")
    #expect(try german.localizedString(forKey: "none", value: "Nothing") == "Nothing")
    #expect(try german.localizedStrings(table: "None") == [:])
  }

  @Test func `UTF-16, XML and binary tables are read`() throws {
    let table: PropertyList = ["title": "Größe"]
    for (language, data) in [
      ("de", try #require("\"title\" = \"Größe\";".data(using: .utf16))), ("fr", try table.data(format: .xml)),
      ("it", try table.data(format: .binary)),
    ] {
      try files.add("\(language).lproj/")
      try data.write(to: files.url.appending(path: "\(language).lproj/Localizable.strings"))
      #expect(try bundle("", [language]).localizedString(forKey: "title") == "Größe")
    }
  }

  @Test func `a damaged table or information is an error with its file`() throws {
    try files.write("en.lproj/Localizable.strings", "\"a\" = ;")
    try files.write("en.lproj/Numbers.strings", "{ a = (1); }")
    for table in ["Localizable", "Numbers"] {
      let error = #expect(throws: ProgramFoldersError.self) { try bundle().localizedStrings(table: table) }
      guard case .unreadable(let url, _) = error else { throw try #require(error) }
      #expect(url.path == files.path("en.lproj/\(table).strings"))
      #expect(error?.description.hasPrefix(url.path) == true)
    }
    for text in ["<plist><array/></plist>", "bplist00", "<plist>"] {
      try files.write("Info.plist", text)
      let error = #expect(throws: ProgramFoldersError.self) { try bundle() }
      guard case .unreadable(let url, _) = error else { throw try #require(error) }
      #expect(url.path == files.path("Info.plist"))
    }
  }

  @Test func `a bundle that does not exist is an error with the folder`() throws {
    try files.add("file.bundle")
    for name in ["none.bundle", "file.bundle"] {
      #expect(throws: ProgramFoldersError.notFound(name, searched: [URL(filePath: files.url.path + "/")])) {
        try bundle(name)
      }
    }
  }
}
