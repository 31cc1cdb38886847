import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import SystemFiles
import ToolSupport

/// The options that say where output is written.
struct Destination: ParsableArguments {
  @Option(file: "Write to FILE; - is standard output.", "file", name: .shortAndLong)
  var outfile: String?

  @Flag(help: "Replace each file with the result, in one step.")
  var inPlace = false

  @Option(
    help: ArgumentHelp("Write into FOLDER; files found in folders keep their subfolders.", valueName: "folder"),
    completion: .directory, transform: FileName.argument)
  var outfolder: String?

  @Option(help: ArgumentHelp("Write a new file next to each file, with this extension.", valueName: "extension"))
  var `extension`: String?

  @Flag(help: "With --extension, overwrite existing files.")
  var force = false

  @Flag(help: "Print a line of JSON for each file, with the path of the written file or the error.")
  var report = false

  init() {}

  init(outfile: String?, inPlace: Bool, outfolder: String?, extension: String?, force: Bool, report: Bool) {
    self.outfile = outfile
    self.inPlace = inPlace
    self.outfolder = outfolder
    self.extension = `extension`
    self.force = force
    self.report = report
  }

  func validate() throws {
    if let `extension`, `extension`.isEmpty || `extension`.contains("/") {
      throw ValidationError("--extension: \(`extension`.quoted) is not a file extension.")
    }
    if force, `extension` == nil { throw ValidationError("--force works only with --extension.") }
    if report, !writesFiles {
      throw ValidationError("--report works only with --in-place, --outfile, --outfolder or --extension.")
    }
    if [outfile != nil, inPlace, outfolder != nil || `extension` != nil].count(where: { $0 }) > 1 {
      throw ValidationError(
        "--outfile and --in-place cannot be combined with each other, or with --outfolder or --extension.")
    }
  }

  /// True if output goes to files. The output for standard input is still printed, unless `--outfile` is used.
  var writesFiles: Bool { inPlace || outfolder != nil || `extension` != nil || (outfile != nil && outfile != "-") }

  /// Returns true if the output for a file replaces the file itself.
  func replaces(_ input: Input) -> Bool {
    guard !input.isStandard, case .file(let path) = target(input) else { return false }
    return inPlace || path == input.path || FileSystem.isSameFile(path, input.path)
  }

  /// Returns the destination of the output for a file: standard output if no option names another.
  func target(_ input: Input) -> OutputTarget {
    if inPlace { return input.isStandard ? .standardOutput : .file(input.path) }
    if let outfile { return outfile == "-" || outfile == "/dev/stdout" ? .standardOutput : .file(outfile) }
    guard outfolder != nil || `extension` != nil else { return .standardOutput }
    if input.isStandard { return .standardOutput }
    var path =
      outfolder.map { $0.hasSuffix("/") ? $0 + input.relativePath : "\($0)/\(input.relativePath)" } ?? input.path
    if let `extension` { path = path.withoutPathExtension + "." + `extension` }
    return .file(path)
  }

  /// Throws if several inputs would be written to the same file.
  func check(_ inputs: [Input]) throws {
    if inputs.count > 1, outfile != nil {
      throw ValidationError("--outfile writes one file; for several, use --in-place, --outfolder or --extension.")
    }
    var sources: [String: String] = [:]
    for input in inputs {
      guard case .file(let path) = target(input) else { continue }
      if let other = sources.updateValue(input.path, forKey: path) {
        throw ValidationError(
          "\(other.printable()) and \(input.path.printable()) would both be written to \(path.printable()).")
      }
    }
  }

  /// Writes a value to the destination of `input`. Returns the path of the first date that has a fraction of a second,
  /// so that the caller can print a warning if the format drops the fraction.
  func write(
    _ node: PropertyListDocument.Node, _ format: PropertyListFormat, _ options: PropertyListWritingOptions,
    for input: Input, to report: inout FileReport
  ) throws(PropertyListError) -> PropertyListKeyPath? {
    var fraction: PropertyListKeyPath?
    switch target(input) {
    case .standardOutput:
      if format == .binary, outfile == nil { try Console.refuseBinary() }
      // Printed output cannot be undone. All of it is created first, so that nothing is printed if that fails.
      if report.isDirect, node.document.byteCount > Self.largeSize, let file = TemporaryFile() {
        fraction = try node.write(to: file.output, format: format, options: options)
        try PropertyListError.converting(file.copy(to: .standard))
      } else {
        let (data, found) = try node.written(format: format, options: options)
        fraction = found
        try report.write(data)
      }
    case .file(let path):
      try replace(path, &report) { output throws(PropertyListError) in
        fraction = try node.write(to: output, format: format, options: options)
      }
    }
    return fraction
  }

  /// Writes bytes to the destination of `input`.
  func write(_ bytes: EditedBytes, for input: Input, to report: inout FileReport) throws(PropertyListError) {
    switch target(input) {
    case .standardOutput:
      if outfile == nil, bytes.beginsBinary { try Console.refuseBinary() }
      if report.isDirect, bytes.count > Self.largeSize {
        try bytes.write(to: .standard)
      } else {
        try report.write(bytes.data)
      }
    case .file(let path): try replace(path, &report) { output throws(PropertyListError) in try bytes.write(to: output) }
    }
  }

  /// Writes data, like ``write(_:for:to:)-(EditedBytes,_,_)``.
  func write(_ data: Data, for input: Input, to report: inout FileReport) throws(PropertyListError) {
    try write(EditedBytes(data), for: input, to: &report)
  }

  /// Writes the output of `body` to the destination of `input`, piece by piece.
  func write(
    for input: Input, to report: inout FileReport, _ body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    switch target(input) {
    case .standardOutput:
      // Printed output cannot be undone. All of it is created first, so that nothing is printed if that fails.
      guard report.isDirect, let file = TemporaryFile() else {
        throw PropertyListError(
          .inputOutput(errno: EINVAL), "cannot write several files to standard output; use --extension or --outfolder")
      }
      try body(file.output)
      try PropertyListError.converting(file.copy(to: .standard))
    case .file(let path): try replace(path, &report, writing: body)
    }
  }

  private func replace(
    _ path: String, _ report: inout FileReport, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    // Writing to a named pipe would wait for a reader.
    if inPlace, FileSystem.exists(path), FileSystem.sizeOfRegularFile(path) == nil {
      throw PropertyListError(
        .inputOutput(errno: EINVAL), "cannot replace \(path.printable()): it is not a regular file")
    }
    if outfolder != nil {
      try PropertyListError.converting(
        FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o777))
    }
    if `extension` != nil, !force, FileSystem.exists(path) {
      throw PropertyListError(.valueExists, "\(path.printable()) exists already; use --force to replace it")
    }
    try report.replace(path, writing: body)
    if self.report { try report.machineLine(["output": .string(FileSystem.showingBytes(path))]) }
  }

  /// Output with more bytes than this is written to standard output piece by piece.
  private static let largeSize = 32 << 20
}

/// The destination of the output for one file.
enum OutputTarget: Hashable, Sendable {
  case standardOutput
  case file(String)
}

extension String {
  /// The path without the extension of its last component. A leading dot does not begin an extension.
  var withoutPathExtension: String {
    let nameStart = lastIndex(of: "/").map(index(after:)) ?? startIndex
    guard let dot = self[nameStart...].lastIndex(of: "."), dot != nameStart else { return self }
    return String(self[..<dot])
  }
}
