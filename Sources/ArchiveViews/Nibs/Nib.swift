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
