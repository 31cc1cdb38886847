internal import ArchiveViews
import ArgumentParser
import KeyedArchiving
import PropertyLists

struct ArchiveJSON: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "json",
    abstract: "Write the objects of an archive as JSON.",
    discussion: """
      Objects stand where the first reference to them is, with their class as $class; those that several references lead to \
      have a $uid, and are {"$ref": 7} everywhere else. Nothing is lost. It is not the archive in the format JSON, which \
      convert writes.

      Examples:
        plistutil archive json Session.data | jq '."$top".root.name'
        plistutil archive json --unwrap Preferences.plist
      """)

  @OptionGroup var files: FileArguments

  @Flag(name: .shortAndLong, help: "Write all of it on one line.")
  var compact = false

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ArchiveArguments
  @OptionGroup var destination: Destination

  func run() throws {
    try files.process(to: destination) { [self] input, report throws(PropertyListError) in
      var json = try reading.look(at: input, unwrap, &report) { archive throws(KeyedArchiveError) in
        try archive.jsonData(isIndented: !compact)
      }
      if json.last != UInt8(ascii: "\n") { json.append(UInt8(ascii: "\n")) }
      try destination.write(json, for: input, to: &report)
    }
  }
}
