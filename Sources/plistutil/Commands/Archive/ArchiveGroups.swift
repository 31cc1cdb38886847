internal import ArchiveViews
import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists
internal import Typedstreams

struct ArchiveGroups: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "groups",
    abstract: "Write the groups of values of a typedstream as JSON.",
    discussion: """
      A typedstream is the format of NSArchiver, which is used for the text of messages, for example. A group is an \
      array of values, each with its type. The first reference to an object contains the object, with its classes, \
      their versions and its id; later references are {"ref": 7}. No class needs to be known, and nothing is lost.

      With --unwrap, the typedstreams in the data of a property list or an archive are written, each as a line of JSON \
      with the keys path and stream. The path is empty if the file itself is a typedstream.

      Examples:
        plistutil archive groups attributedBody | jq '.groups[0][0][1].class'
        plistutil archive groups --unwrap message_summary_info | jq .path
      """)

  @OptionGroup var files: FileArguments

  @Flag(name: .shortAndLong, help: "Write the JSON on one line.")
  var compact = false

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var destination: Destination

  func run() throws {
    try files.process(to: destination) { [self] input, report throws(PropertyListError) in
      let data = try input.data()
      if unwrap.isGiven {
        return try destination.write(nestedGroups(in: data, input, &report), for: input, to: &report)
      }
      var json = try Typedstream.converting { () throws(TypedstreamError) in
        try Typedstream(data).jsonData(isIndented: !compact)
      }
      if json.last != UInt8(ascii: "\n") { json.append(UInt8(ascii: "\n")) }
      try destination.write(json, for: input, to: &report)
    }
  }

  /// Returns a line of JSON for each typedstream in the data, with its path. A file that is a typedstream itself comes
  /// first.
  private func nestedGroups(
    in data: Data, _ input: Input, _ report: inout FileReport
  ) throws(PropertyListError) -> Data {
    var lines = Data()
    if ArchiveFormat(data) == .typedstream {
      let stream = try Typedstream.converting { () throws(TypedstreamError) in try Typedstream(data) }
      lines += try Self.line("", stream)
    }
    let reading = ReadingArguments(inputFormat: nil, keepLastDuplicates: false, coerce: true)
    let document = try unwrap.file(input, reading, data)
    let streams = try unwrap.unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in
      try unwrapper.typedstreams(in: document)
    }
    for (path, stream) in streams { lines += try Self.line(path.description, stream) }
    return lines
  }

  private static func line(_ path: String, _ stream: Typedstream) throws(PropertyListError) -> Data {
    let groups = try Typedstream.converting { () throws(TypedstreamError) in try stream.jsonData(isIndented: false) }
    let start = try FileReport.machineData(["path": .string(path)])
    let end = start.lastIndex(of: UInt8(ascii: "}")) ?? start.endIndex
    return start[..<end] + Data(",\"stream\":".utf8) + groups + Data("}\n".utf8)
  }
}

extension Typedstream {
  /// Calls `body`, and converts its errors to those of the tool.
  static func converting<Result>(_ body: () throws(TypedstreamError) -> Result) throws(PropertyListError) -> Result {
    do { return try body() } catch { throw PropertyListError(error) }
  }
}

extension PropertyListError {
  /// Converts an error of a typedstream to the tool's error type.
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
