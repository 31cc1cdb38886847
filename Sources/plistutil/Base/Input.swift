import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// A file from the command line or from a folder, or standard input.
struct Input: Sendable {
  /// The path; `-` is standard input.
  let path: String
  /// The path relative to the folder that was named on the command line, or the last component of the path.
  let relativePath: String
  /// The name for messages and JSON; nil to use the path.
  let label: String?

  init(_ path: String, relativePath: String? = nil, label: String? = nil) {
    self.path = path
    self.label = label
    self.relativePath = relativePath ?? path.split(separator: "/").last.map(String.init) ?? path
  }

  static let readTwice = ValidationError("Standard input can be read only once.")

  /// True if standard input is a terminal.
  static var isTerminal: Bool { FileSystem.isTerminal(0) }

  var isStandard: Bool { path == "-" }

  /// The name in messages.
  var name: String { (label ?? (isStandard ? "<stdin>" : FileSystem.showingBytes(path))).printable() }

  /// The name in JSON. It is exact, so that a program can open the file with it. Only bytes that JSON cannot represent
  /// are replaced, with escapes such as `\xff`.
  var machineName: String { label ?? (isStandard ? "<stdin>" : FileSystem.showingBytes(path)) }

  /// Readers refuse an input with more bytes than this.
  private static let limit = ParsingLimits().inputSize

  /// Returns all bytes of the input.
  func data() throws(PropertyListError) -> Data {
    try PropertyListError.converting(
      isStandard ? FileSystem.read(0, named: name, limit: Self.limit) : FileSystem.read(path, limit: Self.limit))
  }

  /// Returns the bytes of the input. A large file is mapped, so only the pages that are used are read.
  func mappedData() throws(PropertyListError) -> Data {
    guard !isStandard, let size = FileSystem.sizeOfRegularFile(path), size > Self.smallSize else { return try data() }
    Signals.explainLostPages()
    return try PropertyListError.converting(FileSystem.map(path))
  }

  /// Returns JSON if the file has the extension `json` and its format cannot be detected from its beginning, as for a
  /// single number. Returns nil otherwise.
  func formatByName(_ data: Data) -> PropertyListFormat? {
    path.lowercased().hasSuffix(".json") && PropertyListFormat(detecting: data.bytes) == nil ? .json : nil
  }

  /// The maximum size of files that are read instead of mapped, in bytes. Reading is as fast, and the bytes stay valid
  /// if another program truncates the file.
  private static let smallSize = 1 << 20
}
