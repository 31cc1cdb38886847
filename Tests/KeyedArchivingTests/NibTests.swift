import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import TestSupport
import Testing

@testable import ArchiveViews

@Suite("Nibs of all forms") struct NibTests {
  /// Creates a folder of files while `body` runs.
  private func withFolder(_ files: [String: Data], _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "Nib-\(UUID().uuidString).nib")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, data) in files { try data.write(to: folder.appending(path: name)) }
    try body(folder)
  }

  private func keyed(_ format: PropertyListFormat = .binary) throws -> Data {
    let list: PropertyList = [
      "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["IB.objectdata": .uid(1)],
      "$objects": ["$null", ["$class": .uid(2)], classDescription("NSIBObjectData")],
    ]
    return try list.data(format: format, options: .exact)
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `the form is detected by the bytes`(_ format: PropertyListFormat) throws {
    guard case .keyedArchive(let archive) = try Nib(keyed(format)) else {
      Issue.record("another form")
      return
    }
    #expect(try archive.tree() == "IB.objectdata: NSIBObjectData")
    #expect(try Nib(keyed(format)).keyedArchive().tree() == archive.tree())
    guard case .nibArchive(let nib) = try Nib(NIBArchive.label().data()) else {
      Issue.record("another form")
      return
    }
    #expect(try nib == .label())
    #expect(try Nib(nib.data()).keyedArchive().tree() == nib.keyedArchive().tree())
    let stream = Data(Piece.root("NSMenu", Piece.new("i"), [7]))
    guard case .typedstream(let typed) = try Nib(stream) else {
      Issue.record("another form")
      return
    }
    #expect(try Nib(stream).keyedArchive().tree() == typed.keyedArchive().tree())
    #expect(throws: NibError.self) { try Nib(stream.dropLast()) }
    #expect(ArchiveFormat(Data("NIBArchive".utf8)) == .nibArchive && ArchiveFormat(Data("NIBArchiv".utf8)) == nil)
  }

  @Test func `a file that is not a nib is an error that says so`() throws {
    let truncated = #expect(throws: NibError.self) { try Nib(Data("NIBArchive".utf8)) }
    guard case .nibArchive(let error) = truncated else {
      Issue.record("\(String(describing: truncated))")
      return
    }
    #expect(error.kind == .truncated && truncated?.description == error.description)
    let other = #expect(throws: NibError.self) { try Nib(Data("a = b;".utf8)) }
    guard case .keyedArchive = other else {
      Issue.record("\(String(describing: other))")
      return
    }
    let missing = #expect(throws: NibError.self) { try Nib(contentsOf: URL(filePath: "/nowhere/x.nib")) }
    guard case .file = missing else {
      Issue.record("\(String(describing: missing))")
      return
    }
    #expect(throws: NibError.self) { try Nib(contentsOf: #require(URL(string: "https://a/b.nib"))) }
    #expect(throws: NIBArchiveError.self) { try NIBArchive(contentsOf: URL(filePath: "/nowhere/x.nib")) }
  }

  @Test func `in a folder, the file for the newest systems is used`() throws {
    let names = [
      "classes.nib", "designable.nib", "info.nib", "keyedobjects-101300.nib", "keyedobjects-110000.nib",
      "keyedobjects-.nib", "keyedobjects-x.nib", "keyedobjects.nib", "objects-8.0+.nib", "objects-11.0+.nib",
      "objects-12.3+.nib", "objects-.nib", "objects-9.nib", "objects.nib", "runtime.nib", "keyedobjects.xib",
      "objects-99999999999999999999+.nib",
    ]
    #expect(
      Nib.names(names.shuffled()) == [
        "keyedobjects-110000.nib", "keyedobjects-101300.nib", "objects-12.3+.nib", "objects-11.0+.nib",
        "objects-8.0+.nib", "runtime.nib", "keyedobjects.nib", "objects.nib",
      ])
    let nib = try NIBArchive.label()
    let files = ["keyedobjects.nib": try keyed(), "keyedobjects-101300.nib": try nib.data(), "info.nib": Data()]
    try withFolder(files) { folder in
      #expect(try Nib.files(in: folder).map(\.lastPathComponent) == ["keyedobjects-101300.nib", "keyedobjects.nib"])
      guard case .nibArchive(nib) = try Nib(contentsOf: folder) else {
        Issue.record("another file")
        return
      }
      #expect(try NIBArchive(contentsOf: folder.appending(path: "keyedobjects-101300.nib")) == nib)
    }
    try withFolder(["info.nib": Data()]) { folder in
      #expect(throws: NibError.emptyFolder(folder.path)) { try Nib(contentsOf: folder) }
    }
    #expect(throws: NibError.self) { try Nib.files(in: URL(filePath: "/nowhere")) }
  }

  @Test func `the code of the article about nibs works`() throws {
    let article = try ArticleText(path: "Sources/Nibs/Documentation.docc/CompiledNibs.md")
    #expect(article.blocks.count == 3)
    #expect(try article.blocks(notIn: "Tests/KeyedArchivingTests/NibTests.swift") == [])
    try withFolder(["Main.nib": NIBArchive.label().data()]) { folder in
      let url = folder.appending(path: "Main.nib")
      var printed: [String] = []
      func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
      do {
        let nib = try Nib(contentsOf: url)
        print(try nib.keyedArchive().tree())
      }
      #expect(printed.last?.hasPrefix("UINibTopLevelObjectsKey: #1 [") == true)
      do {
        let nib = try NIBArchive(contentsOf: url)
        for object in nib.objects where object.className == "UILabel" {
          print(object.index, object["UIAlpha"] as Any, object["UIBounds"]?.numbers as Any)
        }
      }
      #expect(printed.last?.hasPrefix("5 Optional(") == true)
      do {
        let nib = try NIBArchive(objects: [
          .init("NSObject", [.init("title", .object(1))]),
          .init("NSString", [.init("NS.bytes", .data(Data("Ada".utf8)))]),
        ])
        try nib.data().write(to: url)
      }
      #expect(try Nib(contentsOf: url).keyedArchive().tree() == "title: \"Ada\"")
    }
  }
}
