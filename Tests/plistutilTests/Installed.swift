import Foundation

/// A program that tests use if it is installed.
enum Installed {
  static func url(_ name: String) -> URL? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { URL(filePath: "\($0)/\(name)") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }

  static func has(_ names: String...) -> Bool { names.allSatisfy { url($0) != nil } }
}
