public import FoundationEssentials
internal import SystemFiles

/// A file in which fetched results keep their sections and the order of their objects, so that they are there the next
/// time without a fetch.
///
/// The file is taken if the stores are as they were when it was written, and the request, the key path of sections and
/// the model are the same; else the results are fetched, and the file is written anew. A damaged file is one that is
/// not there. Results with a limit or an offset, of a context with changes or with a parent, of a store in memory, and
/// of predicates that name objects are not kept.
public struct FetchedResultsCache: Hashable, Sendable {
  /// The name, which results with another request do not share.
  public let name: String
  /// The folder of the file. It is made if it is not there.
  public let folder: URL

  /// A cache. Nothing is read or written yet.
  public init(name: String, folder: URL) {
    self.name = name
    self.folder = folder
  }

  /// The file: a name with nothing in it that means something to a file system.
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
  /// More than results of 10 million objects take.
  private static let greatestSize = 1 << 28

  /// Removes the file.
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if it is there and cannot be removed.
  public func delete() throws(ManagedObjectError) {
    guard let path, FileSystem.existsItself(path) else { return }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw ManagedObjectError(.operation, "cannot remove \(path.printable()): \(error)")
    }
  }

  /// Removes the files of all caches in a folder.
  ///
  /// - Throws: as ``delete()``.
  public static func deleteAll(in folder: URL) throws(ManagedObjectError) {
    guard folder.isFileURL else { return }
    for name in FileSystem.names(in: folder.path) where name.hasSuffix(suffix) {
      do { try FileManager.default.removeItem(at: folder.appending(path: name)) } catch {
        throw ManagedObjectError(.operation, "cannot remove \(name.printable()): \(error)")
      }
    }
  }

  /// The bytes of the file; nil if there are none that can be read.
  func read() -> Data? {
    guard let path else { return nil }
    return (try? FileSystem.readRegularFile(path, limit: Self.greatestSize))?.data
  }

  /// Writes the file. One that cannot be written is no error: the next results are fetched.
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
  /// Removes a cache from the disk, so that the next results are fetched.
  ///
  /// - Throws: ``ManagedObjectError/Code/operation`` if it cannot be removed.
  public static func deleteCache(name: String, folder: URL) throws(ManagedObjectError) {
    try FetchedResultsCache(name: name, folder: folder).delete()
  }
}
