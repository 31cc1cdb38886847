internal import FoundationEssentials
internal import PropertyLists

/// The domain that belongs to the program of this process.
enum ProcessDomain {
  /// The bundle identifier, else the name of the process. Characters that no name of a domain can have become `_`.
  static let name = DomainName(nearestTo: bundleIdentifier ?? ProcessInfo.processInfo.processName)

  /// The identifier in the `Info.plist` of the bundle that the program is in, in one of the forms that Foundation knows: beside
  /// the program in `NAME.resources` or `NAME.app`, or in the folder `Contents` above it.
  private static var bundleIdentifier: String? {
    guard let program = FileSystem.programPath else { return nil }
    let folder = FileSystem.parent(of: program)
    var candidates = ["\(program).resources/Info.plist"]
    if folder.hasSuffix(".app") { candidates.append("\(folder)/Info.plist") }
    let contents = FileSystem.parent(of: folder)
    if contents.hasSuffix("/Contents") { candidates.append("\(contents)/Info.plist") }
    for path in candidates {
      guard let (data, _) = try? FileSystem.readRegularFile(path),
        case .dictionary(let entries)? = try? PropertyList(data),
        let identifier = entries["CFBundleIdentifier"]?.string, !identifier.isEmpty
      else { continue }
      return identifier
    }
    return nil
  }
}
