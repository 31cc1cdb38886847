/// Where what is made of a file goes.
enum OutputTarget: Hashable, Sendable {
  case standardOutput
  case file(String)
}

extension String {
  /// A path without the extension of its last component. What begins with a dot is a name.
  var withoutPathExtension: String {
    let nameStart = lastIndex(of: "/").map(index(after:)) ?? startIndex
    guard let dot = self[nameStart...].lastIndex(of: "."), dot != nameStart else { return self }
    return String(self[..<dot])
  }
}
