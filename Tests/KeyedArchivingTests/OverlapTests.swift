import Foundation
import KeyedArchiving
import PropertyLists
import Testing

@Suite("Archives whose objects overlap") struct OverlapTests {
  @Test func `not all keys are read`() throws {
    let data = BinaryFile.overlappingKeys(count: 1000, atTop: true).data
    #expect(data.count < 40_000, "though its keys have 16 megabytes")
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver(forReadingFrom: data) }
    guard case .propertyList(let cause) = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.kind == .limitExceeded)
  }

  @Test func `not all class names are read`() throws {
    let data = BinaryFile.sharedClassDescription(objectCount: 200).data
    #expect(data.count < 40_000, "though the names have 800 megabytes")
    #expect(error(decoding: [Foo].self, data)?.kind == .limitExceeded)
  }
}
