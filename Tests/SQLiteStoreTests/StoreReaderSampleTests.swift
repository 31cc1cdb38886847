import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("The independent reader with Apple's stores", .enabled(if: StoreReader.isAvailable))
struct StoreReaderSampleTests {
  @Test func `the reader finds as many objects as rows`() throws {
    for store in try StoreSamples.storesWithModel() {
      let name = store.lastPathComponent
      let found = try StoreSamples.objects(of: store)
      let tables = try StoreSamples.rows(of: store).tables
      let rows = tables.filter {
        $1.columns.contains("Z_OPT") && !["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains($0)
      }
      #expect(found.objects.count == rows.values.reduce(0) { $0 + $1.rows.count }, "\(name)")
      #expect(found.counts.values.reduce(0, +) == found.objects.count, "\(name)")
      // The only anomalies are names that were changed by a migration in place.
      #expect(found.notices.allSatisfy { $0.hasPrefix("Z_PRIMARYKEY has ") }, "\(name): \(found.notices)")
    }
  }

  @Test func `each relationship has its inverse`() throws {
    for store in try StoreSamples.storesWithModel() {
      let model = try ManagedObjectModel(storedIn: store)
      let found = try StoreSamples.objects(of: store)
      var pairs: Set<[String]> = []
      for (name, object) in found.objects {
        let entity = try #require(model[String(name.split(separator: "/")[0])])
        for (key, targets) in object.relationships {
          guard let relationship = entity.relationship(named: key), let inverse = relationship.inverse else { continue }
          for target in targets.names { pairs.insert([name, key, target, inverse]) }
        }
      }
      let alone = pairs.filter { !pairs.contains([$0[2], $0[3], $0[0], $0[1]]) }
      #expect(alone.isEmpty, "\(store.lastPathComponent): \(alone.prefix(3))")
    }
  }

  @Test func `the table of each entity begins with Z_PK, Z_ENT and Z_OPT`() throws {
    for store in StoreSamples.stores {
      let schema = try StoreReader.schema(of: store)
      #expect(schema.file.encoding == "UTF-8" && schema.file.userVersion == 0, "\(store.lastPathComponent)")
      #expect(schema.metadataKeys.contains("NSStoreUUID"))
      for row in schema.primaryKeys where row.parent == 0 && row.number < 16000 {
        let table = try #require(schema.tables["Z\(row.name.uppercased())"], "\(row.name)")
        #expect(table.columns.prefix(3).map(\.name) == ["Z_PK", "Z_ENT", "Z_OPT"])
        #expect(table.sql.hasPrefix("CREATE TABLE "))
      }
      #expect(schema.differences(from: schema) == [])
    }
  }

  @Test func `a store without a model is an error with advice, but its rows can be read`() throws {
    let all = Set(try StoreSamples.storesWithModel())
    for store in StoreSamples.stores where !all.contains(store) {
      let error = #expect(throws: StoreReader.Failure.self) { try StoreReader.objects(of: store) }
      #expect(error?.description.hasSuffix("give one with --mom, or ask for --raw") == true)
      let rows = try StoreSamples.rows(of: store)
      #expect(rows.differences(from: rows) == [] && rows.tables["Z_PRIMARYKEY"]?.rows.isEmpty == false)
    }
  }
}

extension StoreDump.Targets {
  /// The names of the objects.
  var names: [String] {
    switch self {
    case .one(let name): name.map { [$0] } ?? []
    case .many(let names): names
    }
  }
}

extension ManagedObjectModel {
  /// Reads the model in the store's cache, which Python decompresses.
  convenience init(storedIn store: URL) throws {
    let program = """
      import sqlite3, sys, zlib
      store = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro&immutable=1", uri=True)
      sys.stdout.buffer.write(zlib.decompress(store.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0], -15))
      """
    let result = try Program.runPython(["-c", program, store.path])
    guard result.status == 0 else { throw StoreReader.Failure(description: result.errors) }
    try self.init(compiled: result.output)
  }
}
