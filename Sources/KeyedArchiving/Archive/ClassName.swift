enum ClassName {
  /// `Module.Type` for a type, without the parts that are other ones in each build.
  static func `default`(of type: Any.Type) -> String {
    var name = ""
    var rest = Substring(String(reflecting: type))
    // "(unknown context at $7f3c2a10)." stands for each private or local context.
    while let start = rest.firstIndex(of: "("), rest[start...].hasPrefix("(unknown context at "),
      let end = rest[start...].firstIndex(of: ")")
    {
      name += rest[..<start]
      rest = rest[rest.index(after: end)...]
      if rest.first == "." { rest = rest.dropFirst() }
    }
    return normalized(name + rest)
  }

  /// The class that a class inherits from; nil for others.
  static func superclass(of type: Any.Type) -> AnyClass? { (type as? AnyClass).flatMap { _getSuperclass($0) } }

  /// One spelling for all names of the same class: `_TtC6Module5Class`, which Objective-C's runtime knows a Swift class
  /// by, is `Module.Class`. Nested and private types likewise; other names are left as they are.
  static func normalized(_ name: String) -> String {
    guard name.utf8.starts(with: "_Tt".utf8) else {
      // How reflection on Linux calls Foundation's own classes.
      for prefix in ["Foundation.NS", "__C.NS"] where name.hasPrefix(prefix) {
        return "NS" + name.dropFirst(prefix.utf8.count)
      }
      return name
    }
    return demangled(name) ?? name
  }

  /// A name mangled as Swift did before version 4: `_Tt`, a letter for the kind of each type from the innermost on (`C`
  /// class, `V` structure, `O` enumeration), then the module and the types from the outermost on, each with its length
  /// in front; `P` and the discriminator stand before the name of a private type.
  private static func demangled(_ name: String) -> String? {
    var rest = Substring(name).dropFirst(3)
    var typeCount = 0
    while let letter = rest.first, "CVO".contains(letter) {
      typeCount += 1
      rest = rest.dropFirst()
    }
    guard typeCount > 0 else { return nil }
    var parts: [Substring] = []
    if rest.first == "s" {
      parts.append("Swift")
      rest = rest.dropFirst()
    }
    while !rest.isEmpty {
      if rest.first == "P" {
        rest = rest.dropFirst()
        guard part(&rest) != nil else { return nil }
      }
      guard let part = part(&rest) else { return nil }
      parts.append(part)
    }
    return parts.count == typeCount + 1 ? parts.joined(separator: ".") : nil
  }

  private static func part(_ rest: inout Substring) -> Substring? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let length = Int(digits), length > 0 else { return nil }
    rest = rest.dropFirst(digits.count)
    guard rest.utf8.count >= length else { return nil }
    let end = rest.utf8.index(rest.startIndex, offsetBy: length)
    defer { rest = rest[end...] }
    return rest[..<end]
  }
}
