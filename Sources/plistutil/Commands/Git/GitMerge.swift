import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import SystemFiles
import ToolSupport

struct GitMerge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge three versions of a file, as git's merge driver.",
    discussion: """
      Text is first merged line by line, as by git, which keeps comments. If lines conflict or the result is not a \
      property list, and for binary files, values are merged: a change that only one side has made is kept. The result \
      replaces OURS and keeps its format. If values conflict too, the exit code is 1; a text file then has git's \
      conflict markers, and a binary file stays as it is in OURS.

      Example: plistutil git merge Base.plist Ours.plist Theirs.plist
      """)

  @Argument(help: ArgumentHelp("The common ancestor of both versions, or an empty file.", valueName: "base"))
  var base: String

  @Argument(help: ArgumentHelp("Our version, which is replaced with the result.", valueName: "ours"))
  var ours: String

  @Argument(help: ArgumentHelp("Their version.", valueName: "theirs"))
  var theirs: String

  @Option(help: ArgumentHelp("The name of the file in messages.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("The length of git's conflict markers.", valueName: "n"))
  var markerSize = 7

  func run() throws {
    let title = (name ?? ours).printable()
    try telling(about: title) { () throws(PropertyListError) in
      let data = try (base: Input(base).data(), ours: Input(ours).data(), theirs: Input(theirs).data())
      let merged = try textMerge(data.base, data.ours, data.theirs)
      if let merged, !merged.hasConflicts, (try? Self.document(merged.text)) != nil { return try replace(merged.text) }
      do throws(PropertyListError) { try replace(Self.valueMerge(data.base, data.ours, data.theirs)) } catch {
        if let merged { try replace(merged.text) }
        // The exit code is that of the error. git treats all exit codes from 1 to 128 as a conflict.
        throw error
      }
    }
  }

  private static func document(_ data: Data) throws(PropertyListError) -> PropertyListDocument {
    let document = try PropertyListDocument(data)
    try document.validateWhole()
    return document
  }

  private static func valueMerge(_ base: Data, _ ours: Data, _ theirs: Data) throws(PropertyListError) -> Data {
    let document = try document(ours)
    var value = try PropertyList(document.root)
    let other = try PropertyList(Self.document(theirs).root)
    if base.isEmpty {
      try value.merge(other, conflicts: .fail)
    } else {
      try value.merge(other, since: PropertyList(Self.document(base).root), conflicts: .fail)
    }
    return try document.data(updatedTo: value, options: PropertyListDocument.editingOptions(coerces: false))
  }

  /// Merges the three texts line by line. Returns nil if one of them is not text.
  private func textMerge(
    _ base: Data, _ ours: Data, _ theirs: Data
  ) throws(PropertyListError) -> (text: Data, hasConflicts: Bool)? {
    guard ![base, ours, theirs].contains(where: { $0.contains(0) || $0.bytes.starts(with: "bplist") }) else {
      return nil
    }
    let labels = ["ours", "base", "theirs"].flatMap { ["-L", $0] }
    let (end, text) = try PropertyListError.converting { () throws(FileError) in
      try ChildProgram.output(
        "git",
        ["merge-file", "-p", "-q", "--marker-size", String(markerSize)] + labels + [self.ours, self.base, self.theirs])
    }
    switch end {
    case .exited(0): return (text, false)
    // The exit code is the number of conflicts. Higher codes mean that the merge failed.
    case .exited(1...127): return (text, true)
    default: return nil
    }
  }

  private func replace(_ data: Data) throws(PropertyListError) {
    try PropertyListError.converting(FileSystem.replace(ours, with: data))
  }
}
