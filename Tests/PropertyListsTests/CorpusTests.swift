import Foundation
import TestSupport
import Testing

@testable import PropertyLists

/// Every file of the folder given by `PLIST_CORPUS`: `PLIST_CORPUS=../shared/corpus swift test`.
@Suite("Files of a corpus", .enabled(if: !Fixtures.corpus.isEmpty)) struct CorpusTests {
  @Test(arguments: Fixtures.corpus) func `each file is read, or refused with a reason and a position`(_ url: URL) throws
  {
    let data = try Data(contentsOf: url)
    do throws(PropertyListError) {
      let document = try PropertyListDocument(data)
      try document.validate()
      let tree = try PropertyList(document.root)
      for format in PropertyListFormat.allCases {
        // The short form writes a large file only as binary and in its own format.
        guard LongForm.isWanted || data.count < 50_000 || [.binary, document.format].contains(format) else { continue }
        let written = try tree.data(format: format, options: .exact)
        #expect(try document.root.data(format: format, options: .exact) == written)
        let again = try PropertyList(written, format: format, options: .exact)
        #expect(again == tree || (format == .xml && again == tree.asInXML))
        #expect(try again.data(format: format, options: .exact) == written)
      }
      if document.format == .xml { #expect(try PropertyList.thoroughLane(data) == tree) }
    } catch {
      #expect(!error.message.isEmpty)
      #expect(error.byteOffset != nil || error.position != nil || error.keyPath != nil)
    }
  }

  /// Python's plistlib reads the same values, if it is installed and can read the file.
  @Test func `Python reads the same values`() throws {
    let folder = TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "python3", "-c",
        """
        import plistlib, sys
        for number, path in enumerate(sys.argv[2:]):
          try:
            value = plistlib.load(open(path, 'rb'))
            bytes = plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)
          except Exception: continue
          open(sys.argv[1] + '/' + str(number), 'wb').write(bytes)
        """, folder.path(""),
      ] + Fixtures.corpus.map(\.path)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    for (number, url) in Fixtures.corpus.enumerated() {
      let python = URL(filePath: folder.path("\(number)"))
      if FileManager.default.fileExists(atPath: python.path) { try expect(url, toBe: python) }
    }
  }

  /// - Parameter python: the same value, written by Python.
  private func expect(_ url: URL, toBe python: URL) throws {
    // Like plistlib: the last duplicate key counts, and a UID in XML is a dictionary.
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false, duplicateKeys: .keepLast)
    guard let expected = try? PropertyList(contentsOf: python) else {
      // plistlib creates circular values, which are refused here.
      #expect((try? PropertyList(contentsOf: url)) == nil, "\(url)")
      return
    }
    #expect(try PropertyList(contentsOf: url, options: options).asInXML.sorted() == expected.asInXML.sorted(), "\(url)")
  }
}
