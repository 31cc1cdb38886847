import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists
import ToolSupport

struct Archive: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "archive",
    abstract: "Inspect keyed archives, typedstreams and compiled nibs.",
    discussion: """
      No object of an archive is created, so archives from any source are safe to inspect. Archives can be in any \
      format. Typedstreams are detected, and shown as keyed archives with the same objects; groups shows their own \
      structure. If a nib is a folder, the file for the newest systems is read.

      With --unwrap, archives nested in data are shown in place of the data; the UIDs of their objects follow those of \
      the outer archive. Then any property list that contains archives can be inspected: its entries are at the top.

      Examples:
        plistutil archive show Session.data
        plistutil archive show MainMenu.nib
      """,
    subcommands: [
      ArchiveShow.self, ArchiveClasses.self, ArchiveCheck.self, ArchiveDot.self, ArchiveJSON.self, ArchiveHTML.self,
      ArchiveGroups.self,
    ])
}

/// The options for reading archives.
struct ArchiveArguments: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The format of the input; detected if not given.", valueName: "format"))
  var inputFormat: FormatName?

  @Flag(help: "If a dictionary has a key twice, use the last value instead of refusing the file.")
  var keepLastDuplicates = false

  /// Opens a file that contains an archive: a property list, a typedstream or a nib. In a property list, only the
  /// values that are used are read.
  func source(_ input: Input) throws(PropertyListError) -> ArchiveSource {
    // JSON has no UIDs, so they are read in the form that `convert --coerce` writes.
    let options = PropertyListReadingOptions(
      duplicateKeys: keepLastDuplicates ? .keepLast : .reject, restoresCoercedValues: true)
    let data = try input.archiveData()
    if inputFormat == nil, let source = try ArchiveSource(data) { return source }
    do { return .propertyList(try PropertyListDocument(data, format: inputFormat?.format, options: options)) } catch {
      throw error.namingDuplicatesOption
    }
  }

  /// Calls `body` with the archive in a file. If the option `--unwrap` is given, the archive includes the archives and
  /// property lists that are nested in its data.
  func look<Result>(
    at input: Input, _ unwrap: UnwrapArgument, _ report: inout FileReport,
    _ body: (KeyedArchive) throws(KeyedArchiveError) -> Result
  ) throws(PropertyListError) -> Result {
    guard unwrap.isGiven else { return try look(at: input, body) }
    let reading = ReadingArguments(inputFormat: inputFormat, keepLastDuplicates: keepLastDuplicates, coerce: true)
    let archive = try unwrap.archive(in: unwrap.file(input, reading), input, &report)
    do { return try body(archive) } catch { throw PropertyListError(error) }
  }

  /// Calls `body` with the archive in a file.
  func look<Result>(
    at input: Input, _ body: (KeyedArchive) throws(KeyedArchiveError) -> Result
  ) throws(PropertyListError) -> Result {
    let archive = try source(input).archive()
    do { return try body(archive) } catch { throw PropertyListError(error) }
  }
}

/// The options that select a part of an archive.
struct ArchivePart: ParsableArguments {
  @Option(help: ArgumentHelp("Show the object with the UID N, and the objects that it refers to.", valueName: "n"))
  var object: UInt32?

  @Option(help: ArgumentHelp("Show N levels; deeper values are abbreviated.", valueName: "n"))
  var depth: Int?

  func validate() throws {
    if let depth, depth < 0 { throw ValidationError("--depth must be at least 0.") }
  }

  var uid: PropertyList.UID? { object.map { PropertyList.UID($0) } }
}

extension PropertyListError {
  /// Converts an error of an archive to the tool's error type.
  init(_ error: KeyedArchiveError) {
    if case .propertyList(let inner) = error.kind {
      self = inner
    } else {
      let kind: Kind =
        switch error.kind {
        case .valueNotFound: .noSuchValue
        case .nestedTooDeeply: .nestedTooDeeply
        case .circularReference: .circularReference
        case .limitExceeded: .limitExceeded
        default: .malformed
        }
      self.init(kind, error.message, keyPath: error.path)
    }
    if let uid = error.uid { message += " (object \(uid.value))" }
  }
}
