import Foundation
import TestSupport

/// A temporary folder that is filled with files.
struct ResourceFolder {
  let folder = TemporaryFolder()

  var url: URL { folder.url }

  func path(_ name: String) -> String { folder.path(name) }

  /// Creates files with their paths as contents, and folders for paths that end with a slash.
  func add(_ paths: String...) throws {
    for path in paths { try write(path, path) }
  }

  /// Creates a file, or a folder for a path that ends with a slash.
  func write(_ path: String, _ text: String) throws {
    let file = folder.url.appending(path: path)
    let isFolder = path.hasSuffix("/")
    try FileManager.default.createDirectory(
      at: isFolder ? file : file.deletingLastPathComponent(), withIntermediateDirectories: true)
    if !isFolder { try Data(text.utf8).write(to: file) }
  }

  /// Creates an `Info.plist` with an identifier.
  func addInformation(_ path: String, _ identifier: String, region: String = "en") throws {
    try write(
      path,
      "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>\(identifier)</string>"
        + "<key>CFBundleDevelopmentRegion</key><string>\(region)</string></dict></plist>")
  }
}
