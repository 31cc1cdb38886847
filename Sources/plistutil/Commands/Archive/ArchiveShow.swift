internal import ArchiveViews
import ArgumentParser
import KeyedArchiving
import PropertyLists

struct ArchiveShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the objects of an archive as a tree.",
    discussion: """
      An object that several references lead to is shown once, with its UID in front, #7, and everywhere else as → #7. So \
      are circles. Objects that nothing leads to are at the end.

      A path goes through objects, by their keys and by the indices and keys of collections.

      Examples:
        plistutil archive show Session.data
        plistutil archive show --key root.windows.0 --depth 2 Session.data
        plistutil archive show --object 12 Session.data
        plistutil archive show --unwrap Preferences.plist
      """)

  @OptionGroup var files: FileArguments
  @OptionGroup var part: ArchivePart

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Show what is at PATH, such as root.items.0, from the top or from --object on.", valueName: "path"),
    transform: PropertyListKeyPath.argument)
  var key: PropertyListKeyPath?

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ArchiveArguments

  func run() throws {
    try files.process { [self] input, report throws(PropertyListError) in
      let tree = try reading.look(at: input, unwrap, &report) { archive throws(KeyedArchiveError) in
        try archive.tree(of: part.uid, at: key ?? PropertyListKeyPath(), depth: part.depth)
      }
      try report.line(report.heading + tree)
    }
  }
}
