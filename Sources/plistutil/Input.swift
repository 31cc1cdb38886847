import ArgumentParser
import FoundationEssentials
import PropertyLists

/// A file that was named on the command line, or standard input.
struct Input {
  private let path: String
  /// How messages name it.
  var name: String { path == "-" ? "<stdin>" : path.printable() }

  init(_ path: String) { self.path = path }

  static let standard = Input("-")

  static var isTerminal: Bool { FileSystem.isTerminal(0) }

  func document(
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) -> PropertyListDocument {
    let limit = options.limits.inputSize
    let data = try path == "-" ? FileSystem.read(0, named: name, limit: limit) : FileSystem.read(path, limit: limit)
    return try PropertyListDocument(data, options: options)
  }

  /// One line on standard error that names the file and the place.
  func report(_ error: PropertyListError) {
    switch error.kind {
    case .inputOutput: note("plistutil: error: \(error.message.printable())")
    default:
      if let position = error.position {
        note("\(name):\(position.line):\(position.column): error: \(error.detail)")
      } else if let offset = error.byteOffset {
        note("\(name): error: \(error.detail), at byte \(offset)")
      } else {
        note("\(name): error: \(error.detail)")
      }
    }
  }

  /// Turns an error into a message and an exit code.
  func reportingErrors(_ body: () throws(PropertyListError) -> Void) throws {
    do throws(PropertyListError) {
      try body()
    } catch {
      report(error)
      throw ExitCode(error.exitCode)
    }
  }
}

extension PropertyListDocument {
  /// Its format and its size, as in `binary, 1 234 objects`.
  var summary: String { "\(format), \(grouped(objectCount)) \(objectCount == 1 ? "object" : "objects")" }
}

extension PropertyListError {
  /// The one table of exit codes.
  var exitCode: Int32 {
    switch kind {
    case .inputOutput, .noSuchValue, .valueExists, .wrongKind, .conflict: 1
    case .notRepresentable: 2
    case .unknownFormat, .unsupportedVersion, .malformed, .duplicateKey, .limitExceeded: 3
    case .nestedTooDeeply: 4
    case .circularReference: 5
    }
  }
}

/// A line on standard output.
func output(_ text: String) throws(PropertyListError) {
  try FileSystem.write(Data((text + "\n").utf8), to: 1, named: "standard output")
}

/// A line on standard error.
func note(_ text: String) {
  try? FileSystem.write(Data((text + "\n").utf8), to: 2, named: "standard error")
}

/// A number with its digits in groups of three.
func grouped(_ number: Int) -> String {
  var digits = Array(String(number))
  var place = digits.count - 3
  while place > 0 {
    digits.insert(" ", at: place)
    place -= 3
  }
  return String(digits)
}
