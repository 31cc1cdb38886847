internal import FoundationEssentials
internal import SystemFiles

/// The paths of a program's resources, derived from the path of its executable.
struct ProgramLocation {
  /// The path of the executable; nil if it is unknown.
  let executable: String?

  static var current: ProgramLocation { ProgramLocation(executable: CurrentProcess.programPath) }

  /// The folder with the program's own resources.
  ///
  /// - `X.app` or any other bundle that contains the executable in `Contents/MacOS`, or next to `Info.plist`;
  /// - `NAME.resources` next to the executable `NAME`;
  /// - `PREFIX/share/NAME.resources` for the executable `PREFIX/bin/NAME`, or one in `sbin` or `lib`;
  /// - the folder of the executable.
  ///
  /// The second and the third are the freestanding and the installed bundles of Core Foundation on Linux (CFBundle.c).
  var main: String? {
    guard let executable else { return nil }
    let folder = FileSystem.parent(of: executable)
    if let bundle { return bundle }
    let name = Self.name(executable)
    let resources = resourceFolders.map { FileSystem.join($0, name + ".resources") }
    return resources.first(where: FileSystem.isFolder) ?? folder
  }

  /// The folders that can contain the bundles of modules, in the order of the search: `Contents/Resources` of the
  /// program's bundle, the folder of the executable, and `PREFIX/share`.
  var moduleFolders: [String] {
    guard executable != nil else { return [] }
    let resources = bundle.map { [BundleLayout(of: $0).resources] } ?? []
    return resources + resourceFolders.filter { !resources.contains($0) }
  }

  /// True if the executable is in a folder that many programs share, such as `/usr/bin`. The bundles of modules there
  /// can belong to other programs.
  var isInSharedFolder: Bool {
    guard let executable, bundle == nil, resourceFolders.count > 1 else { return false }
    let prefix = FileSystem.parent(of: FileSystem.parent(of: executable))
    return ["/", "/usr", "/usr/local"].contains(prefix) || Self.name(prefix) == ".local"
  }

  /// The folders with the frameworks of the program's bundle.
  var frameworkFolders: [String] {
    guard let bundle else { return [] }
    return ["Contents/Frameworks", "Frameworks"].map { FileSystem.join(bundle, $0) }
  }

  /// The Apple bundle that contains the executable.
  private var bundle: String? {
    guard let executable else { return nil }
    let folder = FileSystem.parent(of: executable)
    let contents = FileSystem.parent(of: folder)
    if Self.name(folder) == "MacOS", Self.name(contents) == "Contents" { return FileSystem.parent(of: contents) }
    return FileSystem.exists(FileSystem.join(folder, "Info.plist")) ? folder : nil
  }

  /// The folder of the executable, and `share` next to it.
  private var resourceFolders: [String] {
    guard let executable else { return [] }
    let folder = FileSystem.parent(of: executable)
    guard ["bin", "sbin", "lib"].contains(Self.name(folder)) else { return [folder] }
    return [folder, FileSystem.join(FileSystem.parent(of: folder), "share")]
  }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
