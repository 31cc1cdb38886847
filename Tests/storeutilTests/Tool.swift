import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

/// The tool as a process.
enum Tool {
  @discardableResult
  static func run(_ arguments: String..., in folder: URL? = nil) throws -> Program {
    try Program.run("storeutil", arguments, in: folder)
  }

  /// Returns the JSON output of a call, which must succeed.
  static func json(_ arguments: String..., in folder: URL? = nil) throws -> PropertyList {
    let result = try Program.run("storeutil", arguments, in: folder)
    #expect(result.status == 0 && result.errors == "", "\(arguments): \(result.errors)")
    let options = PropertyListReadingOptions(restoresCoercedValues: true)
    return try PropertyList(result.output, format: .json, options: options)
  }
}

/// A folder with the model of a library, and a store that was created from it.
struct Library {
  let folder: TemporaryFolder
  var url: URL { folder.url }

  static let store = "Library.sqlite"

  init() throws {
    self.init(in: TemporaryFolder())
    try copyFiles(of: Self.original)
  }

  init(in folder: TemporaryFolder) { self.folder = folder }

  /// The files of a new library. They are made once, because that takes more time than most tests.
  private static let original: Result<TemporaryFolder, any Error> = Result {
    let library = Library(in: .keptUntilExit())
    try library.makeOriginal()
    return library.folder
  }

  /// Copies files that were made once for all tests.
  ///
  /// - Parameter store: The name of the copy of a file `store`.
  func copyFiles(of original: Result<TemporaryFolder, any Error>, store: String = "store") throws {
    let original = try original.get()
    for name in original.names {
      let copy = url.appending(path: name == "store" ? store : name)
      try FileManager.default.copyItem(at: original.url.appending(path: name), to: copy)
    }
  }

