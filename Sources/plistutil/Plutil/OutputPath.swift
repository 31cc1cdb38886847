import PropertyLists

/// Where what is made of a file goes.
enum OutputPath: Hashable, Sendable {
  case standardOutput
  case file(String)

  /// - Parameter path: the file; `-` is standard input.
  init(of path: String, _ format: PlutilFormat, _ options: PlutilCommand.Options) {
    if let output = options.outputPath {
      self = output == "-" ? .standardOutput : .file(output)
    } else if path == "-" || format.isForStandardOutput {
      self = .standardOutput
    } else if let newExtension = options.outputExtension ?? format.fileExtension {
      self = .file("\(Self.withoutExtension(path)).\(newExtension)")
    } else {
      self = .file(path)
    }
  }

  /// A path without the extension of its last component. What begins with a dot is a name.
  static func withoutExtension(_ path: String) -> String {
    let nameStart = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    guard let dot = path[nameStart...].lastIndex(of: "."), dot != nameStart else { return path }
    return String(path[..<dot])
  }
}
