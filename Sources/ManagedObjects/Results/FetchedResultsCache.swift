public import FoundationEssentials
internal import SystemFiles

/// A file that stores the sections of fetched results and the order of their objects, so that the next program run
/// needs no fetch.
///
/// The file is used if the stores have not changed since it was written, and the request, the section key path and the
/// model are the same. Otherwise the results are fetched, and the file is written again. A damaged file is ignored.
/// Results are not cached if the request has a limit or an offset, if the context has changes or a parent, if a store
/// is in memory, or if the predicate contains objects.
///
/// ```swift
/// let cache = FetchedResultsCache(name: "contacts", folder: folder)
/// let results = try FetchedResultsController(Contact.self, request, in: context, sectionKeyPath: "city", cache: cache)
/// try results.performFetch()
/// ```
public struct FetchedResultsCache: Hashable, Sendable {
  /// The name of the cache. Use a different name for each request.
  public let name: String
  /// The folder of the file. It is created if it does not exist.
  public let folder: URL

  /// Creates the description of a cache. Does not read or write files.
  public init(name: String, folder: URL) {
    self.name = name
    self.folder = folder
  }

  /// The path of the file; nil if the folder is not a file URL. In the file's name, all characters except ASCII
  /// letters, digits, `-` and `_` are percent-encoded.
  var path: String? {
    guard folder.isFileURL else { return nil }
    var file = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        file.unicodeScalars.append(Unicode.Scalar(byte))
      default: file += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    let directory = folder.path
    return (directory.hasSuffix("/") ? directory : directory + "/") + file + Self.suffix
  }

  private static let suffix = ".results"
  /// The maximum size of a file to read, in bytes. Results with 10 million objects need less.
  private static let greatestSize = 1 << 28

  /// Removes the file.
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if the file exists and cannot be removed.
  public func delete() throws(ManagedObjectError) {
    guard let path, FileSystem.existsItself(path) else { return }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw ManagedObjectError(.operation, "cannot remove \(path.printable()): \(error)")
    }
  }

  /// Removes the files of all caches in a folder.
  ///
  /// - Throws: the errors of ``delete()``.
  public static func deleteAll(in folder: URL) throws(ManagedObjectError) {
    guard folder.isFileURL else { return }
    for name in FileSystem.names(in: folder.path) where name.hasSuffix(suffix) {
      do { try FileManager.default.removeItem(at: folder.appending(path: name)) } catch {
        throw ManagedObjectError(.operation, "cannot remove \(name.printable()): \(error)")
      }
    }
  }

  /// Returns the contents of the file; nil if it cannot be read.
  func read() -> Data? {
    guard let path else { return nil }
    return (try? FileSystem.readRegularFile(path, limit: Self.greatestSize))?.data
  }

  /// Writes the file. Ignores errors, because without the file the results are fetched.
  func write(_ data: Data) {
    guard let path else { return }
    do {
      try FileSystem.makeFolder(folder.path, below: nil)
      try FileSystem.replace(path, with: data)
    } catch {
      return
    }
  }
}

extension FetchedResultsController {
  /// Removes the file of a cache, so that the next results are fetched.
  ///
  /// ```swift
  /// try FetchedResultsController<Contact>.deleteCache(name: "contacts", folder: folder)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if the file cannot be removed.
  public static func deleteCache(name: String, folder: URL) throws(ManagedObjectError) {
    try FetchedResultsCache(name: name, folder: folder).delete()
  }
}
