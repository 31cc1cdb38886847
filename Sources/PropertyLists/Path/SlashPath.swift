/// A path spelled as libplist spells it, `items/0/name`: its parts are keys or indices, as the value they meet decides.
public struct SlashPath: Hashable, Sendable {
  /// What stands between the slashes, without escapes.
  public var parts: [String]

  /// Empty parts are skipped, so `/`, `//a` and `a/` are fine; `\/` is a slash and `\\` a backslash inside a part.
  public init(_ text: String) {
    parts = []
    var part = ""
    var escaped = false
    for character in text.unicodeScalars {
      if escaped {
        part.unicodeScalars.append(character)
        escaped = false
      } else if character == "\\" {
        escaped = true
      } else if character == "/" {
        if !part.isEmpty { parts.append(part) }
        part = ""
      } else {
        part.unicodeScalars.append(character)
      }
    }
    if escaped { part += "\\" }
    if !part.isEmpty { parts.append(part) }
  }
}

extension PropertyListDocument.Node {
  /// The node that a path leads to.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` where the path leaves the document.
  /// - Complexity: O(*k*) in the number of children of the containers on the way.
  public func descendant(at path: SlashPath) throws(PropertyListError) -> PropertyListDocument.Node {
    var node = self
    var walked = PropertyListKeyPath()
    for part in path.parts {
      switch node.kind {
      case .dictionary:
        guard let next = try node.value(forKey: part) else {
          throw PropertyListError(.noSuchValue, "no key \(part.quoted)", keyPath: walked)
        }
        node = next
        walked.components.append(.key(part))
      case .array:
        guard part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let index = Int(part),
          index < node.count
        else {
          throw PropertyListError(
            .noSuchValue, "\(part.quoted) is no index of an array of \(node.count)", keyPath: walked)
        }
        node = try node.child(at: index)
        walked.components.append(.index(index))
      default:
        throw PropertyListError(
          .noSuchValue, "\(part.quoted) below a value of kind \(node.kind.rawValue)", keyPath: walked)
      }
    }
    return node
  }
}
