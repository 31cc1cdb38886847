import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// Finds the property lists in folders.
struct FolderSearch {
  /// What names have to match; none for ``usualExtensions``.
  let patterns: [String]
  private(set) var inputs: [Input] = []
  /// What could not be read, and why.
  private(set) var failures: [(input: Input, error: PropertyListError)] = []

  /// The extensions of property lists. Of JSON only string catalogs are among them: most of it is not a property list.
  static let usualExtensions: Set<String> = [
    "plist", "bplist", "strings", "stringsdict", "xcstrings", "entitlements", "xcprivacy", "mobileconfig", "pbxproj",
    "archive",
    "sfl", "sfl2", "sfl3", "webarchive", "webloc", "savedSearch", "tmLanguage", "tmTheme", "xcuserstate", "itermcolors",
  ]

  /// A folder inside the others that is passed over: what is written goes there.
  let excludedFolder: String?

  /// Adds a file as it is.
  mutating func add(file path: String) { inputs.append(Input(path)) }

  /// Adds a file as it is, or the property lists in a folder.
  mutating func add(_ path: String) {
    guard path != "-", FileSystem.isFolder(path) else { return add(file: path) }
    // A folder that is begun is ahead of those beside it, so what is next is last.
    var open = [(path: path, relative: "")]
    while let folder = open.popLast() {
      var folders: [(path: String, relative: String)] = []
      do {
        let contents = try PropertyListError.converting(FileSystem.contents(of: folder.path))
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        for entry in contents {
          let path = prefix + entry.name
          let relative = folder.relative.isEmpty ? entry.name : "\(folder.relative)/\(entry.name)"
          if entry.isFolder {
            if let excludedFolder, FileSystem.isSameFile(path, excludedFolder) { continue }
            folders.append((path, relative))
          } else if matches(entry.name) || beginsAsPropertyList(path, entry.name) {
            inputs.append(Input(path, relativePath: relative))
          }
        }
      } catch {
        failures.append((Input(folder.path), error))
      }
      open += folders.reversed()
    }
  }

  /// Says what could not be read. Returns the highest exit code.
  func reportFailures(isForMachines: Bool) -> Int32 {
    var exitCode = ExitCodes.success
    for failure in failures {
      var report = FileReport(failure.input, isForMachines: isForMachines, replacements: nil)
      report.fail(failure.error)
      exitCode = max(exitCode, report.exitCode)
    }
    return exitCode
  }

  /// Whether a file without an extension, by which others go, is a property list.
  private func beginsAsPropertyList(_ path: String, _ name: String) -> Bool {
    guard patterns.isEmpty, !name.contains("."), let beginning = FileSystem.beginning(of: path, count: 1024)
    else { return false }
    if beginning.starts(with: Data("bplist0".utf8)) { return true }
    return PropertyListFormat(detecting: beginning.bytes) == .xml
      && String(decoding: beginning, as: UTF8.self).contains("<plist")
  }

  private func matches(_ name: String) -> Bool {
    if !patterns.isEmpty { return patterns.contains { FileSystem.matches(name, pattern: $0) } }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
    return Self.usualExtensions.contains(String(name[name.index(after: dot)...]))
  }
}
