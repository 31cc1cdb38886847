import ArgumentParser
import FoundationEssentials
import PropertyLists
import Synchronization
import SystemFiles
import ToolSupport

/// The files that a verb works on.
struct FileArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The files; - or no file is standard input.", valueName: "file"), completion: .file(),
    transform: FileName.argument)
  var files: [String] = []

  @Flag(
    name: .shortAndLong,
    help: """
      Read the property lists in folders and their subfolders: files with the extension \
      \(FolderSearch.usualExtensions.sorted().joined(separator: ", ")), and files without an extension that begin \
      like a binary or an XML property list.
      """)
  var recursive = false

  @Option(
    help: ArgumentHelp(
      "With --recursive, read only files whose names match PATTERN, for example '*.json'; can be repeated.",
      valueName: "pattern"))
  var name: [String] = []

  @Option(help: ArgumentHelp("Process N files at once; by default, as many as there are cores.", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
    if !name.isEmpty, !recursive { throw ValidationError("--name works only with --recursive.") }
    if files.count(where: { $0 == "-" }) > 1 { throw Input.readTwice }
  }

  /// True if standard input is one of the files.
  var haveStandardInput: Bool { files.isEmpty || files.contains("-") }

  /// Files that are withheld from ArgumentParser, because its parsing time grows with the square of the number of
  /// arguments.
  private static let others = Mutex<[String]>([])

  /// Removes most of a long list of files from the end of a verb's arguments. ``search(excluding:)`` appends them
  /// again.
  static func takeFiles(from arguments: inout [String]) {
    // Keeps the first 64 arguments after the last one with a hyphen: they may be an option's value or the path of a
    // value.
    let count = arguments.reversed().prefix { !$0.hasPrefix("-") }.count - 64
    guard count > 512 else { return }
    others.withLock { $0 = Array(arguments.suffix(count)) }
    arguments.removeLast(count)
  }

  /// Processes each file, in parallel.
  ///
  /// - Parameter destination: where output is written; nil if `work` only prints.
  /// - Throws: `ExitCode` with the highest code of all files; `ValidationError` if files would overwrite each other.
  func process(to destination: Destination? = nil, isForMachines: Bool = false, _ work: @escaping Batch.Work) throws {
    let isForMachines = isForMachines || destination?.report == true
    let search = try search(excluding: destination?.outfolder)
    try destination?.check(search.inputs)
    if search.inputs.isEmpty {
      note("plistutil: error: no property list in \(files.map { $0.printable() }.joined(separator: ", "))")
    }
    let exitCode = search.reportFailures(isForMachines: isForMachines)
    let batch = Batch(
      inputs: search.inputs, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, isForMachines: isForMachines,
      isNamed: mayBeSeveral, replaces: { destination?.replaces($0) ?? false })
    let nothing = search.inputs.isEmpty ? ExitCodes.inputOutput : ExitCodes.success
    let highest = max(exitCode, nothing, batch.run(work))
    if highest != ExitCodes.success, !recursive, let folder = files.first(where: FileSystem.isFolder) {
      note("plistutil: note: \(folder.printable()) is a folder; use --recursive to read the property lists in it")
    }
    if highest != ExitCodes.success { throw ExitCode(highest) }
  }

  /// Returns the files, and the folders that could not be read. The files in a folder are sorted by name.
  ///
  /// - Parameter folder: the output folder, which is not searched.
  private func search(excluding folder: String?) throws -> FolderSearch {
    var search = FolderSearch(patterns: name, excludedFolder: folder)
    if files.isEmpty {
      if Input.isTerminal { throw ValidationError("No file is given.") }
      search.add(file: "-")
      return search
    }
    let files = files + Self.others.withLock { $0 }
    for file in files { recursive ? search.add(file) : search.add(file: file) }
    return search
  }

  /// True if there may be more than one file.
  var mayBeSeveral: Bool { recursive || files.count > 1 }
}
