import Foundation
import TestSupport
import Testing

@Suite("storeutil vacuum") struct VacuumTests {
  private let library: Library

  init() throws { library = try Library() }

  @Test func `vacuum makes the file smaller, and keeps all objects`() throws {
    try library.runPython(
      """
      store.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 500, Z_ENT, 1, hex(zeroblob(500000)) "
        "FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'")
      store.commit()
      store.execute("DELETE FROM ZTAG WHERE Z_PK = 500")
      """, on: Library.store)
    func size() throws -> Int {
      let path = library.url.appending(path: Library.store).path
      return try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }
    let keys = ["fetch", Library.store, "Book", "--csv", "--sort", "title", "--keys", "title,pages,author.name"]
    let (before, books) = (try size(), try library.run(keys))
    let result = try Tool.run("vacuum", Library.store, "--analyze", in: library.url)
    #expect(result.status == 0 && result.errors.contains("bytes before"), "\(result.errors)")
    #expect(try size() < before - 500_000)
    #expect(try library.run(keys) == books)
    #expect(try library.isSound(Library.store))
  }

  @Test func `vacuum refuses stores of other kinds`() throws {
    try library.run("convert", Library.store, "copy.xml", "--type", "xml")
    let result = try library.failure(["vacuum", "copy.xml", "--model", "Library.xcdatamodel"])
    #expect(result.status == 64 && result.errors.contains("is not an SQLite store"), "\(result.errors)")
    let immutable = try library.failure(["vacuum", Library.store, "--immutable"])
    #expect(immutable.status == 64, "\(immutable.errors)")
  }
}
