import FoundationEssentials
import PropertyLists

/// Finds the property lists in folders.
struct FolderSearch {
  /// What names have to match; none for ``usualExtensions``.
  let patterns: [String]
  private(set) var inputs: [Input] = []
  private(set) var exitCode = ExitCodes.success

  /// What property lists are called. JSON is not among them: most of it is no property list.
  static let usualExtensions: Set<String> = [
    "plist", "bplist", "strings", "stringsdict", "entitlements", "xcprivacy", "mobileconfig", "pbxproj", "archive",
    "sfl", "sfl2", "sfl3", "webarchive", "webloc", "savedSearch", "tmLanguage", "tmTheme", "xcuserstate", "itermcolors",
  ]

  init(patterns: [String]) { self.patterns = patterns }

  /// Adds a file as it is, or the property lists in a folder.
  mutating func add(_ path: String, isForMachines: Bool) {
    guard path != "-", FileSystem.isFolder(path) else { return inputs.append(Input(path)) }
    // A folder that is begun is ahead of those beside it, so what is next is last.
    var open = [(path: path, relative: "")]
    while let folder = open.popLast() {
      var folders: [(path: String, relative: String)] = []
      do throws(PropertyListError) {
        for entry in try FileSystem.entries(in: folder.path) {
          let path = folder.path.hasSuffix("/") ? folder.path + entry.name : "\(folder.path)/\(entry.name)"
          let relative = folder.relative.isEmpty ? entry.name : "\(folder.relative)/\(entry.name)"
          if entry.isFolder {
            folders.append((path, relative))
          } else if matches(entry.name) {
            inputs.append(Input(path, relativePath: relative))
          }
        }
      } catch {
        var report = FileReport(Input(folder.path), isForMachines: isForMachines, replacements: nil)
        report.fail(error)
        exitCode = max(exitCode, report.exitCode)
      }
      open += folders.reversed()
    }
  }

  private func matches(_ name: String) -> Bool {
    if !patterns.isEmpty { return patterns.contains { FileSystem.matches(name, pattern: $0) } }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
    return Self.usualExtensions.contains(String(name[name.index(after: dot)...]))
  }
}
