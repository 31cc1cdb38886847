import Foundation
import TestSupport
import Testing

@Suite("storeutil html") struct StoreHTMLTests {
  @Test func `--limit sets the number of rows in the page`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (store, page) = (folder.path("Notes.sqlite"), folder.path("Notes.html"))
    func run(_ arguments: String...) throws -> Program { try Program.run("storeutil", arguments) }
    let model = Fixtures.url("models/Notes.xcdatamodel").path
    let created = try run("create", model, store)
    #expect(created.status == 0, "\(created.errors)")
    for name in ["<script>alert(1)</script>", "Milk"] {
      let inserted = try run("insert", store, "Author", "name=\(name)")
      #expect(inserted.status == 0, "\(inserted.errors)")
    }
    let result = try run("html", store, "-o", page)
    #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(text.hasSuffix("</html>\n") && text.contains("\\u003cscript\\u003ealert(1)") && text.contains("\"Milk\""))
    #expect(text.contains("\"kind\":\"store\"") && text.contains("Notes.sqlite"))
    #expect(try run("html", store, "-o", page, "--limit", "1").status == 0)
    let short = try String(contentsOfFile: page, encoding: .utf8)
    #expect(!short.contains("\"Milk\"") && short.contains("\"name\":\"Author\",\"total\":2"))
    for suffix in LongForm.isWanted ? ["", "-wal", "-shm", "-journal"] : ["-wal"] {
      #expect(try run("html", store, "-o", store + suffix).errors.contains("would replace \(store + suffix)"))
    }
    #expect(!folder.names.contains { $0.hasSuffix(".tmp") })
  }
}
