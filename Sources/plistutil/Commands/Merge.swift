import ArgumentParser
import FoundationEssentials
import PropertyLists

struct Merge: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Merge the entries of property lists into another.",
    discussion: """
      Dictionaries that both have at a path are merged, at every level. Where values differ, --conflicts says which \
      counts. Keys keep their order; new ones come behind them.

      \(EditArguments.help)

      Example: plistutil merge --conflicts theirs --in-place Info.plist Overrides.plist
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

  @Argument(help: ArgumentHelp("What is merged into; - is standard input.", valueName: "file"), completion: .file())
  var target: String

  @Argument(help: ArgumentHelp("What is merged into it, one after the other.", valueName: "other"), completion: .file())
  var others: [String]

  @Option(help: ArgumentHelp("Which value counts where two differ; with fail it is an error.", valueName: "rule"))
  var conflicts = ConflictRule.fail

  @Option(
    help: ArgumentHelp(
      "What becomes of two arrays: values like others, all elements of both, or the new elements behind the old.",
      valueName: "rule"))
  var arrays = ArrayRule.values

  @Option(
    help: ArgumentHelp("Merge into the value at PATH, which is made if it is missing.", valueName: "path"),
    transform: PropertyListKeyPath.argument)
  var at: PropertyListKeyPath?

  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination

  func run() throws {
    let batch = Batch(inputs: [Input(target)], jobs: 1, isForMachines: false)
    let exitCode = batch.run { [self] input, report throws(PropertyListError) in
      let document = try reading.document(input)
      var value = try PropertyList(document.root)
      for path in others {
        let other = Input(path)
        do throws(PropertyListError) {
          try merge(PropertyList(reading.document(other).root), into: &value)
        } catch {
          return report.fail(error, about: other.name)
        }
      }
      try destination.write(document.edited(value, coerces: reading.coerce), for: input, to: &report)
    }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }

  private func merge(_ other: PropertyList, into value: inout PropertyList) throws(PropertyListError) {
    guard let at else { return try value.merge(other, conflicts: conflicts.rule, arrays: arrays.rule) }
    // Where there is nothing to merge with, setting it says what is wrong with the path.
    guard var part = try? value.value(at: at) else { return try value.set(other, at: at) }
    do throws(PropertyListError) {
      try part.merge(other, conflicts: conflicts.rule, arrays: arrays.rule)
    } catch {
      var error = error
      error.keyPath = PropertyListKeyPath(at.components + (error.keyPath?.components ?? []))
      throw error
    }
    try value.replace(part, at: at)
  }
}
