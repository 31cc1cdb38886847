import ArchiveViews
import Foundation
import KeyedArchiving
import Testing
import Typedstreams

@Suite("Typedstreams of Apple's archiver", .enabled(if: !TypedstreamSamples.files.isEmpty))
struct TypedstreamSampleTests {
  @Test(arguments: TypedstreamSamples.sound.filter { TypedstreamSamples.expected[$0] != nil })
  func `the groups are the same as for another reader`(_ name: String) throws {
    let json = try Typedstream(TypedstreamSamples.data(name)).jsonData()
    let found = try #require(JSONSerialization.jsonObject(with: json) as? NSDictionary)
    #expect(found == TypedstreamSamples.expected[name])
  }

  @Test(arguments: TypedstreamSamples.sound) func `the stream is read completely`(_ name: String) throws {
    let stream = try Typedstream(TypedstreamSamples.data(name))
    #expect(stream.groups.count >= 1 && stream.systemVersion == 1000)
    #expect(stream.byteOrder == (name.contains(".BE.") || name.hasPrefix("nib") ? .bigEndian : .littleEndian))
  }

  @Test(arguments: TypedstreamSamples.files.filter { TypedstreamSamples.expected[$0]?["error"] != nil })
  func `a damaged stream is an error with an offset`(_ name: String) throws {
    let data = try TypedstreamSamples.data(name)
    let error = #expect(throws: TypedstreamError.self) { try Typedstream(data) }
    #expect(error?.kind == .malformed)
    #expect(error?.byteOffset.map { (13...data.count).contains($0) } == true)
  }
}
