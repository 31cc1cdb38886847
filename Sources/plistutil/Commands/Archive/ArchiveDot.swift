internal import ArchiveViews
import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists

struct ArchiveDot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dot",
    abstract: "Write the objects of an archive as a graph for Graphviz.",
    discussion: """
      A box is an object with its values; an arrow is a reference with its key. Further references to an object are \
      blue; references that close a cycle are red and dashed; unreferenced objects have a dashed border.

      Examples:
        plistutil archive dot Session.data | dot -Tsvg -o Session.svg
        plistutil archive dot --object 12 --depth 3 Session.data
        plistutil archive dot --unwrap Preferences.plist
      """)

  @OptionGroup var files: FileArguments
  @OptionGroup var part: ArchivePart
  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ArchiveArguments
  @OptionGroup var destination: Destination

  func run() throws {
    try files.process(to: destination) { [self] input, report throws(PropertyListError) in
      let graph = try reading.look(at: input, unwrap, &report) { archive throws(KeyedArchiveError) in
        try archive.graph(of: part.uid, depth: part.depth)
      }
      try destination.write(Data(graph.utf8), for: input, to: &report)
    }
  }
}
