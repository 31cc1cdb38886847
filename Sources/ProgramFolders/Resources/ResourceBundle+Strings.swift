internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists
internal import SystemFiles

extension ResourceBundle {
  /// Returns the strings of a table in the preferred languages.
  ///
  /// ```swift
  /// let strings = try bundle.localizedStrings()         // Localizable.strings
  /// print(strings["title"] ?? "Notes")
  /// let names = try bundle.localizedStrings(table: "InfoPlist")
  /// ```
  ///
  /// The files of all searched folders are combined. A key that `en-GB.lproj` does not have is taken from `en.lproj`,
  /// and then from the development language. A table is a `.strings` file in any format of property lists.
  ///
  /// - Parameter table: The name of the file, without its extension.
  /// - Returns: The strings by key; empty if no folder has the table.
  /// - Throws: ``ProgramFoldersError/unreadable(_:_:)`` if a file cannot be read, or a value is not a string;
  ///   ``ProgramFoldersError/invalidName(_:reason:)`` if the name leads out of the bundle.
  /// - Complexity: O(*n*) in the size of the files, which are read each time.
  public func localizedStrings(table: String = "Localizable") throws(ProgramFoldersError) -> [String: String] {
    let file = try ContainedPath(table + ".strings").path
    var strings: [String: String] = [:]
    for folder in searchedFolders(nil, localization: nil) {
      let path = FileSystem.join(folder.path, file)
      guard FileSystem.exists(path) else { continue }
      let url = URL(filePath: path, directoryHint: .notDirectory)
      for (key, value) in try Self.dictionary(at: url) where strings[key] == nil {
        guard let text = value.string else {
          let keyPath = PropertyListKeyPath([.key(key)])
          throw .unreadable(url, PropertyListError(.wrongKind, "the value is not a string", keyPath: keyPath))
        }
        strings[key] = text
      }
    }
    return strings
  }

  /// Returns one string of a table. Use ``localizedStrings(table:)`` to read many.
  ///
  /// ```swift
  /// print(try bundle.localizedString(forKey: "title", value: "Notes"))
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the string.
  ///   - value: The text for a key that is missing; nil for the key itself.
  ///   - table: The name of the file, without its extension.
  /// - Throws: The errors of ``localizedStrings(table:)``.
  public func localizedString(
    forKey key: String, value: String? = nil, table: String = "Localizable"
  ) throws(ProgramFoldersError) -> String {
    try localizedStrings(table: table)[key] ?? value ?? key
  }

  /// Reads a property list that is a dictionary.
  static func dictionary(at url: URL) throws(ProgramFoldersError) -> OrderedDictionary<String, PropertyList> {
    do throws(PropertyListError) {
      guard let dictionary = try PropertyList(contentsOf: url).dictionary else {
        throw PropertyListError(.wrongKind, "expected a dictionary")
      }
      return dictionary
    } catch {
      throw .unreadable(url, error)
    }
  }
}
