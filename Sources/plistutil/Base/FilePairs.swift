import ArgumentParser
import PropertyLists
import SystemFiles
import ToolSupport

/// Two files, or what two folders have in files of the same names.
struct FilePairs: Sendable {
  /// The old and the new file; one of them may be missing.
  struct Pair: Sendable {
    var old: Input?
    var new: Input?
  }

  private var pairs: [String: Pair] = [:]
  /// One for each pair, in the order of their names.
  private(set) var inputs: [Input] = []
  /// Whether a folder could not be read.
  private(set) var hasDefects = false

  init(_ old: String, _ new: String, recursive: Bool, patterns: [String], isForMachines: Bool) throws {
    guard recursive else {
      let input = Input(new)
      inputs = [input]
      pairs[input.relativePath] = Pair(old: Input(old), new: input)
      return
    }
    for folder in [old, new] where !FileSystem.isFolder(folder) {
      throw ValidationError("\(folder.printable()) is no folder.")
    }
    for (path, side) in [(old, \Pair.old), (new, \Pair.new)] as [(String, WritableKeyPath<Pair, Input?>)] {
      var search = FolderSearch(patterns: patterns, excludedFolder: nil)
      search.add(path)
      if search.reportFailures(isForMachines: isForMachines) != ExitCodes.success { hasDefects = true }
      for input in search.inputs { pairs[input.relativePath, default: Pair()][keyPath: side] = input }
    }
    inputs = pairs.keys.sorted().compactMap { name in pairs[name].flatMap { $0.new ?? $0.old } }
  }

  /// The pair of an input.
  subscript(input: Input) -> Pair? { pairs[input.relativePath] }
}
