enum ClassName {
  /// Returns the name of a type as `Module.Type`, without the parts that differ from build to build.
  static func `default`(of type: Any.Type) -> String {
    var name = ""
    var rest = Substring(String(reflecting: type))
    // Reflection prints "(unknown context at $7f3c2a10)." for each private or local context.
    while let start = rest.firstIndex(of: "("), rest[start...].hasPrefix("(unknown context at "),
      let end = rest[start...].firstIndex(of: ")")
    {
      name += rest[..<start]
      rest = rest[rest.index(after: end)...]
      if rest.first == "." { rest = rest.dropFirst() }
    }
    return normalized(name + rest)
  }

  /// Returns the superclass of a class, or nil for other types.
  static func superclass(of type: Any.Type) -> AnyClass? { (type as? AnyClass).flatMap { _getSuperclass($0) } }

  /// Returns a class name in one spelling, so that different names of the same class are equal. The Objective-C
  /// runtime's name of a Swift class, `_TtC6Module5Class`, becomes `Module.Class`, also for nested and private types.
  /// `Foundation.NSArray` becomes `NSArray`. Other names are returned unchanged.
  static func normalized(_ name: String) -> String {
    guard name.utf8.starts(with: "_Tt".utf8) else {
      // Reflection on Linux prints Foundation's own classes with these prefixes.
      for prefix in ["Foundation.NS", "__C.NS"] where name.hasPrefix(prefix) {
        return "NS" + name.dropFirst(prefix.utf8.count)
      }
      return name
    }
    return demangled(name) ?? name
  }

  /// Returns `Module.Class` for a name that is mangled in the form from before Swift 4, or nil for another form. After
  /// `_Tt` comes a letter for the kind of each type, innermost first (`C` class, `V` structure, `O` enumeration). The
  /// module and the types follow, outermost first, each after its length. The name of a private type follows a `P` and
  /// a discriminator.
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
