internal import FoundationEssentials
internal import SystemFiles

/// The file `user-dirs.dirs`, which contains the paths of the user's folders. Their names are in the user's language.
///
/// The program xdg-user-dirs writes the file. Its lines are `XDG_DOCUMENTS_DIR="$HOME/Dokumente"`, or have an absolute
/// path. Other lines are ignored, and the last line for a folder counts (xdg-user-dir-lookup.c).
struct UserDirectories {
  private let text: String

  init(text: String) { self.text = text }

  /// Reads the file in the user's folder for preferences. A missing file is treated as empty.
  ///
  /// - Throws: ``ProgramFoldersError/system(_:errno:reason:)`` if the file cannot be read, or is larger than a
  ///   mebibyte.
  init(inPreferences folder: String) throws(ProgramFoldersError) {
    let path = FileSystem.join(folder, "user-dirs.dirs")
    do {
      let data = try FileSystem.readRegularFile(path, limit: 1 << 20)?.data
      text = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    } catch {
      throw ProgramFoldersError(error, at: URL(filePath: path, directoryHint: .notDirectory))
    }
  }

  /// Returns the path of a folder, such as `DOCUMENTS`; nil if the file does not specify it.
  func folder(_ name: String, home: String?) -> String? {
    var folder: String?
    for line in text.split(separator: "\n") {
      if let value = Self.value(of: "XDG_\(name)_DIR", in: line), let path = Self.path(value, home: home) {
        folder = path
      }
    }
    return folder
  }

  /// Returns the text in quotation marks, without escapes; nil for any other line.
  private static func value(of variable: String, in line: Substring) -> String? {
    var rest = line.drop(while: isBlank)
    guard rest.hasPrefix(variable) else { return nil }
    rest = rest.dropFirst(variable.count).drop(while: isBlank)
    guard rest.popFirst() == "=" else { return nil }
    rest = rest.drop(while: isBlank)
    guard rest.popFirst() == "\"" else { return nil }
    var value = ""
    while let character = rest.popFirst() {
      if character == "\"" { return value }
      if character == "\\" {
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      } else {
        value.append(character)
      }
    }
    return nil
  }

  private static func path(_ value: String, home: String?) -> String? {
    let variable = "$HOME"
    guard value.hasPrefix(variable) else { return FileSystem.absoluteFolder(value) }
    let rest = value.dropFirst(variable.count)
    guard let home, rest.isEmpty || rest.hasPrefix("/") else { return nil }
    return FileSystem.absoluteFolder(home == "/" && !rest.isEmpty ? String(rest) : home + rest)
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
