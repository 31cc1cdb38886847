import BrowsingPages
import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Pages about stores") struct StorePageTests {
  @Test func `a page has each row with its values, relationships and opened archives`() throws {
    let page = try PageFile(SampleStore.store(30))
    let people = try page.rows(of: "Person")
    let columns = try #require((try page.head["groups"] as? [[String: Any]])?[1]["columns"] as? [[String: String]])
    func value(_ row: [Any], _ name: String) -> Any? { columns.firstIndex { $0["name"] == name }.map { row[$0 + 2] } }
    #expect(people.count == 30)
    let keys = people.keys.sorted()
    let first = try #require(people[keys[0]])
    #expect(value(first, "name") as? String == "Person 00000")
    #expect(value(first, "born") as? [String: String] == ["d": "2001-01-01T00:00:00Z"])
    #expect((value(first, "photo") as? [String: Any])?["i"] as? String == "png")
    let settings = value(first, "settings") as? [String: Any]
    #expect(settings?["f"] as? String == "keyed archive")
    let opened = (settings?["v"] as? [String: [Any]])?["o"]
    #expect(opened?.contains { $0 as? String == "Model.Person" } == true)
    #expect(value(try #require(people[keys[3]]), "notes") is NSNull)
    #expect(value(try #require(people[keys[2]]), "balance") as? [String: String] == ["n": "0.02"])
    #expect((value(first, "friends") as? [String: [[Int]]])?["m"]?.map { $0[1] } == [keys[1], keys[0]])
    #expect(columns.first { $0["name"] == "account" }?["kind"] == "to Account")
  }

  @Test func `a page has the requested number of rows, and says how many there are`() throws {
    let page = try PageFile(SampleStore.store(30), limit: 10)
    #expect(try page.rows(of: "Person").count == 10 && page.rows(of: "Account").count == 3)
    let groups = try #require(try page.head["groups"] as? [[String: Any]])
    #expect(groups[1]["total"] as? Int == 30 && groups[0]["total"] as? Int == 3)
  }

  @Test func `rows whose keys exceed JavaScript's precision are distinguished`() throws {
    let page = try PageFile { output in
      var page = try PageWriter(to: output)
      for key in [Int64.max, Int64.max - 1, 1 << 53] {
        page.beginRow(group: 0, key: key)
        page.reference(group: 0, key: key)
        page.integer(key)
        try page.endRow()
      }
      var group = PageHead.Group("Large")
      group.columns = [PageHead.Column("self", kind: "to Large"), PageHead.Column("number", kind: "integer64")]
      try page.finish(PageHead(title: "Large", kind: .store, groups: [group]))
    }
    let rows = try page.rows
    #expect(rows.map { "\($0[1])" } == ["9223372036854775807", "9223372036854775806", "9007199254740992"])
    #expect(rows[0][2] as? NSDictionary == ["r": [0, "9223372036854775807"] as NSArray])
    #expect(rows[0][3] as? NSDictionary == ["n": "9223372036854775807"])
  }
}
