import Foundation
import PropertyLists
import TestSupport
import Testing

/// The tool, run as a process.
enum Tool {
  @discardableResult
  static func run(_ arguments: String..., in folder: URL? = nil) throws -> Program {
    try Program.run("storeutil", arguments, in: folder)
  }

  /// What a call prints as JSON, which has to succeed.
  static func json(_ arguments: String..., in folder: URL? = nil) throws -> PropertyList {
    let result = try Program.run("storeutil", arguments, in: folder)
    #expect(result.status == 0 && result.errors == "", "\(arguments): \(result.errors)")
    let options = PropertyListReadingOptions(restoresCoercedValues: true)
    return try PropertyList(result.output, format: .json, options: options)
  }
}

/// A folder with the model of a library, and a store that the tool made of it.
struct Library {
  let folder: TemporaryFolder
  var url: URL { folder.url }

  static let store = "Library.sqlite"

  init() throws {
    folder = try TemporaryFolder()
    let model = folder.url.appending(path: "Library.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Self.model.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    try run("create", "Library.xcdatamodel", Self.store)
    try run("insert", Self.store, "Author", "name=Ada Łovelace", "born=1815-12-10T00:00:00Z")
    try run("insert", Self.store, "Book", "title=Notes, \"A\" to G", "author=Author/1", "pages=66", "price=12.50")
    try run("insert", Self.store, "Comic", "title==1+1", "author=Author/1", "cover=AAEC", "inColor=yes")
    try run("insert", Self.store, "Tag", "name=old", "books=Book/1,Comic/2")
  }

  /// Calls the tool in the folder, where it has to succeed.
  @discardableResult
  func run(_ arguments: String...) throws -> String {
    let result = try Program.run("storeutil", arguments, in: url)
    #expect(result.status == 0 && result.errors == "", "\(arguments): \(result.errors)")
    return result.text
  }

  /// Calls the tool in the folder, where it has to fail.
  func failure(_ arguments: [String]) throws -> (status: Int32, errors: String) {
    let result = try Program.run("storeutil", arguments, in: url)
    #expect(result.text == "" && !result.wasKilled, "\(arguments)")
    return (result.status, result.errors)
  }

  private static let model = """
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
