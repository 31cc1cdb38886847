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

  /// Returns the path at which Foundation expects the `Info.plist` of a program. The file need not exist.
  ///
  /// For a program in the folder `Contents/Linux` (`Contents/MacOS` on macOS), the file is in `Contents`. For any other
  /// program, it is in the first of the folders `Contents`, `Resources` and `Support Files` that exists next to the
  /// program. If none exists, it is next to the program.
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
