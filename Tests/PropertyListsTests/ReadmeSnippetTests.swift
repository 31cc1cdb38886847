import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import PropertyListTools

@Suite("README examples of paths, edits and differences") struct ReadmeSnippetTests {
  @Test func `the examples are correct`() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path("Info.plist"))
    let text = "<plist><!-- kept --><dict><key>CFBundleVersion</key><string>42</string></dict></plist>"
    try Data(text.utf8).write(to: url)
    let info = try PropertyList(contentsOf: url)
    let version = try PropertyListKeyPath("CFBundleVersion")
    let document = try PropertyListDocument(contentsOf: url)
    var edited = try PropertyList(document.root)
    try edited.set("43", at: version)
    let bytes = try document.data(updatedTo: edited)
    #expect(String(decoding: bytes, as: UTF8.self) == text.replacing("42", with: "43"))
    let same = try document.data(applying: .set("43", at: version))
    #expect(same == bytes)
    let changes = PropertyListDifference(from: info, to: edited)
    #expect(changes.changes.map { "\($0)" } == [#"~ CFBundleVersion: "42" -> "43""#])
    #expect(try changes.applied(to: info) == edited)
  }
}
