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
    // Parses all files in one process, which names the file of an error.
    let parser = """
      for (const filename of process.argv.slice(1))
        new (require('vm').Script)(require('fs').readFileSync(filename, 'utf8'), { filename });
      """
    let paths = names.map { Self.folder.appending(path: $0).path }
    let result = try Program.run(URL(filePath: Self.node ?? ""), ["-e", parser] + paths)
    #expect(result.status == 0, "\(result.errors)")
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
