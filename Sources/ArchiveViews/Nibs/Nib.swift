public import FoundationEssentials
public import KeyedArchiving
public import Nibs
public import PropertyLists
internal import SystemFiles
public import Typedstreams

/// A nib in any supported format. The format is detected from the bytes.
///
/// ```swift
/// let nib = try Nib(contentsOf: URL(filePath: "MainMenu.nib"))
/// print(try nib.keyedArchive().tree())
/// ```
///
/// | form | written by |
/// |---|---|
/// | `NIBArchive` | Xcode for iOS 6 and later, and for macOS 10.13 and later |
/// | a keyed archive, usually in the binary format | Interface Builder 3 and later for macOS, and for iOS before 6 |
/// | a typedstream | NeXTSTEP, OpenStep, Mac OS X before 10.2 |
///
/// A nib can also be a folder with several files; see ``files(in:)``.
public enum Nib: Sendable {
  /// The format of UIKit, and of AppKit since Xcode 13.
  case nibArchive(NIBArchive)
  /// The format of `NSKeyedArchiver`.
  case keyedArchive(KeyedArchive)
  /// The format of `NSArchiver`.
  case typedstream(Typedstream)

  /// Reads a nib.
  ///
  /// ```swift
  /// switch try Nib(data) {
  /// case .nibArchive(let archive): print("a NIBArchive with \(archive.objects.count) objects")
  /// case .keyedArchive(let archive): print("a keyed archive with \(archive.objects.count) objects")
  /// case .typedstream: print("a typedstream")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - data: the whole file. It is kept without a copy as long as this value exists.
  ///   - limits: the limits for the size of the input and of what is read from it; see `ParsingLimits`.
  /// - Throws: ``NibError/nibArchive(_:)`` or ``NibError/typedstream(_:)`` if the data begins like that format but is
  ///   damaged, ``NibError/keyedArchive(_:)`` if it begins in any other way and is not a keyed archive.
  /// - Complexity: that of `NIBArchive.init(_:limits:)`, `Typedstream.init(_:limits:)` or
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

  /// Reads the nib in a file. For a folder, reads the first of ``files(in:)``.
  ///
  /// - Throws: The errors of ``init(_:limits:)``; ``NibError/file(_:)`` if a file cannot be read;
  ///   ``NibError/emptyFolder(_:)`` if the folder contains no nib.
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

  /// Returns the nib as a keyed archive, for trees, JSON, graphs and everything else that inspects objects.
  ///
  /// - Throws: ``NibError/nibArchive(_:)`` with an error of `NIBArchive.keyedArchive(limits:)`, or
  ///   ``NibError/typedstream(_:)`` with an error of the translation of a typedstream.
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

/// An error that occurred when a nib was read.
public enum NibError: Error, Hashable, Sendable {
  /// The file cannot be read.
  case file(PropertyListError)
  /// The folder with this path contains no file with the name of a nib.
  case emptyFolder(String)
  /// The data begins like a `NIBArchive`, but is damaged or exceeds the limits.
  case nibArchive(NIBArchiveError)
  /// The data begins like a typedstream, but is damaged or exceeds the limits.
  case typedstream(TypedstreamError)
  /// The data is not a keyed archive, or cannot be read as one.
  case keyedArchive(KeyedArchiveError)
}

extension NibError: CustomStringConvertible {
  /// A description of the error, with its position.
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
  /// The same text as ``description``.
  public var errorDescription: String? { description }
}

extension Nib {
  /// Returns the nib files in a folder, beginning with the one for the newest systems.
  ///
  /// Each file contains the whole nib. The files differ in the systems that they are for, and in their formats.
  ///
  /// | name | for |
  /// |---|---|
  /// | `keyedobjects-101300.nib` | macOS from the version in the name (10.13.0) |
  /// | `objects-11.0+.nib` | iOS from the version in the name |
  /// | `runtime.nib` | earlier versions of iOS |
  /// | `keyedobjects.nib` | macOS 10.2 and later |
  /// | `objects.nib` | macOS before 10.2; a typedstream |
  ///
  /// Other files, such as `classes.nib`, `info.nib` and `designable.nib`, belong to the editor and are left out.
  ///
  /// ```swift
  /// for file in try Nib.files(in: URL(filePath: "MainMenu.nib")) { print(file.lastPathComponent) }
  /// // keyedobjects-101300.nib
  /// // keyedobjects.nib
  /// ```
  ///
  /// - Throws: ``NibError/file(_:)`` for a URL that is not a file URL, and for a folder that cannot be read.
  public static func files(in folder: URL) throws(NibError) -> [URL] {
    do {
      let path = try folder.filePath
      let entries = try PropertyListError.converting(FileSystem.contents(of: path))
      return names(entries.filter { !$0.isFolder }.map(\.name)).map { folder.appending(path: $0) }
    } catch {
      throw .file(error)
    }
  }

  /// Returns the names in the list that are names of nibs, sorted: the name for the newest systems comes first.
  static func names(_ names: [String]) -> [String] {
    names.compactMap { name in rank(of: name).map { (name, rank: $0) } }
      .sorted { first, second in
        first.rank == second.rank ? first.0 < second.0 : second.rank.lexicographicallyPrecedes(first.rank)
      }
      .map(\.0)
  }

  /// Returns a list of numbers that determines the order of a nib's name; nil for the name of another file. The first
  /// number is 1 for a name with a version and 0 for other names. The numbers of the version follow.
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

  /// Returns the numbers of a version such as `101300` or `11.0`, or nil for any other text.
  private static func version(_ text: Substring) -> [Int]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    let numbers = parts.compactMap { $0 }
    return numbers.isEmpty || numbers.count < parts.count ? nil : numbers
  }
}
