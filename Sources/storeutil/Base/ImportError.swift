import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import ToolSupport

/// The errors of an import, each with its position in the file.
struct ImportError: Error, CustomStringConvertible {
  /// The greatest number of errors that are reported.
  static let greatestCount = 20

  private(set) var lines: [String] = []
  /// The exit code of the first error.
  private(set) var exitCode = StoreExit.refused

  /// True if no further errors can be added.
  var isFull: Bool { lines.count >= Self.greatestCount }

  var description: String { lines.joined(separator: "\n") }

  /// An error about one field of a record.
  struct FieldError: Error {
    let error: any Error
    let position: PropertyListError.TextPosition
  }

  /// Adds an error, unless as many errors as ``greatestCount`` allows have been added.
  ///
  /// - Parameters:
  ///   - file: the name of the file.
  ///   - position: the position in the file; nil for an error about an object of the store.
  mutating func add(_ error: any Error, in file: String, at position: PropertyListError.TextPosition?) {
    var texts: [String] = []
    var errorPosition = position
    var code = StoreExit.refused
    switch error {
    case let error as FieldError: return add(error.error, in: file, at: error.position)
    case let error as ManagedObjectError:
      for var detail in error.details.isEmpty ? [error] : error.details {
        // The temporary ID of a new object means nothing to the user.
        if position != nil { detail.objectID = nil }
        texts.append(detail.description)
      }
      code = StoreExit.exitCode(of: error) ?? code
    case let error as ValidationError: texts = [error.message]
    case let error as ColumnError:
      texts = [error.error.message]
      code = ExitCodes.usage
    case let error as PropertyListError:
      errorPosition = error.position ?? position
      texts = [error.detail]
      code = error.exitCode
    default: texts = ["\(error)"]
    }
    if lines.isEmpty { exitCode = code }
    let prefix = errorPosition.map { "\(file):\($0.line):\($0.column)" } ?? file
    for text in texts where !isFull { lines.append("\(prefix): \(text)") }
  }
}

/// An error about a column whose name does not match any property. It is reported only once, because every record has
/// the same columns.
struct ColumnError: Error {
  let error: ValidationError
}
