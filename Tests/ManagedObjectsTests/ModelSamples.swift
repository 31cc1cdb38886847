import Foundation
import ManagedObjects
import PropertyLists
import TestSupport

/// Files created by Apple's frameworks, in the folder `samples/core-data` next to the one given by `PLIST_CORPUS`.
/// Empty if the variable is not set.
enum ModelSamples {
  private static let files = Fixtures.samples("core-data")

  static let compiled = files.filter { $0.pathExtension == "mom" }

  static let folders = files.filter { $0.pathExtension == "momd" }

  /// The source files: `contents`, or `NAME.xcdatamodel-contents.xml` if they were moved out of their folders.
  static let sources = files.filter {
    $0.lastPathComponent == "contents" || $0.lastPathComponent.hasSuffix("-contents.xml")
  }

  /// Compiled models, each with the source of the same version.
  static let pairs: [(compiled: URL, source: URL)] = compiled.compactMap { file in
    let name = file.deletingPathExtension().lastPathComponent
    let folder = file.deletingLastPathComponent().deletingPathExtension().appendingPathExtension("xcdatamodeld")
    let source = folder.appending(path: "\(name).xcdatamodel/contents")
    return FileManager.default.fileExists(atPath: source.path) ? (file, source) : nil
  }

  /// Returns the XML files that contain an element.
  static func stores(inXML element: String) -> [URL] {
    files.filter { file in
      guard file.pathExtension == "xml", let text = try? String(contentsOf: file, encoding: .utf8) else { return false }
      return text.contains(element)
    }
  }

  /// Compiled mapping models, each with its source, an XML store next to it.
  static let mappings: [(compiled: URL, source: URL)] = files.filter { $0.pathExtension == "cdm" }.map {
    ($0, $0.deletingPathExtension().appendingPathExtension("xcmapping.xml"))
  }

  /// The model information in the metadata of an SQLite store.
  struct Store: Sendable {
    let name: String
    let hashes: [String: Data]
    let digest: String?
    let checksum: String?
    let modelCache: Data?
  }

  static let hasPython = Program.python != nil

  /// Returns the SQLite stores, read with Python's `sqlite3`, and those of which only some parts are in files.
  static func stores() throws -> [Store] { try readStores.get() }

  private static let readStores: Result<[Store], any Error> = Result {
    guard hasPython else { return [] }
    let stores = files.filter { isDatabase($0) || $0.lastPathComponent == "Z_PLIST.plist" }
    let result = try Program.runPython(["-c", reader] + stores.map(\.path))
    guard result.status == 0 else { throw CocoaError(.fileReadUnknown) }
    let found = try PropertyList(result.output).dictionary
    return try stores.compactMap { file in
      guard let values = found?[file.path] else { return nil }
      let metadata = try values["metadata"]?.data.map { try PropertyList($0) }
      let cache = values["cache"]?.data
      return Store(
        name: file.lastPathComponent, hashes: hashes(metadata?["NSStoreModelVersionHashes"]),
        digest: metadata?["NSStoreModelVersionHashesDigest"]?.string,
        checksum: metadata?["NSStoreModelVersionChecksumKey"]?.string, modelCache: cache)
    }
  }

  private static func isDatabase(_ file: URL) -> Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }

  static func hashes(_ value: PropertyList?) -> [String: Data] {
    (value?.dictionary ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.data }
  }

  private static let reader = """
    import plistlib, sqlite3, sys, zlib
    def read(path):
        if path.endswith("Z_PLIST.plist"):
            cache = path.replace("Z_PLIST.plist", "Z_MODELCACHE.deflate")
            return {"metadata": open(path, "rb").read(), "cache": zlib.decompress(open(cache, "rb").read(), -15)}
        store = sqlite3.connect("file:" + path + "?mode=ro&immutable=1", uri=True)
        values = {}
        metadata = store.execute("select Z_PLIST from Z_METADATA").fetchone()
        if metadata and metadata[0]: values["metadata"] = metadata[0]
        try:
            cache = store.execute("select Z_CONTENT from Z_MODELCACHE").fetchone()
            if cache and cache[0]: values["cache"] = zlib.decompress(cache[0], -15)
        except sqlite3.OperationalError: pass
        return values
    stores = {}
    for path in sys.argv[1:]:
        try: stores[path] = read(path)
        except (sqlite3.Error, zlib.error): pass
    sys.stdout.buffer.write(plistlib.dumps(stores, fmt=plistlib.FMT_BINARY))
    """
}
