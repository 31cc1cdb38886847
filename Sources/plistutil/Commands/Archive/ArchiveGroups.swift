import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists

struct ArchiveGroups: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "groups",
    abstract: "Write the groups of values of a typedstream as JSON.",
    discussion: """
      A typedstream is what NSArchiver writes, such as the text of messages. A group is an array of values, each with its \
      type. An object stands where it is met first, with its classes, their versions and its id, and is {"ref": 7} \
      everywhere else. No class needs to be known, and nothing is lost.

      Example: plistutil archive groups attributedBody | jq '.groups[0][0][1].class'
      """)

  @OptionGroup var files: FileArguments

  @Flag(name: .shortAndLong, help: "Write all of it on one line.")
  var compact = false

  @OptionGroup var destination: Destination

  func run() throws {
    try files.process(to: destination) { [self] input, report throws(PropertyListError) in
      let data = try input.data()
      var json = try Typedstream.converting { () throws(TypedstreamError) in
        try Typedstream(data).jsonData(isIndented: !compact)
      }
      if json.last != UInt8(ascii: "\n") { json.append(UInt8(ascii: "\n")) }
      try destination.write(json, for: input, to: &report)
    }
  }
}

extension Typedstream {
  /// Does something with a stream, whose errors become those of the tool.
  static func converting<Result>(
    _ body: () throws(TypedstreamError) -> Result
  ) throws(PropertyListError) -> Result {
    do throws(TypedstreamError) { return try body() } catch { throw PropertyListError(error) }
  }
}

extension PropertyListError {
  /// What is wrong with a typedstream, in the terms of the tool.
  init(_ error: TypedstreamError) {
    let kind: Kind =
      switch error.kind {
      case .notATypedstream: .unknownFormat
      case .unsupportedVersion: .unsupportedVersion
      case .valueNotFound: .noSuchValue
      case .nestedTooDeeply: .nestedTooDeeply
      case .circularReference: .circularReference
      case .limitExceeded: .limitExceeded
      default: .malformed
      }
    self.init(kind, error.detail, byteOffset: error.byteOffset)
  }
}
