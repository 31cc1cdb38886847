internal import FoundationEssentials
internal import PropertyLists
internal import SystemFiles

/// The domain of the program that this process runs.
enum ProcessDomain {
  /// The bundle identifier of the program, or else the name of the process. Characters that are not allowed in domain
  /// names are replaced by `_`.
  static let name = DomainName(nearestTo: bundleIdentifier ?? ProcessInfo.processInfo.processName)

  private static var bundleIdentifier: String? {
    guard let program = CurrentProcess.programPath,
      let file = try? FileSystem.readRegularFile(
        informationPath(programFolder: FileSystem.parent(of: program)), limit: ParsingLimits().inputSize),
      case .dictionary(let entries)? = try? PropertyList(file.data),
      let identifier = entries["CFBundleIdentifier"]?.string, !identifier.isEmpty
    else { return nil }
    return identifier
  }

  /// Returns the path at which the `Info.plist` of a program's bundle would be, in the layouts that Foundation knows.
  /// The program is in the folder `Contents/Linux` (`Contents/MacOS` on macOS), or at the top of a bundle. In the
  /// second case, `Info.plist` is in the first of the layout folders that exists, or next to the program.
  static func informationPath(programFolder folder: String) -> String {
    let contents = FileSystem.parent(of: folder)
    if folder == contents + platformFolder, contents.hasSuffix("/Contents") { return contents + "/Info.plist" }
    let layouts = ["/Contents", "/Resources", "/Support Files"]
    let layout = layouts.first { (try? FileIdentity(at: folder + $0)) != nil }
    return folder + (layout ?? "") + "/Info.plist"
  }

  private static var platformFolder: String {
    #if canImport(Darwin)
      "/MacOS"
    #else
      "/Linux"
    #endif
  }
}
