import FoundationEssentials
import PropertyListTools
import PropertyLists
import SystemFiles
import ToolSupport

/// The result of the work on one file: the output for standard output and standard error, and the exit code.
///
/// When several files are processed in parallel, each report is printed as a whole, in the order of the files. The
/// report of a single file is printed immediately.
struct FileReport: ~Copyable {
  /// The file that the report is about.
  let input: Input
  let isForMachines: Bool
  private let isNamed: Bool
  private let replacements: Replacements?

  private(set) var exitCode = ExitCodes.success
  /// The lock on the file; nil if the file is not edited, or has already been replaced by its edited version.
  private var edited: EditedFile?
  /// True if the edit is not repeated when another program has changed the file.
  private let isLastAttempt: Bool
  /// True if the file has changed since it was read, so that it must be edited again.
  private(set) var isOutdated = false
  /// The paths of files that were not replaced, because another program changed them after they were read.
  private(set) var outdatedPaths: [String] = []
  /// The output that has not been printed yet, for standard output or standard error.
  private(set) var pieces: [(isOutput: Bool, bytes: Data)] = []

  /// Creates a report without output.
  ///
  /// - Parameters:
  ///   - isLastAttempt: true if it is an error when another program changes the file during the edit.
  ///   - replacements: the object that collects replacements, so that they are made together; nil for a single file.
  init(
    _ input: Input, isForMachines: Bool, isNamed: Bool = false, isLastAttempt: Bool = true, replacements: Replacements?
  ) {
    self.isLastAttempt = isLastAttempt
    self.input = input
    self.isNamed = isNamed
    self.isForMachines = isForMachines
    self.replacements = replacements
  }

  /// True if output is printed immediately.
  var isDirect: Bool { replacements == nil }

  /// The name of the file in messages.
  var name: String { input.name }

  /// The prefix of a line about the file: its name, unless it is the only file.
  var prefix: String { isNamed ? "\(name): " : "" }

  /// The line above several lines about the file: its name, unless it is the only file.
  var heading: String { isNamed ? "\(name):\n" : "" }

  /// Keeps other processes from editing the file until its edited version has replaced it.
  mutating func lock() throws(PropertyListError) {
    edited = try EditedFile(input.path) {
      // While this process waits for the lock, it finishes the replacements that it has prepared: another process may
      // be waiting for the lock on one of these files.
      if let replacements { note(replacements.finish()) }
    }
  }

  /// True if the edit will be repeated, so that this attempt must not report errors.
  var isToBeRepeated: Bool { isOutdated && !isLastAttempt }

  /// Reports replacements that failed. If a replacement failed because another program changed the file, only adds the
  /// path to ``outdatedPaths``, because that file is edited again.
  mutating func note(_ failures: [Replacements.Failure]) {
    for failure in failures {
      if failure.isOutdated {
        outdatedPaths.append(failure.path)
      } else {
        fail(PropertyListError(failure.error), about: Input(failure.path))
      }
    }
  }

  /// Replaces a file atomically with the output of `body`. If several files are processed, the replacement may be made
  /// later, together with others.
  mutating func replace(
    _ path: String, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    let replacement = try PropertyListError.converting(Replacement(of: path))
    try body(replacement.output)
    do {
      let original = edited.flatMap { $0.isAt(path) ? $0.original : nil }
      // Releases the lock when this function returns. A replacement that is made later has its own reference to the
      // lock.
      defer { if original != nil { edited = nil } }
      if let replacements { return note(try replacements.add(replacement, insteadOf: original)) }
      guard let original else { return try replacement.commit() }
      if try replacement.commit(insteadOf: original) { return }
      isOutdated = true
    } catch {
      throw PropertyListError(error)
    }
    throw PropertyListError(
      .inputOutput(errno: EAGAIN), "cannot write \(path.printable()): other programs keep changing it")
  }

  /// Replaces a file atomically with data.
  mutating func replace(_ path: String, with data: Data) throws(PropertyListError) {
    try replace(path) { output throws(PropertyListError) in
      try PropertyListError.converting(output.write(data))
    }
  }

  /// Writes bytes to standard output.
  mutating func write(_ bytes: Data) throws(PropertyListError) {
    if isDirect { try output(bytes) } else { pieces.append((true, bytes)) }
  }

  /// Writes text to standard output.
  mutating func write(_ text: String) throws(PropertyListError) { try write(Data(text.utf8)) }

  /// Writes a line to standard output.
  mutating func line(_ text: String) throws(PropertyListError) { try write(text + "\n") }

  /// Writes a line to standard error.
  mutating func note(_ text: String) {
    if isDirect {
      ToolSupport.note(text)
    } else {
      pieces.append((false, Data((FileSystem.showingBytes(text) + "\n").utf8)))
    }
  }

  /// Writes a line of JSON about a file: its name and the fields of `result`.
  mutating func machineLine(_ result: PropertyList, about file: Input? = nil) throws(PropertyListError) {
    var fields: PropertyList = ["file": .string((file ?? input).machineName)]
    if let result = result.dictionary { fields.dictionary?.merge(result) { $1 } }
    try write(Self.machineData(fields))
  }

  /// Returns a line of JSON.
  static func machineData(_ fields: PropertyList) throws(PropertyListError) -> Data {
    // The value is one level deeper here than where it was read, so the greatest depth must be allowed.
    let options = PropertyListWritingOptions(depth: ParsingLimits.greatestDepth, coercion: .reversible, isCompact: true)
    return try fields.data(format: .json, options: options)
  }

  /// Reports an error, and raises the exit code.
  ///
  /// - Parameter file: the file that the error is about; nil for the file of this report.
  mutating func fail(_ error: PropertyListError, about file: Input? = nil) {
    raise(error.exitCode)
    // If the error cannot be written as JSON, it is written as text.
    if isForMachines, (try? machineLine(["error": error.fields], about: file)) != nil { return }
    note(error.line(about: (file ?? input).name))
  }

  /// Raises the exit code to `code`, unless it is higher already.
  mutating func raise(_ code: Int32) { exitCode = max(exitCode, code) }
}
