import FoundationEssentials
import PropertyListTools
import PropertyLists
import SystemFiles
import ToolSupport

/// What the work on one file has to say, on both outputs, and how it ended.
///
/// The reports of several files that are worked on at once are printed whole and in the order of the files. What the
/// only file says is printed at once.
struct FileReport: ~Copyable {
  /// The file that it is about.
  let input: Input
  let isForMachines: Bool
  private let isNamed: Bool
  private let replacements: Replacements?

  private(set) var exitCode = ExitCodes.success
  /// The file as it was before it was read, if what is made of it replaces it.
  private var edited: EditedFile?
  /// Whether other edits of the file are given up if another program changes it meanwhile.
  private let isLastAttempt: Bool
  /// Whether the file has changed since it was read, so that the work is to be done again.
  private(set) var isOutdated = false
  /// The files that have changed while what was made of them waited to replace them.
  private(set) var outdatedPaths: [String] = []
  /// What is to be printed, on standard output or standard error.
  private(set) var pieces: [(isOutput: Bool, bytes: Data)] = []

  /// - Parameters:
  ///   - isLastAttempt: whether it is an error if another program changes the file while it is edited.
  ///   - replacements: where files are replaced together; nil for the only one.
  init(
    _ input: Input, isForMachines: Bool, isNamed: Bool = false, isLastAttempt: Bool = true, replacements: Replacements?
  ) {
    self.isLastAttempt = isLastAttempt
    self.input = input
    self.isNamed = isNamed
    self.isForMachines = isForMachines
    self.replacements = replacements
  }

  /// Whether what is written is printed at once.
  var isDirect: Bool { replacements == nil }

  /// How messages name the file.
  var name: String { input.name }

  /// What stands before a line about the file: its name, unless it is the only one.
  var prefix: String { isNamed ? "\(name): " : "" }

  /// The line above many lines about the file: its name, unless it is the only one.
  var heading: String { isNamed ? "\(name):\n" : "" }

  /// Keeps other processes from editing the file until what is made of it has replaced it.
  mutating func lock() throws(PropertyListError) {
    edited = try EditedFile(input.path) {
      // Its own files that wait, and that another process may wait for.
      if let replacements { note(replacements.finish()) }
    }
  }

  /// Whether the work is to be done again, so that nothing need be said about this time.
  var isToBeRepeated: Bool { isOutdated && !isLastAttempt }

  /// Notes what came of files that waited.
  mutating func note(_ failures: [Replacements.Failure]) {
    for failure in failures {
      if failure.isOutdated {
        outdatedPaths.append(failure.path)
      } else {
        fail(PropertyListError(failure.error), about: Input(failure.path))
      }
    }
  }

  /// Replaces a file with what `body` writes, in one step.
  mutating func replace(
    _ path: String, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    let replacement = try PropertyListError.converting(Replacement(of: path))
    try body(replacement.output)
    do {
      let original = edited.flatMap { $0.isAt(path) ? $0.original : nil }
      // Others may edit the file once this one has replaced it.
      defer { if original != nil { edited = nil } }
      if let replacements { return note(try replacements.add(replacement, insteadOf: original)) }
      guard let original else { return try replacement.commit() }
      if try replacement.commit(insteadOf: original) { return }
      isOutdated = true
    } catch {
      throw PropertyListError(error)
    }
    throw PropertyListError(
      .inputOutput(errno: EAGAIN), "cannot write \(path.printable()): other programs change it all the time")
  }

  /// Replaces a file with bytes, in one step.
  mutating func replace(_ path: String, with data: Data) throws(PropertyListError) {
    try replace(path) { output throws(PropertyListError) in
      try PropertyListError.converting(output.write(data))
    }
  }

  /// Bytes on standard output.
  mutating func write(_ bytes: Data) throws(PropertyListError) {
    if isDirect { try output(bytes) } else { pieces.append((true, bytes)) }
  }

  /// Text on standard output.
  mutating func write(_ text: String) throws(PropertyListError) { try write(Data(text.utf8)) }

  /// A line on standard output.
  mutating func line(_ text: String) throws(PropertyListError) { try write(text + "\n") }

  /// A line on standard error.
  mutating func note(_ text: String) {
    if isDirect {
      ToolSupport.note(text)
    } else {
      pieces.append((false, Data((FileSystem.showingBytes(text) + "\n").utf8)))
    }
  }

  /// The line of JSON that machines get about a file: its name and what `result` says about it.
  mutating func machineLine(_ result: PropertyList, about file: Input? = nil) throws(PropertyListError) {
    var fields: PropertyList = ["file": .string((file ?? input).machineName)]
    if let result = result.dictionary { fields.dictionary?.merge(result) { $1 } }
    try write(Self.machineData(fields))
  }

  /// A line of JSON.
  static func machineData(_ fields: PropertyList) throws(PropertyListError) -> Data {
    // A value that could be read stands deeper here.
    let options = PropertyListWritingOptions(depth: ParsingLimits.greatestDepth, coercion: .reversible, isCompact: true)
    return try fields.data(format: .json, options: options)
  }

  /// Says that something went wrong with this file or another. The highest exit code counts.
  mutating func fail(_ error: PropertyListError, about file: Input? = nil) {
    raise(error.exitCode)
    // Where machines cannot be told, people are.
    if isForMachines, (try? machineLine(["error": error.fields], about: file)) != nil { return }
    note(error.line(about: (file ?? input).name))
  }

  /// Ends with an exit code, or a higher one.
  mutating func raise(_ code: Int32) { exitCode = max(exitCode, code) }
}
