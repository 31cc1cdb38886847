public import FoundationEssentials
public import KeyedArchiving
public import Nibs
public import PropertyLists
internal import SystemFiles
public import Typedstreams

/// A nib in any of the forms that are read here, told by its bytes.
///
/// ```swift
/// let nib = try Nib(contentsOf: URL(filePath: "MainMenu.nib"))
/// print(try nib.keyedArchive().tree())
/// ```
///
/// | form | written by |
/// |---|---|
/// | `NIBArchive` | Xcode for iOS 6 and later, and for macOS 10.13 and later |
/// | a keyed archive, mostly in the binary format | Interface Builder 3 and later for macOS, and for iOS before 6 |
/// | a typedstream | NeXTSTEP, OpenStep, Mac OS X before 10.2 |
///
/// A nib can be a folder with several files; see ``files(in:)``.
public enum Nib: Sendable {
  /// The format of UIKit, and of AppKit from Xcode 13 on.
  case nibArchive(NIBArchive)
  /// What `NSKeyedArchiver` writes.
  case keyedArchive(KeyedArchive)
  /// What `NSArchiver` writes.
  case typedstream(Typedstream)

  /// Reads a nib.
  ///
  /// - Parameters:
  ///   - data: the whole file. It is kept, not copied, as long as the value lives.
  ///   - limits: how large the input may be, and how much larger what is made of it.
  /// - Throws: ``NibError/nibArchive(_:)`` for bytes that begin as a `NIBArchive` and are none,
  ///   ``NibError/typedstream(_:)`` likewise, ``NibError/keyedArchive(_:)`` for all others that are no keyed archive.
  /// - Complexity: as `NIBArchive.init(_:limits:)`, `Typedstream.init(_:limits:)` or
  ///   `KeyedArchive.init(_:limits:)`.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(NibError) {
    switch ArchiveFormat(data) {
    case .typedstream:
      do { self = .typedstream(try Typedstream(data, limits: limits)) } catch { throw .typedstream(error) }
    case .nibArchive:
      do { self = .nibArchive(try NIBArchive(data, limits: limits)) } catch { throw .nibArchive(error) }
    case .binaryPropertyList, .xmlPropertyList, nil:
      do { self = .keyedArchive(try KeyedArchive(data, limits: limits)) } catch { throw .keyedArchive(error) }
    }
  }

  /// Reads the nib in a file, or the best one in a folder: the first of ``files(in:)``.
  ///
  /// - Throws: as for bytes in memory; ``NibError/file(_:)`` if a file cannot be read; ``NibError/emptyFolder(_:)``.
  public init(contentsOf url: URL, limits: ParsingLimits = ParsingLimits()) throws(NibError) {
    var file = url
    if url.isFileURL, FileSystem.isFolder(url.path) {
      guard let best = try Self.files(in: url).first else { throw .emptyFolder(url.path) }
      file = best
    }
    let data: Data
    do {
      let path = try file.filePath
      data = try PropertyListError.converting(FileSystem.read(path, limit: limits.inputSize))
    } catch {
      throw .file(error)
    }
    try self.init(data, limits: limits)
  }

  /// The nib as a keyed archive, for trees, JSON, graphs and all else that looks into objects.
  ///
  /// - Throws: ``NibError/nibArchive(_:)``, as `NIBArchive.keyedArchive(limits:)`, and ``NibError/typedstream(_:)``.
  public func keyedArchive() throws(NibError) -> KeyedArchive {
    switch self {
    case .keyedArchive(let archive): return archive
    case .nibArchive(let nib):
      do { return try nib.keyedArchive() } catch { throw .nibArchive(error) }
    case .typedstream(let stream):
      do { return try stream.keyedArchive() } catch { throw .typedstream(error) }
    }
  }
}

/// Why a nib could not be read.
public enum NibError: Error, Hashable, Sendable {
  /// The file cannot be read.
  case file(PropertyListError)
  /// A folder without a file that is called as nibs are; its path.
  case emptyFolder(String)
  /// What is wrong with a `NIBArchive`.
  case nibArchive(NIBArchiveError)
  /// What is wrong with a typedstream.
  case typedstream(TypedstreamError)
  /// What is wrong with a keyed archive, also that it is none.
  case keyedArchive(KeyedArchiveError)
}

extension NibError: CustomStringConvertible {
  /// What is wrong, with the position.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .emptyFolder(let path): "\(path.printable(limit: 300)): no nib in this folder"
    case .nibArchive(let error): error.description
    case .typedstream(let error): error.description
    case .keyedArchive(let error): error.description
    }
  }
}

extension NibError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}

extension Nib {
  /// The nibs in a folder, the one for the newest systems first.
  ///
  /// Each file is the whole nib, for other systems or in another format.
  ///
  /// | name | for |
  /// |---|---|
  /// | `keyedobjects-101300.nib` | macOS from the version in the name on: 10.13.0 |
  /// | `objects-11.0+.nib` | iOS from the version in the name on |
  /// | `runtime.nib` | iOS before those |
  /// | `keyedobjects.nib` | macOS 10.2 and later |
  /// | `objects.nib` | macOS before 10.2; a typedstream |
  ///
  /// Other files, such as `classes.nib`, `info.nib` and `designable.nib`, are of the editor, and left out.
  ///
  /// - Throws: ``NibError/file(_:)`` for a URL that is no file URL, and for a folder that cannot be read.
  public static func files(in folder: URL) throws(NibError) -> [URL] {
    do {
      let path = try folder.filePath
      let entries = try PropertyListError.converting(FileSystem.contents(of: path))
      return names(entries.filter { !$0.isFolder }.map(\.name)).map { folder.appending(path: $0) }
    } catch {
      throw .file(error)
    }
  }

  /// Those of the names in a folder that nibs have, the best first.
  static func names(_ names: [String]) -> [String] {
    names.compactMap { name in rank(of: name).map { (name, rank: $0) } }
      .sorted { first, second in
        first.rank == second.rank ? first.0 < second.0 : second.rank.lexicographicallyPrecedes(first.rank)
      }
      .map(\.0)
  }

  /// What is compared to find the best: whether there is a version, then its numbers; nil for other files.
  private static func rank(of name: String) -> [Int]? {
    guard name.hasSuffix(".nib") else { return nil }
    let stem = name.dropLast(4)
    switch stem {
    case "runtime": return [0, 3]
    case "keyedobjects": return [0, 2]
    case "objects": return [0, 1]
    default: break
    }
    if stem.hasPrefix("keyedobjects-"), let number = version(stem.dropFirst(13)) { return [1] + number }
    if stem.hasPrefix("objects-"), stem.hasSuffix("+"), let number = version(stem.dropFirst(8).dropLast()) {
      return [1] + number
    }
    return nil
  }

  /// `101300` or `11.0` as numbers; nil for other texts.
  private static func version(_ text: Substring) -> [Int]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    let numbers = parts.compactMap { $0 }
    return numbers.isEmpty || numbers.count < parts.count ? nil : numbers
  }
}
