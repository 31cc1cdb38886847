import Foundation
import ManagedObjects
import TestSupport
import Testing

@testable import BrowsingPages

@Suite("The code of pages") struct PageCodeTests {
  @Test func `the content security policy has the hashes of the script and the style`() {
    #expect(PageCode.scriptHash == SHA2.sha256(PageCode.script).base64EncodedString())
    #expect(PageCode.styleHash == SHA2.sha256(PageCode.style).base64EncodedString())
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/BrowsingPages/Page")

  private static let node = ["/usr/bin/node", "/usr/local/bin/node"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: node != nil, "no Node.js is installed"))
  func `each script file is valid on its own`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".js") }
    #expect(names.count == 9)
    for name in names {
      let path = Self.folder.appending(path: name).path
      let result = try Program.run(URL(filePath: Self.node ?? ""), ["--check", path])
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func `the script does not turn text into markup or code`() {
    let script = String(decoding: PageCode.script, as: UTF8.self)
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"] {
      #expect(!script.contains(word))
    }
    // The end tag of an element would end the script.
    #expect(!script.contains("</"))
    #expect(!String(decoding: PageCode.style, as: UTF8.self).contains("</"))
  }
}