  private func makeOriginal() throws {
    let model = folder.url.appending(path: "Library.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Self.modelText.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    try makeObjects(Self.store)
  }

  /// Creates a store with the objects of the library.
  func makeObjects(_ store: String) throws {
    let context = try context(store, model: "Library.xcdatamodel", isReadOnly: false)
    let born = Date(timeIntervalSince1970: -4_861_728_000)
    let author = try context.add("Author", ["name": .string("Ada Łovelace"), "born": .date(born)])
    let book = try context.add(
      "Book", ["title": .string("Notes, \"A\" to G"), "pages": .integer(66), "price": .decimal(12.5)],
      ["author": .object(author)])
    let comic = try context.add(
      "Comic", ["title": .string("=1+1"), "cover": .data(Data([0, 1, 2])), "inColor": .boolean(true)],
      ["author": .object(author)])
    try context.add("Tag", ["name": .string("old")], ["books": .set([.object(book), .object(comic)])])
  }

  /// Creates a store `NAME.sqlite` with the covers of books in external files, and a book whose file is missing.
  ///
  /// - Returns: the URL of the file.
  func makeStoreWithExternalData(_ store: String) throws -> URL {
    let contents = url.appending(path: "Library.xcdatamodel/contents")
    let text = try String(contentsOf: contents, encoding: .utf8)
      .replacing("<attribute name=\"cover\"", with: "<attribute name=\"cover\" allowsExternalBinaryDataStorage=\"YES\"")
    try text.write(to: contents, atomically: true, encoding: .utf8)
    do {
      let context = try context(store, model: "Library.xcdatamodel", isReadOnly: false)
      let author = try context.add("Author", ["name": .string("Ada")])
      try context.add("Book", ["title": .string("x"), "cover": .data(Data([0, 1, 2]))], ["author": .object(author)])
    }
    let name = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    let digits = name.utf8.map { String($0, radix: 16) }.joined()
    try execute("UPDATE ZBOOK SET ZCOVER = X'02\(digits)00'", on: store)
    return url.appending(path: ".\(store.prefix { $0 != "." })_SUPPORT/_EXTERNAL_DATA/\(name)")
  }

  /// The identifier of the place `Home` of ``makePlaces(_:)``.
  static let home = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

  /// Creates a store of places with unique names: `Home`, and `Desk` in it.
  func makePlaces(_ store: String, type: String = "sqlite") throws {
    try copyFiles(of: #require(Self.places[type]), store: store)
  }

  private static let places: [String: Result<TemporaryFolder, any Error>] = Dictionary(
    uniqueKeysWithValues: ["sqlite", "xml", "binary"].map { type in
      let files: Result<TemporaryFolder, any Error> = Result {
        let library = Library(in: .keptUntilExit())
        try library.makeOriginalPlaces("store", type: type)
        return library.folder
      }
      return (type, files)
    })

  private func makeOriginalPlaces(_ store: String, type: String) throws {
    let model = url.appending(path: "Places.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Place" syncable="YES">
            <attribute name="height" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
            <attribute name="identifier" optional="YES" attributeType="UUID"/>
            <attribute name="link" optional="YES" attributeType="URI"/>
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="places" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Place" inverseName="within" inverseEntity="Place"/>
            <relationship name="within" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Place" inverseName="places" inverseEntity="Place"/>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
    </model>
    """.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    let first = type == "sqlite" ? store : "\(type).sqlite"
    do {
      let context = try context(first, model: "Places.xcdatamodel", isReadOnly: false)
      let identifier = try #require(UUID(uuidString: Self.home))
      let link = try #require(URL(string: "https://example.com/"))
      let home = try context.add(
        "Place", ["name": .string("Home"), "identifier": .uuid(identifier), "link": .url(link)])
      try context.add("Place", ["name": .string("Desk")], ["within": .object(home)])
    }
    // The objects keep their primary keys.
    if type != "sqlite" { try run("convert", first, store, "--type", type) }
  }

  /// Changes a store without the tool: `store` is a connection to it, and `sys.argv[1...]` are the paths.
  func runPython(_ code: String, on stores: String...) throws {
    let setup = "import sqlite3, sys\nstore = sqlite3.connect(sys.argv[1])\n"
    let paths = stores.map { url.appending(path: $0).path }
    let result = try Program.runPython(["-c", setup + code + "\nstore.commit()\nstore.close()"] + paths)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Returns the peak memory of a call, and the bytes that it writes to disks. The call must succeed.
  func cost(_ arguments: String...) throws -> (memory: Int, written: Int) {
    let python = """
      import os, resource, subprocess, sys
      os.chdir(sys.argv[1])
      subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
      usage = resource.getrusage(resource.RUSAGE_CHILDREN)
      print(usage.ru_maxrss * 1024, usage.ru_oublock * 512)
      """
    let result = try Program.runPython(["-c", python, url.path, Program.executable("storeutil").path] + arguments)
    let numbers = result.text.split { $0.isWhitespace }.compactMap { Int($0) }
    try #require(numbers.count == 2, "\(result.errors)")
    return (numbers[0], numbers[1])
  }

  /// Calls the tool in the folder. The call must succeed.
  @discardableResult
  func run(_ arguments: String...) throws -> String { try run(arguments) }

  @discardableResult
  func run(_ arguments: [String]) throws -> String {
    let result = try Program.run("storeutil", arguments, in: url)
    #expect(result.status == 0 && result.errors == "", "\(arguments): \(result.errors)")
    return result.text
  }

  /// Calls the tool in the folder. The call must fail.
  func failure(_ arguments: [String]) throws -> (status: Int32, errors: String) {
    let result = try Program.run("storeutil", arguments, in: url)
    #expect(result.text == "" && !result.wasKilled, "\(arguments)")
    return (result.status, result.errors)
  }

  private static let modelText = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Author" syncable="YES">
            <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="name" attributeType="String" minValueString="2"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Book" \
    inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="cover" optional="YES" attributeType="Binary"/>
            <attribute name="pages" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="title" attributeType="String"/>
            <relationship name="author" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
    inverseName="books" inverseEntity="Author"/>
        </entity>
        <entity name="Comic" parentEntity="Book" syncable="YES">
            <attribute name="inColor" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
            <attribute name="weight" optional="YES" attributeType="Float"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"/>
        </entity>
    </model>
    """
}

extension Library {
  /// Creates the store `drinks.sqlite`, whose model `Drinks.xcdatamodel` has a composite attribute: a drink whose
  /// author has the city Oslo, and one without an author.
  func makeDrinks() throws { try copyFiles(of: Self.drinks) }

  private static let drinks: Result<TemporaryFolder, any Error> = Result {
    let library = Library(in: .keptUntilExit())
    try library.makeOriginalDrinks()
    return library.folder
  }

  private func makeOriginalDrinks() throws {
    func write(_ attributes: String, _ composite: String, to name: String) throws {
      let folder = url.appending(path: "\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let text = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="Drink">\
        <attribute name="title" optional="YES" attributeType="String"/>\(attributes)</entity>\(composite)</model>
        """
      try text.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
    }
    let leaves = """
      <attribute name="city" optional="YES" attributeType="String"/>\
      <attribute name="size" optional="YES" attributeType="Integer 32"/>
      """
    try write(leaves, "", to: "Twin")
    try write(
      "<attribute name=\"author\" optional=\"YES\" attributeType=\"Composite\" composite=\"Author\"/>",
      "<composite name=\"Author\">\(leaves)</composite>", to: "Drinks")
    do {
      let context = try context("drinks.sqlite", model: "Twin.xcdatamodel", isReadOnly: false)
      try context.add("Drink", ["title": .string("a"), "city": .string("Oslo"), "size": .integer(7)])
      try context.add("Drink", ["title": .string("b")])
    }
    try execute("UPDATE Z_METADATA SET Z_PLIST = NULL; DELETE FROM Z_MODELCACHE", on: "drinks.sqlite")
  }
}
