import ArgumentParser
import PropertyLists
import SystemFiles
import ToolSupport

/// A pair of files, or all pairs of files that have the same relative path in two folders.
struct FilePairs: Sendable {
  /// The old and the new file; one of them may be missing.
  struct Pair: Sendable {
    var old: Input?
    var new: Input?
  }

  private var pairs: [String: Pair] = [:]
  /// For each pair, the new file, or the old one if the new one is missing. Sorted by relative path.
  private(set) var inputs: [Input] = []
  /// True if a folder could not be read.
  private(set) var hasDefects = false

  init(_ old: String, _ new: String, recursive: Bool, patterns: [String], isForMachines: Bool) throws {
    guard recursive else {
      let input = Input(new)
      inputs = [input]
      pairs[input.relativePath] = Pair(old: Input(old), new: input)
      return
    }
    for folder in [old, new] where !FileSystem.isFolder(folder) {
      throw ValidationError("\(folder.printable()) is not a folder.")
    }
    for (path, side) in [(old, \Pair.old), (new, \Pair.new)] as [(String, WritableKeyPath<Pair, Input?>)] {
      var search = FolderSearch(patterns: patterns, excludedFolder: nil)
      search.add(path)
      if search.reportFailures(isForMachines: isForMachines) != ExitCodes.success { hasDefects = true }
      for input in search.inputs { pairs[input.relativePath, default: Pair()][keyPath: side] = input }
    }
    inputs = pairs.keys.sorted().compactMap { name in pairs[name].flatMap { $0.new ?? $0.old } }
  }

  /// Returns the pair that an input belongs to.
  subscript(input: Input) -> Pair? { pairs[input.relativePath] }
}
