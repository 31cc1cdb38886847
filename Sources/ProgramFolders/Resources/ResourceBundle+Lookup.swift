public import FoundationEssentials
internal import SystemFiles

extension ResourceBundle {
  /// Returns the location of a resource, which can be a file or a folder.
  ///
  /// ```swift
  /// let welcome = try bundle.url(forResource: "Welcome", withExtension: "txt")
  /// let icon = try bundle.url(forResource: "note", withExtension: "png", subdirectory: "Icons")
  /// let german = try bundle.url(forResource: "Help", withExtension: "html", localization: "de")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name, with the extension if `fileExtension` is nil.
  ///   - fileExtension: The extension, without the period.
  ///   - subdirectory: The path of a folder in the folder with the resources and in those of languages; nil for these
  ///     folders themselves.
  ///   - localization: The only language to search in addition to the resources without a language; nil for the
  ///     ``preferredLocalizations``.
  /// - Throws: ``ProgramFoldersError/notFound(_:searched:)`` with the folders in the order of the search;
  ///   ``ProgramFoldersError/invalidName(_:reason:)`` if a name leads out of the bundle.
  /// - Complexity: O(*n*) in the number of folders that are searched.
  public func url(
    forResource name: String, withExtension fileExtension: String? = nil, subdirectory: String? = nil,
    localization: String? = nil
  ) throws(ProgramFoldersError) -> URL {
    let file = try ContainedPath(fileExtension.map { "\(name).\($0)" } ?? name).path
    let folders = try searchedFolders(in: subdirectory, localization)
    for folder in folders {
      let path = FileSystem.join(folder.path, file)
      if FileSystem.exists(path) { return URL(filePath: path) }
    }
    throw .notFound(file, searched: folders)
  }

  /// Returns the locations of all resources of a type, sorted by name.
  ///
  /// ```swift
  /// for picture in try bundle.urls(forResourcesWithExtension: "png", subdirectory: "Icons") { print(picture.path) }
  /// ```
  ///
  /// If several resources have the same name, it returns the one that
  /// ``url(forResource:withExtension:subdirectory:localization:)`` finds. Folders for languages are not returned.
  ///
  /// - Parameters:
  ///   - fileExtension: The extension, without the period; nil for all resources.
  ///   - subdirectory: As for ``url(forResource:withExtension:subdirectory:localization:)``.
  ///   - localization: As for ``url(forResource:withExtension:subdirectory:localization:)``.
  /// - Throws: ``ProgramFoldersError/system(_:errno:reason:)`` if an existing folder cannot be listed,
  ///   ``ProgramFoldersError/invalidName(_:reason:)`` if the folder leads out of the bundle.
  /// - Complexity: O(*n* log *n*) in the number of files in the folders.
  public func urls(
    forResourcesWithExtension fileExtension: String?, subdirectory: String? = nil, localization: String? = nil
  ) throws(ProgramFoldersError) -> [URL] {
    var paths: [String: String] = [:]
    for folder in try searchedFolders(in: subdirectory, localization) {
      for name in try Self.names(in: folder.path) where Self.matches(name, fileExtension) && paths[name] == nil {
        paths[name] = FileSystem.join(folder.path, name)
      }
    }
    return paths.sorted { $0.key < $1.key }.map { URL(filePath: $0.value) }
  }

  private static func matches(_ name: String, _ fileExtension: String?) -> Bool {
    guard let fileExtension else { return !name.hasSuffix(".lproj") }
    let suffix = "." + fileExtension
    return name.hasSuffix(suffix) && name != suffix
  }

  private func searchedFolders(
    in subdirectory: String?, _ localization: String?
  ) throws(ProgramFoldersError) -> [URL] {
    let path: String? = if let subdirectory { try ContainedPath(subdirectory).path } else { nil }
    let name: String? = if let localization { try ContainedPath(name: localization).path } else { nil }
    return searchedFolders(path, localization: name)
  }
}
