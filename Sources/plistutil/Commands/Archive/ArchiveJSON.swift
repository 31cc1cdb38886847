internal import ArchiveViews
import ArgumentParser
import KeyedArchiving
import PropertyLists

struct ArchiveJSON: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "json",
    abstract: "Write the objects of an archive as JSON.",
    discussion: """
      The first reference to an object contains the object, with its class as $class. An object with several \
      references has a $uid, and later references are {"$ref": 7}. Nothing is lost. To convert the archive itself to \
      JSON, use convert.

      Examples:
        plistutil archive json Session.data | jq '."$top".root.name'
        plistutil archive json --unwrap Preferences.plist
      """)

  @OptionGroup var files: FileArguments

  @Flag(name: .shortAndLong, help: "Write the JSON on one line.")
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
