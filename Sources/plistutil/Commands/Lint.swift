import ArgumentParser
import FoundationEssentials
import PropertyLists
import Synchronization
import ToolSupport

struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "lint",
    abstract: "Check property lists, and list all defects with line and column.",
    discussion: """
      For a file without defects, a line is printed on standard output. Each defect is printed on standard error, \
      followed by the part of the file where it is. Defects that only follow from another defect are left out.

      Errors and their exit codes:
        malformed, unknown-format, unsupported-version, duplicate-key, limit-exceeded  3
        nested-too-deeply  4
        circular-reference  5
        input-output  1

      Warnings, which count only with --strict, with exit code 3:
        duplicate-key-kept  a key occurs twice, and --keep-last-duplicates uses the last value
        equivalent-keys     two keys are equal for readers that compare by Unicode equivalence
        mixed-line-ends     not all lines end in the same way
        unusual-encoding    an encoding that not all readers support
        byte-order-mark     JSON begins with a byte order mark

      Examples:
        plistutil lint Info.plist Settings.bundle/Root.plist
        plistutil lint -qr --strict Resources/
        plistutil lint --format github -r .
      """)

  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text, json, github
  }

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments

  @Flag(name: .shortAndLong, help: "Print nothing for files without defects.")
  var quiet = false

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Option(help: ArgumentHelp("List at most N findings for each file.", valueName: "n"))
  var limit = 100

  @Option(help: ArgumentHelp("The format of the report.", valueName: "form"))
  var format = Form.text

  @Flag(help: "Print a line of JSON for each file; the same as --format json.")
  var json = false

  @OptionGroup var color: ColorArgument

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1.") }
  }

  func run() throws {
    let form = json ? Form.json : format
    let isColored = color.isOn(for: 2)
    let tally = Tally()
    defer { if form == .text, files.mayBeSeveral, !quiet { note(tally.summary) } }
    try files.process(isForMachines: form == .json) {
      [quiet, strict, reading, limit] input, report throws(PropertyListError) in
      let data: Data
      do throws(PropertyListError) { data = try input.data() } catch {
        tally.add([Finding(defect: error)], isDefective: true)
        if form == .github { try report.line(Finding(defect: error).annotation(file: input.name)) }
        throw error
      }
      let linter = Linter(format: reading.format(of: input, data), options: reading.options, limit: limit)
      let result = linter.lint(data)
      tally.add(result.findings, isDefective: result.document == nil)
      for finding in result.findings where strict || finding.severity == .error {
        report.raise(finding.severity == .error ? finding.defect.exitCode : ExitCodes.malformed)
      }
      switch form {
      case .text: try report.list(result, data, linter, FindingText(name: input.name, isColored: isColored), quiet)
      case .json: try report.machineLine(result.fields)
      case .github:
        for finding in result.findings { try report.line(finding.annotation(file: input.name)) }
      }
    }
  }
}

extension FileReport {
  /// Prints the findings for people.
  mutating func list(
    _ result: Linter.Result, _ data: Data, _ linter: Linter, _ text: FindingText, _ isQuiet: Bool
  ) throws(PropertyListError) {
    let excerpts = PropertyListDocument.excerpts(
      of: result.findings.compactMap(\.defect.position), in: data, format: linter.format)
    var next = 0
    for finding in result.findings {
      var lines = [text.headline(finding)]
      if finding.defect.position != nil {
        if next < excerpts.count { lines += text.excerpt(excerpts[next]) }
        next += 1
      } else if let offset = finding.defect.byteOffset, !data.isEmpty {
        lines += text.dump(data, at: offset)
      }
      note(lines.joined(separator: "\n"))
    }
    if result.hasMore { note("\(name): more than \(linter.limit) findings; use --limit to list more") }
    if let document = result.document, !isQuiet { try line("\(name): OK (\(document.summary))") }
  }
}

extension Linter.Result {
  /// The fields of the JSON object that `lint` prints for a file, except the file name.
  fileprivate var fields: PropertyList {
    var fields: PropertyList = ["ok": .boolean(document != nil)]
    if let document {
      fields.dictionary?["format"] = .string(document.format.rawValue)
      fields.dictionary?["objects"] = .integer(.init(document.objectCount))
    }
    fields.dictionary?["findings"] = .array(findings.map(\.fields))
    if hasMore { fields.dictionary?["hasMore"] = true }
    return fields
  }
}

/// The total number of files and findings.
private final class Tally: Sendable {
  private struct Counts {
    var files = 0
    var defective = 0
    var errors = 0
    var warnings = 0
  }

  private let counts = Mutex(Counts())

  func add(_ findings: [Finding], isDefective: Bool) {
    counts.withLock {
      $0.files += 1
      if isDefective { $0.defective += 1 }
      $0.errors += findings.count { $0.severity == .error }
      $0.warnings += findings.count { $0.severity == .warning }
    }
  }

  /// The summary for people, in one line.
  var summary: String {
    let counts = counts.withLock { $0 }
    func plural(_ count: Int, _ word: String) -> String { "\(grouped(count)) \(word)\(count == 1 ? "" : "s")" }
    guard counts.errors > 0 || counts.warnings > 0 else { return "\(plural(counts.files, "file")), no defects" }
    return "\(plural(counts.files, "file")), \(grouped(counts.defective)) with defects: "
      + "\(plural(counts.errors, "error")), \(plural(counts.warnings, "warning"))"
  }
}
