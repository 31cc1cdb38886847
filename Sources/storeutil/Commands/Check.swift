import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import StoreInspection
import ToolSupport

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "check",
    abstract: "Find what is wrong with a store.",
    discussion: """
      Finds damaged pages and indexes, relationships to missing objects, wrong orders and inverses, values of a wrong \
      type, missing values, counters that are too low, missing and unused files of large values, a model that is not \
      the one of the store, and history entries about missing data. Nothing is written. A store that a program has \
      open is read in one consistent state.

      Prints a line for each finding: its severity, its code, the object or the table, and what is wrong.

      Exit codes: 0 no errors; 1 errors, or with --strict warnings; 3 not a store.

      Examples:
        storeutil check Notes.sqlite
        storeutil check Notes.sqlite --json | jq '.findings[] | select(.code == "dangling-reference") | .object'
      """)

  @Argument(file: "The file of the store.", "store")
  var path: String

  @Option(file: "The model to compare the store with, if the store does not contain its model.", "model")
  var model: String?

  @Option(help: ArgumentHelp("Print at most N findings of each code, and the number of the others.", valueName: "n"))
  var limit = 100

  @Flag(help: "Do not compare indexes with their tables.")
  var quick = false

  @OptionGroup var immutable: ImmutableArgument

  @Flag(help: "Treat warnings as errors in the exit code.")
  var strict = false

  @Flag(
    name: .customLong("json"),
    help: "Print JSON: {\"findings\": […], \"counts\": {…}, \"errors\": n, \"warnings\": n}.")
  var isJSON = false

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be greater than 0.") }
  }

  func run() throws {
    let url = URL(filePath: path)
    let writesNothing = immutable.writesNothing(path)
    var check = StoreCheck(url, model: try ModelFile.model(model, of: url, writesNothing: writesNothing))
    check.limit = limit
    check.pages = quick ? .quick : .full
    check.writesNothing = writesNothing
    var output = ListOutput(isJSON: isJSON, plain: nil, beginning: "{\"findings\": [")
    let summary = try check.run { finding in output.writeKeepingError(finding.propertyList, line: "\(finding)") }
    let counts = summary.counts.sorted { $0.key.rawValue < $1.key.rawValue }
    if isJSON {
      let counts = counts.map { "\"\($0.key.rawValue)\": \($0.value)" }.joined(separator: ", ")
      try output.finish(
        "], \"counts\": {\(counts)}, \"errors\": \(summary.errorCount), \"warnings\": \(summary.warningCount)}\n")
    } else {
      let lines = counts.filter { $0.value > limit }.map { code, count in
        "\(code.severity.rawValue) \(code.rawValue): \(grouped(count - limit)) more\n"
      }
      try output.finish(lines.joined())
      note("\(Self.counted(summary.errorCount, "error")), \(Self.counted(summary.warningCount, "warning"))")
    }
    if summary.errorCount > 0 || strict && summary.warningCount > 0 { throw ExitCode(ExitCodes.different) }
  }

  private static func counted(_ count: Int, _ name: String) -> String {
    count == 0 ? "no \(name)s" : "\(grouped(count)) \(name)\(count == 1 ? "" : "s")"
  }
}

extension ModelFile {
  /// Returns the model at a path from the command line, in the version that a store was made with. Without a path,
  /// searches the folder of the store for the model, but only if the store itself contains none. Returns nil if the
  /// store contains its model, or if no model is found.
  static func model(_ path: String?, of store: URL, writesNothing: Bool) throws -> ManagedObjectModel? {
    guard let path else {
      return metadata(ofStoreWithoutModel: store, writesNothing: writesNothing)
        .flatMap { toldModel(beside: store.relativePath, with: $0) }
    }
    // Errors in the metadata of a damaged store are reported by the check.
    let metadata = (try? StoreKind(store.path).metadata(store, writesNothing: writesNothing)) ?? [:]
    return try ModelFile(path).version(of: metadata)
  }

  /// Returns the metadata of a store that contains no model; nil for other stores.
  static func metadata(
    ofStoreWithoutModel store: URL, writesNothing: Bool
  ) -> OrderedDictionary<String, PropertyList>? {
    guard let kind = try? StoreKind(store.path) else { return nil }
    if kind == .sqlite, (try? SQLiteStore.model(inFile: store, writesNothing: writesNothing)) != nil { return nil }
    return try? kind.metadata(store, writesNothing: writesNothing)
  }
}

extension StoreFinding {
  /// The finding as a JSON object. Fields without a value are left out.
  fileprivate var propertyList: PropertyList {
    var fields: OrderedDictionary<String, PropertyList> = [
      "severity": .string(severity.rawValue), "code": .string(code.rawValue), "message": .string(message),
    ]
    for (key, text) in [
      ("object", objectURI), ("entity", entity), ("property", property), ("table", table), ("column", column),
    ] { if let text { fields[key] = .string(text) } }
    if let number { fields["number"] = .integer(PropertyList.Integer(number)) }
    return .dictionary(fields)
  }
}
