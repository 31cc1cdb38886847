import Foundation
import Preferences
import PropertyLists
import TestSupport
import Testing

@Suite struct SmokeTests {
  @Test func works() throws {
    let folder = try TemporaryFolder()
    let p = try Preferences(suiteName: DomainName("a.b"), locations: PreferencesLocations(folder: folder.url))
    p.set(5, forKey: "x")
    p.set("y", forKey: "z")
    p.set(nil, forKey: "q")
    p.set([1, 2], forKey: "l")
    let i = 3
    p.set(i, forKey: "i")
    p.set([i], forKey: "ii")
    #expect(p.integer(forKey: "x") == 5)
    try p.synchronize()
    let r = try PropertyList(contentsOf: URL(filePath: folder.path("a.b.plist")))
    print(r)
    #expect(folder.names == ["a.b.plist"])
  }
}
