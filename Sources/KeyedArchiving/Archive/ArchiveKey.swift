@_spi(Archives) internal import PropertyLists

/// Converts between the keys that types encode and the keys in a file. A type's key that begins with `$` gets a second
/// `$` in the file, because keys with one `$`, such as `$class`, are the archiver's own.
package enum ArchiveKey {
  package static var dollar: UInt8 { UInt8(ascii: "$") }

  /// Returns the key in the file for a type's key.
  @inline(__always)
  package static func escaped(_ key: String) -> String { key.utf8.first == dollar ? "$" + key : key }

  /// Returns the type's key for a key in the file.
  package static func unescaped(_ key: String) -> String {
    // Compares bytes, because a combining mark after the `$` forms one character with it.
    key.utf8.starts(with: "$$".utf8) ? String(key.unicodeScalars.dropFirst()) : key
  }

  /// Returns the types' keys for the keys of a dictionary in a file. The archiver's own keys are left out.
  static func userKeys(_ keys: [String]) -> [String] {
    guard keys.contains(where: { $0.utf8.first == dollar }) else { return keys }
    let escaped = Set(keys.lazy.filter { $0.utf8.starts(with: "$$".utf8) })
    return keys.compactMap { key in
      guard key.utf8.first == dollar, !escaped.contains(key) else { return unescaped(key) }
      return isArchivers(key) || escaped.contains("$" + key) ? nil : key
    }
  }

  /// Returns true for the archiver's own keys: `$class`, `$0`, `$1` and so on.
  static func isArchivers(_ key: String) -> Bool { key == "$class" || isNumber(key) }

  /// Returns true for `$0`, `$1` and so on, which are the keys of values that were encoded without a key.
  package static func isNumber(_ key: String) -> Bool {
    key.utf8.first == dollar && key.utf8.count > 1 && key.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }
}
