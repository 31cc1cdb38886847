internal import ArchiveViews
import ArgumentParser
import KeyedArchiving
import PropertyLists

struct ArchiveShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the objects of an archive as a tree.",
    discussion: """
      An object with several references is shown once, with its UID before it, #7; later references are → #7. Cycles \
      are shown in the same way. Unreferenced objects are at the end.

      A path leads through objects by their keys, and through collections by indices and keys.

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
      "Show the value at PATH, such as root.items.0, from the top or from --object.", valueName: "path"),
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
