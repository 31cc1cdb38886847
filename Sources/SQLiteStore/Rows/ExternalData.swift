internal import FoundationEssentials
internal import ManagedObjects
internal import SystemFiles

/// Large values of attributes that a store may keep in files beside it.
///
/// A column has the byte 1 and the data, or the byte 2 and the name of a file, a UUID, which ends with the byte 0.
/// The files are in `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store; `NAME` is that of the store without extension.
///
/// New values are in the column. A file that a row named before stays: nothing says that no other row names it, nor
/// that nobody is reading it, and one that nobody names does no harm.
struct ExternalData {
  private let folder: String

  /// - Parameter path: the path of the store.
  init(ofStore path: String) {
    let url = URL(filePath: path)
    let name = url.deletingPathExtension().lastPathComponent
    let parent = path.hasPrefix("/") || path.contains("/") ? FileSystem.parent(of: path) : "."
    folder = "\(parent)/.\(name)_SUPPORT/_EXTERNAL_DATA"
  }

  private static let inline: UInt8 = 1
  private static let inFile: UInt8 = 2

  /// The data of a column's value; nil if the file that it names is not there.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for another value.
  func content(of value: Data) throws(ManagedObjectError) -> Data? {
    switch value.first {
    case Self.inline: return value.dropFirst()
    case Self.inFile:
      guard let name = Self.fileName(value) else {
        throw ManagedObjectError(.invalidValue, "a value that should be in a file of its own names none")
      }
      do throws(FileError) {
        return try FileSystem.readRegularFile("\(folder)/\(name)", limit: .max)?.data
      } catch {
        throw ManagedObjectError(.operation, error.message)
      }
    case nil: return Data()
    default: throw ManagedObjectError(.invalidValue, "a value that may be in a file of its own does not say whether")
    }
  }

  /// The data as a column has it.
  func value(_ data: Data) -> Data { Data([Self.inline]) + data }

  /// The name of the file that a value is in. It is that of a UUID, and leads nowhere else.
  static func fileName(_ value: Data) -> String? {
    guard value.first == inFile, value.count == 38, value.last == 0 else { return nil }
    let text = String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
    return UUID(uuidString: text) == nil ? nil : text
  }
}
