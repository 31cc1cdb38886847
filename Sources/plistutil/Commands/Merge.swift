import ArgumentParser
import PropertyListTools
import PropertyLists
import ToolSupport

struct Merge: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "merge",
    abstract: "Merge the entries of property lists into another one.",
    discussion: """
      Dictionaries at the same path are merged, at every level. If values differ, --conflicts says which one wins. \
      Keys keep their order; new keys come after them.

      With --base, the common ancestor of both files, a change that only one of them has made is kept; arrays are not \
      merged element by element. With it, merge can be the merge driver of a version control system.

      With --env, strings in the other files are templates: ${NAME} is replaced with an environment variable.

      \(EditingHelp.text)

      Examples:
        plistutil merge --conflicts theirs --in-place Info.plist Overrides.plist
        BUILD=42 plistutil merge --env --conflicts theirs --in-place Info.plist Template.plist
        plistutil merge --base Ancestor.plist --in-place Mine.plist Theirs.plist
      """)

  enum ConflictRule: String, ExpressibleByArgument, CaseIterable {
    case ours, theirs, fail

    var rule: PropertyList.MergeRule {
      switch self {
      case .ours: .keepOurs
      case .theirs: .takeTheirs
      case .fail: .fail
      }
    }
  }

  enum ArrayRule: String, ExpressibleByArgument, CaseIterable {
    case values, append, union

    var rule: PropertyList.ArrayMergeRule {
      switch self {
      case .values: .asValues
      case .append: .append
      case .union: .union
      }
    }
  }

  @Argument(file: "The file to merge into; - is standard input.", "file")
  var target: String

  @Argument(files: "The files to merge into it, in this order.", "other")
  var others: [String]

  @Option(help: ArgumentHelp("Which value wins if two differ; with fail, a difference is an error.", valueName: "rule"))
  var conflicts = ConflictRule.fail

  @Option(
    help: ArgumentHelp(
      "How to merge arrays: values as any other value, append adds all elements, union adds new ones.",
      valueName: "rule"))
  var arrays = ArrayRule.values

  @Option(
    help: ArgumentHelp("Merge into the value at PATH, which is created if it is missing.", valueName: "path"),
    transform: PropertyListKeyPath.argument)
  var at: PropertyListKeyPath?

  @Option(file: "The common ancestor of both files.", "file")
  var base: String?

  @Option(
    help: ArgumentHelp(
      "The name of FILE in messages, for a merge driver, whose files are temporary.", valueName: "name"),
    transform: FileName.argument)
  var label: String?

  @OptionGroup var environment: EnvironmentArgument
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination

  func validate() throws {
    if ([target, base ?? ""] + others).count(where: { $0 == "-" }) > 1 { throw Input.readTwice }
    guard base != nil else { return }
    if others.count > 1 { throw ValidationError("--base works only with two files.") }
    if at != nil || arrays != .values { throw ValidationError("--base cannot be combined with --at or --arrays.") }
  }

  func run() throws {
    let batch = Batch(
      inputs: [Input(target, label: label)], jobs: 1, isForMachines: destination.report,
      replaces: { [destination] in destination.replaces($0) })
    let exitCode = batch.run { [self] input, report throws(PropertyListError) in
      let document = try reading.document(input)
      var value = try PropertyList(document.root)
      do throws(OtherFileError) {
        var ancestor: PropertyList?
        if let base { ancestor = try reading.withValue(of: Input(base)) { $0 } }
        for path in others {
          let other = try reading.withValue(of: Input(path)) { (value) throws(PropertyListError) in
            try environment.expanded(value)
          }
          do throws(PropertyListError) {
            if let ancestor {
              try value.merge(other, since: ancestor, conflicts: conflicts.rule)
            } else {
              try merge(other, into: &value)
            }
          } catch {
            return report.fail(conflict(error, with: path))
          }
        }
      } catch {
        return report.fail(error.error, about: error.input)
      }
      let options = PropertyListDocument.editingOptions(coerces: reading.coerce)
      try destination.write(document.data(updatedTo: value, options: options), for: input, to: &report)
    }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }

  /// Adds the name of the other file to the message of a conflict, except in a merge driver, because its files have
  /// temporary names.
  private func conflict(_ error: PropertyListError, with path: String) -> PropertyListError {
    guard error.kind == .conflict, label == nil else { return error }
    var error = error
    error.message = "conflict with \(Input(path).name): \(error.message)"
    return error
  }

  private func merge(_ other: PropertyList, into value: inout PropertyList) throws(PropertyListError) {
    guard let at else { return try value.merge(other, conflicts: conflicts.rule, arrays: arrays.rule) }
    // If the path has no value, `set` creates it, or throws an error about the path.
    guard (try? value.value(at: at)) != nil else { return try value.set(other, at: at) }
    // Edits the value in place: a second reference would cause a copy for each file.
    try value.edit(at: at.components[...]) { part throws(PropertyListError) in
      do throws(PropertyListError) { try part.merge(other, conflicts: conflicts.rule, arrays: arrays.rule) } catch {
        throw error.below(at.components)
      }
    }
  }
}
