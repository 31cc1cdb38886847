import Foundation
import KeyedArchiving
import PropertyLists
import Testing

@Suite("An archive whose objects overlap in the file") struct OverlapTests {
  @Test func `its keys are not all read`() throws {
    let data = BinaryFile.overlappingKeys(count: 1000, atTop: true).data
    #expect(data.count < 40_000, "though its keys have 16 megabytes")
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver(forReadingFrom: data) }
    guard case .propertyList(let cause) = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.kind == .limitExceeded)
  }

  @Test func `the names of its classes are not all read`() throws {
    let data = BinaryFile.sharedClassDescription(objectCount: 200).data
    #expect(data.count < 40_000, "though the names have 800 megabytes")
    #expect(error(decoding: [Foo].self, data)?.kind == .limitExceeded)
  }
}
