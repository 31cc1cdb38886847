public import FoundationEssentials
internal import PropertyLists
internal import SystemFiles

extension Nib {
  /// The nibs in a folder, the one for the newest systems first.
  ///
  /// Each file is the whole nib, for other systems or in another format.
  ///
  /// | name | for |
  /// |---|---|
  /// | `keyedobjects-101300.nib` | macOS from the version in the name on: 10.13.0 |
  /// | `objects-11.0+.nib` | iOS from the version in the name on |
  /// | `runtime.nib` | iOS before those |
  /// | `keyedobjects.nib` | macOS 10.2 and later |
  /// | `objects.nib` | macOS before 10.2; a typedstream |
  ///
  /// Other files, such as `classes.nib`, `info.nib` and `designable.nib`, are of the editor, and left out.
  ///
  /// - Throws: ``NibError/file(_:)`` for a URL that is no file URL, and for a folder that cannot be read.
  public static func files(in folder: URL) throws(NibError) -> [URL] {
    do {
      let path = try folder.filePath
      let entries = try PropertyListError.converting(FileSystem.contents(of: path))
      return names(entries.filter { !$0.isFolder }.map(\.name)).map { folder.appending(path: $0) }
    } catch {
      throw .file(error)
    }
  }

  /// Those of the names in a folder that nibs have, the best first.
  static func names(_ names: [String]) -> [String] {
    names.compactMap { name in rank(of: name).map { (name, rank: $0) } }
      .sorted { first, second in
        first.rank == second.rank ? first.0 < second.0 : second.rank.lexicographicallyPrecedes(first.rank)
      }
      .map(\.0)
  }

  /// What is compared to find the best: whether there is a version, then its numbers; nil for other files.
  private static func rank(of name: String) -> [Int]? {
    guard name.hasSuffix(".nib") else { return nil }
    let stem = name.dropLast(4)
    switch stem {
    case "runtime": return [0, 3]
    case "keyedobjects": return [0, 2]
    case "objects": return [0, 1]
    default: break
    }
    if stem.hasPrefix("keyedobjects-"), let number = version(stem.dropFirst(13)) { return [1] + number }
    if stem.hasPrefix("objects-"), stem.hasSuffix("+"), let number = version(stem.dropFirst(8).dropLast()) {
      return [1] + number
    }
    return nil
  }

  /// `101300` or `11.0` as numbers; nil for other texts.
  private static func version(_ text: Substring) -> [Int]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    let numbers = parts.compactMap { $0 }
    return numbers.isEmpty || numbers.count < parts.count ? nil : numbers
  }
}
