import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The settings that git needs for property lists: the commands in its configuration, and the file patterns in an
/// attributes file.
struct GitSettings {
  /// The arguments that make git read and write its configuration, such as `config --global`.
  let call: [String]
  let attributesFile: String

  /// The patterns of files that use the drivers. They contain only extensions that no other kind of file uses.
  private static let patterns = ["plist", "strings", "stringsdict", "entitlements", "xcprivacy"].map { "*.\($0)" }

  private static let attributes = "diff=plist merge=plist"

  private static let description = "property lists, key by key"

  /// Returns the settings in git's configuration for the diff driver and the merge driver.
  ///
  /// - Parameter tool: the command that git calls.
  private static func values(_ tool: String) -> [(key: String, value: String)] {
    [
      ("diff.plist.textconv", "\(tool) git textconv"), ("merge.plist.name", description),
      ("merge.plist.driver", "\(tool) git merge --marker-size %L --name %P %O %A %B"),
    ]
  }

  /// The command that git runs to call this tool: the tool's name if PATH contains it, otherwise the tool's path.
  private static var tool: String {
    let name = "plistutil"
    let path = FileSystem.realPath(of: executable)
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let found = folders.lazy.map { "\($0)/\(name)" }.first { FileSystem.sizeOfRegularFile($0) != nil }
    // The file in PATH may be a different tool with this name.
    if let found, FileSystem.realPath(of: found) == path { return name }
    return "'" + path.replacingScalars("'", with: #"'\''"#) + "'"
  }

  /// The path of this program.
  private static var executable: String {
    #if os(Linux) || os(Android)
      return "/proc/self/exe"
    #else
      let path = CommandLine.arguments.first ?? ""
      return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    #endif
  }

  /// Adds the settings that are missing, and prints them.
  ///
  /// - Returns: false if a setting already exists with a different value. The existing value is kept.
  func install() throws(PropertyListError) -> Bool {
    var isComplete = true
    for (key, value) in Self.values(Self.tool) {
      let old = try GitCall.text(call + ["--get-all", key])
      if old == value {
        try output("\(key) = \(value), as before")
      } else if let old {
        note("plistutil: error: \(key) is already \(old.printable()), and was not changed")
        isComplete = false
      } else {
        _ = try GitCall.text(call + [key, value])
        try output("\(key) = \(value)")
      }
    }
    var text = try attributes()
    var added: [String] = []
    for pattern in Self.patterns {
      let line = "\(pattern) \(Self.attributes)"
      if text.contains(where: { Self.withoutReturn($0) == line }) {
        try output("\(attributesFile): \(line), as before")
      } else if let other = text.last(where: { Self.isAbout(pattern, $0) }) {
        note("plistutil: error: \(attributesFile): \(other.printable()): exists already, and was not changed")
        isComplete = false
      } else {
        added.append(line)
      }
    }
    guard !added.isEmpty else { return isComplete }
    if text.last == "" { text.removeLast() }
    let ending = text.first.map { Self.withoutReturn($0) != $0 } == true ? "\r" : ""
    try write(text + added.map { $0 + ending })
    for line in added { try output("\(attributesFile): \(line)") }
    return isComplete
  }

  /// Removes the settings that ``install()`` adds, and prints them.
  func uninstall() throws(PropertyListError) {
    for (key, value) in Self.values("") {
      let old = try GitCall.text(call + ["--get-all", key])
      // The installed command may have been written with another path of this tool.
      guard let old, old == value || old.hasSuffix("plistutil\(value)") || old.hasSuffix("plistutil'\(value)") else {
        continue
      }
      _ = try GitCall.text(call + ["--unset-all", key])
      try output("removed \(key)")
    }
    for section in ["diff.plist", "merge.plist"] where try isEmpty(section) {
      GitCall.tryQuietly(call + ["--remove-section", section])
    }
    let text = try attributes()
    let lines = Self.patterns.map { "\($0) \(Self.attributes)" }
    let rest = text.filter { !lines.contains(Self.withoutReturn($0)) }
    guard rest != text else { return }
    if rest.allSatisfy(\.isEmpty) {
      do { try FileManager.default.removeItem(atPath: attributesFile) } catch {
        throw PropertyListError(.inputOutput(errno: EACCES), "cannot remove \(attributesFile.printable())")
      }
    } else {
      try write(rest.last == "" ? rest.dropLast() : rest)
    }
    for line in lines where text.contains(where: { Self.withoutReturn($0) == line }) {
      try output("removed \(attributesFile): \(line)")
    }
  }

  private func isEmpty(_ section: String) throws(PropertyListError) -> Bool {
    try GitCall.text(call + ["--get-regexp", "^\(section.replacing(".", with: "\\."))\\."]) == nil
  }

  /// Returns the lines of the attributes file, with an empty line after the last newline. Returns an empty array if the
  /// file does not exist. The lines contain file names, so bytes that are not UTF-8 are preserved.
  private func attributes() throws(PropertyListError) -> [String] {
    guard FileSystem.exists(attributesFile) else { return [] }
    let data = try Input(attributesFile).data()
    return data.split(separator: 0x0A, omittingEmptySubsequences: false).map { FileSystem.text(ofBytes: Array($0)) }
  }

  /// Returns a line without a carriage return at its end.
  private static func withoutReturn(_ line: String) -> String { line.last == "\r" ? String(line.dropLast()) : line }

  private func write(_ lines: some Sequence<String>) throws(PropertyListError) {
    var data = Data()
    for line in lines { data += FileSystem.systemPath(line).dropLast().map { UInt8(bitPattern: $0) } + [0x0A] }
    try PropertyListError.converting { () throws(FileError) in
      try FileSystem.makeFolder(FileSystem.parent(of: attributesFile), below: nil, permissions: 0o777)
      try FileSystem.replace(attributesFile, with: data)
    }
  }

  /// Returns true if a line of the attributes file sets the diff driver or the merge driver for a pattern.
  private static func isAbout(_ pattern: String, _ line: String) -> Bool {
    let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard words.first == pattern[...] else { return false }
    return words.dropFirst().contains { word in
      let name = word.drop { $0 == "-" || $0 == "!" }.prefix { $0 != "=" }
      return name == "diff" || name == "merge" || name == "binary"
    }
  }
}
