internal import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists
internal import SystemFiles

/// The stored form of URLs: a file URL is stored as its path with `~` for the home folder, and any other URL as an
/// archived `NSURL` (Apple's documentation of `UserDefaults.set(_:forKey:)` for URLs).
enum StoredURL {
  static func url(_ stored: PropertyList) -> URL? {
    switch stored {
    case .string(let text): url(text)
    case .data(let archive): try? KeyedUnarchiver.unarchivedObject(of: URL.self, from: archive)
    default: nil
    }
  }

  private static func url(_ text: String) -> URL? {
    if text.isEmpty { return nil }
    if isAbsolute(text) { return URL(string: text) }
    return URL(filePath: FileSystem.expandingTilde(in: text, home: CurrentProcess.homeFolder))
  }

  /// Returns true if text is a URL and not a path: it begins with a scheme (RFC 3986, section 3.1) and `//`, or with
  /// `file:`.
  private static func isAbsolute(_ text: String) -> Bool {
    if text.hasPrefix("file:") { return true }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else { return false }
    let scheme = text[..<colon].unicodeScalars
    return scheme.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
    }
      && scheme.first?.properties.isAlphabetic == true
  }

  static func stored(_ url: URL, home: String? = CurrentProcess.homeFolder) throws -> PropertyList {
    guard url.isFileURL else { return .data(try KeyedArchiver.archivedData(withRootObject: url)) }
    return .string(FileSystem.abbreviatingWithTilde(url.absoluteURL.path, home: home))
  }
}
