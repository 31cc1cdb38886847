import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// A file that was named on the command line or found in a folder, or standard input.
struct Input: Sendable {
  /// `-` is standard input.
  let path: String
  /// What its path is below the folder that was named, or its last component.
  let relativePath: String
  /// How messages name it, instead of by its path.
  let label: String?

  init(_ path: String, relativePath: String? = nil, label: String? = nil) {
    self.path = path
    self.label = label
    self.relativePath = relativePath ?? path.split(separator: "/").last.map(String.init) ?? path
  }

  static let readTwice = ValidationError("Standard input can be read only once.")

  /// Whether nobody has given standard input anything to read.
  static var isTerminal: Bool { FileSystem.isTerminal(0) }

  var isStandard: Bool { path == "-" }

  /// How messages name it.
  var name: String { (label ?? (isStandard ? "<stdin>" : FileSystem.showingBytes(path))).printable() }

  /// How JSON names it: exactly, since a program opens what it is told, but for bytes that JSON cannot have.
  var machineName: String { label ?? (isStandard ? "<stdin>" : FileSystem.showingBytes(path)) }

  /// The size from which on no reader takes an input.
  private static let limit = ParsingLimits().inputSize

  /// All of its bytes.
  func data() throws(PropertyListError) -> Data {
    try PropertyListError.converting(
      isStandard ? FileSystem.read(0, named: name, limit: Self.limit) : FileSystem.read(path, limit: Self.limit))
  }

  /// Its bytes, of a large file only those that are looked at.
  func mappedData() throws(PropertyListError) -> Data {
    guard !isStandard, let size = FileSystem.sizeOfRegularFile(path), size > Self.smallSize else { return try data() }
    Signals.explainLostPages()
    return try PropertyListError.converting(FileSystem.map(path))
  }

  /// JSON, if that is what the file is called and its beginning says nothing: one number, say. Nil to go by how it
  /// begins.
  func formatByName(_ data: Data) -> PropertyListFormat? {
    path.lowercased().hasSuffix(".json") && PropertyListFormat(detecting: data.bytes) == nil ? .json : nil
  }

  /// Up to this many bytes a file is read whole, which is as fast, and no other program can take its pages away.
  private static let smallSize = 1 << 20
}
