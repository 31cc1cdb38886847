import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// A search for property lists in folders.
struct FolderSearch {
  /// The patterns of file names to find. If empty, files with ``usualExtensions`` are found.
  let patterns: [String]
  private(set) var inputs: [Input] = []
  /// The folders that could not be read.
  private(set) var failures: [(input: Input, error: PropertyListError)] = []

  /// The extensions of property lists. String catalogs are the only JSON files among them: most other JSON files are
  /// not property lists.
  static let usualExtensions: Set<String> = [
    "plist", "bplist", "strings", "stringsdict", "xcstrings", "entitlements", "xcprivacy", "mobileconfig", "pbxproj",
    "archive",
    "sfl", "sfl2", "sfl3", "webarchive", "webloc", "savedSearch", "tmLanguage", "tmTheme", "xcuserstate", "itermcolors",
  ]

  /// A folder that is skipped, because output is written into it.
  let excludedFolder: String?

  /// Adds a file without checking its name.
  mutating func add(file path: String) { inputs.append(Input(path)) }

  /// Adds a file without checking its name, or adds the property lists in a folder.
  mutating func add(_ path: String) {
    guard path != "-", FileSystem.isFolder(path) else { return add(file: path) }
    // A stack of the folders to search; the next one is the last. The subfolders of a folder are searched before the
    // next folder of the same level.
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

  /// Reports the folders that could not be read. Returns the highest exit code.
  func reportFailures(isForMachines: Bool) -> Int32 {
    var exitCode = ExitCodes.success
    for failure in failures {
      var report = FileReport(failure.input, isForMachines: isForMachines, replacements: nil)
      report.fail(failure.error)
      exitCode = max(exitCode, report.exitCode)
    }
    return exitCode
  }

  /// Returns true if a file without an extension begins like a property list. Returns false for a file with an
  /// extension, because the extension alone determines if the file is found.
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
