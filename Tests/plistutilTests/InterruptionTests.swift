import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("A signal that ends plistutil") struct InterruptionTests {
  private static let contents = Result {
    try PropertyList.array((0..<200_000).map { .integer(PropertyList.Integer($0)) }).data(format: .binary)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal leaves no temporary file`(_ signal: Int32) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let path = folder.path("large.plist")
    let contents = try Self.contents.get()
    try contents.write(to: URL(filePath: path))
    // A process can end before the signal reaches it.
    var end = ChildProcess.End.exited(0)
    for _ in 0..<10 where end == .exited(0) {
      try contents.write(to: URL(filePath: path))
      let process = try ChildProcess("plistutil", ["convert", "--in-place", "-f", "xml", path])
      #expect(eventually { folder.names.count > 1 || process.ended != nil })
      process.signal(signal)
      end = process.waitUntilExit()
      #expect(folder.names == ["large.plist"])
    }
    #expect(end == .killed(signal: signal))
    #expect(try Data(contentsOf: URL(filePath: path)) == contents)
  }
}
