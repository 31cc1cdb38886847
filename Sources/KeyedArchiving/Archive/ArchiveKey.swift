@_spi(Archives) internal import PropertyLists

/// The keys of objects as they stand in a file: one that begins with a dollar has one more dollar in front, because
/// those with one are the archiver's own.
package enum ArchiveKey {
  package static var dollar: UInt8 { UInt8(ascii: "$") }

  /// The key in a file, for one that a user chose.
  @inline(__always)
  package static func escaped(_ key: String) -> String { key.utf8.first == dollar ? "$" + key : key }

  /// The key that a user chose, for one in a file.
  package static func unescaped(_ key: String) -> String {
    // By bytes, because a mark behind a dollar is one character with it.
    key.utf8.starts(with: "$$".utf8) ? String(key.unicodeScalars.dropFirst()) : key
  }

  /// The keys that users chose, of all keys in a file.
  static func userKeys(_ keys: [String]) -> [String] {
    guard keys.contains(where: { $0.utf8.first == dollar }) else { return keys }
    let escaped = Set(keys.lazy.filter { $0.utf8.starts(with: "$$".utf8) })
    return keys.compactMap { key in
      guard key.utf8.first == dollar, !escaped.contains(key) else { return unescaped(key) }
      return isArchivers(key) || escaped.contains("$" + key) ? nil : key
    }
  }

  /// True for the keys that archivers use themselves: `$class`, and `$0`, `$1` and so on.
  static func isArchivers(_ key: String) -> Bool { key == "$class" || isNumber(key) }

  /// True for `$0`, `$1` and so on, which stand for values without a key.
  package static func isNumber(_ key: String) -> Bool {
    key.utf8.first == dollar && key.utf8.count > 1 && key.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }
}
