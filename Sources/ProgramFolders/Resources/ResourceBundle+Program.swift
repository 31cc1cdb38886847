internal import FoundationEssentials
internal import SystemFiles

extension ResourceBundle {
  /// The resources of this program.
  ///
  /// The folder is the first of these that exists: the Apple bundle that contains the executable (`X.app`);
  /// `NAME.resources` next to the executable; `PREFIX/share/NAME.resources` if the executable is in `PREFIX/bin`; the
  /// folder of the executable.
  ///
  /// ```swift
  /// let license = try ResourceBundle.main.url(forResource: "LICENSE")
  /// ```
  ///
  /// - Throws: The errors of ``init(url:languages:)``.
  public static var main: ResourceBundle { get throws(ProgramFoldersError) { try main(of: .current) } }

  /// Returns the resources of a module of this program, as `Bundle.module` does in code that Swift Package Manager
  /// builds.
  ///
  /// ```swift
  /// let bundle = try ResourceBundle.module("Notes", package: "notes")   // notes_Notes.resources
  /// ```
  ///
  /// The bundle is `PACKAGE_TARGET.resources` or `PACKAGE_TARGET.bundle`, in `Contents/Resources` of the program's
  /// bundle, next to the executable, or in `PREFIX/share` if the executable is in `PREFIX/bin`.
  ///
  /// - Parameters:
  ///   - target: The name of the target.
  ///   - package: The name of the package; nil for any.
  /// - Throws: ``ProgramFoldersError/notFound(_:searched:)`` if there is no such bundle,
  ///   ``ProgramFoldersError/invalidName(_:reason:)`` if several packages have one or a name contains a slash, and the
  ///   errors of ``init(url:languages:)``.
  public static func module(_ target: String, package: String? = nil) throws(ProgramFoldersError) -> ResourceBundle {
    try module(target, package: package, of: .current)
  }

  /// Opens the resources of the module that declares a type, as `Bundle(for:)` does.
  ///
  /// ```swift
  /// let bundle = try ResourceBundle(for: Note.self)
  /// ```
  ///
  /// - Throws: The errors of ``module(_:package:)``.
  public init(for type: Any.Type) throws(ProgramFoldersError) { try self.init(for: type, of: .current) }

  /// The resources of this program and of all its modules and frameworks: ``main``, and each `.resources`, `.bundle`
  /// and `.framework` in the folders of ``module(_:package:)``, and in `Contents/Frameworks`.
  ///
  /// If the executable is in `/usr/bin`, `/usr/local/bin`, `~/.local/bin` or another folder that many programs share,
  /// only ``main`` is returned, because the bundles of modules there can belong to other programs. Name your modules
  /// with ``module(_:package:)`` instead.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel.mergedModel(from: ResourceBundle.allBundles)
  /// ```
  ///
  /// - Throws: The errors of ``init(url:languages:)`` for any of them.
  public static var allBundles: [ResourceBundle] {
    get throws(ProgramFoldersError) { try allBundles(of: .current) }
  }

  static func main(of program: ProgramLocation) throws(ProgramFoldersError) -> ResourceBundle {
    guard let path = program.main else { throw .notFound("the program", searched: []) }
    return try ResourceBundle(url: URL(filePath: path, directoryHint: .isDirectory))
  }

  static func module(
    _ target: String, package: String?, of program: ProgramLocation
  ) throws(ProgramFoldersError) -> ResourceBundle {
    let target = try ContainedPath(name: target).path
    let package: String? = if let package { try ContainedPath(name: package).path } else { nil }
    return try module(of: program, named: "\(package ?? "*")_\(target)") { name in
      if let package { return name == "\(package)_\(target)" }
      return name.hasSuffix("_" + target)
    }
  }

  init(for type: Any.Type, of program: ProgramLocation) throws(ProgramFoldersError) {
    let module = String(String(reflecting: type).prefix { $0 != "." })
    // A target's name can have characters that the name of a module cannot have; they become underscores.
    self = try Self.module(of: program, named: "*_\(module)") { name in
      let name = String(name.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" })
      return name.hasSuffix("_" + module)
    }
  }

  private static func module(
    of program: ProgramLocation, named description: String, where matches: (String) -> Bool
  ) throws(ProgramFoldersError) -> ResourceBundle {
    for folder in program.moduleFolders {
      let found = try names(in: folder).filter { name in
        moduleExtensions.contains { name.hasSuffix($0) && matches(String(name.dropLast($0.count))) }
      }
      if found.count > 1 {
        throw .invalidName(description, reason: "it could be any of " + found.joined(separator: ", "))
      }
      if let name = found.first {
        return try ResourceBundle(url: URL(filePath: FileSystem.join(folder, name), directoryHint: .isDirectory))
      }
    }
    let searched = program.moduleFolders.map { URL(filePath: $0, directoryHint: .isDirectory) }
    throw .notFound(description + ".resources", searched: searched)
  }

  static func allBundles(of program: ProgramLocation) throws(ProgramFoldersError) -> [ResourceBundle] {
    var bundles = [try main(of: program)]
    let moduleFolders = program.isInSharedFolder ? [] : program.moduleFolders
    for (folders, extensions) in [(moduleFolders, moduleExtensions), (program.frameworkFolders, [".framework"])] {
      for folder in folders {
        for name in try names(in: folder) where extensions.contains(where: name.hasSuffix) {
          let path = FileSystem.join(folder, name)
          guard FileSystem.isFolder(path), path != bundles[0].bundleURL.path else { continue }
          bundles.append(try ResourceBundle(url: URL(filePath: path, directoryHint: .isDirectory)))
        }
      }
    }
    return bundles
  }

  /// The extensions of the bundles that Swift Package Manager makes: on Linux, and on Apple's systems.
  private static let moduleExtensions = [".resources", ".bundle"]
}
