internal import FoundationEssentials
@_spi(Archives) internal import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Checks the contents of objects of Foundation's classes.
extension ArchiveChecker {
  /// Reports the defect in the contents of an object of a Foundation class, if it has one.
  mutating func checkContents(
    of node: FlatNode, _ uid: UInt32, _ keys: [String], className: String, _ layout: FoundationLayout
  ) throws(KeyedArchiveError) {
    do {
      if let finding = try finding(in: node, keys, layout) {
        try report(.invalidContents, "an \(className.printable(limit: 80)) \(finding)", uid: uid)
      }
    } catch {
      // `look(into:uid:keys:)` reports values that cannot be read.
      try reader.tolerate(error)
    }
  }

  /// Returns a description of an object's defect; nil if it has no defect. In messages, the description follows the
  /// name of the class.
  private mutating func finding(
    in node: FlatNode, _ keys: [String], _ layout: FoundationLayout
  ) throws(KeyedArchiveError) -> String? {
    let contents = Contents(node: node, keys: keys)
    switch layout.form {
    case .array, .set:
      return try contents.field("NS.objects", &reader)?.kind == .array ? nil : "has no array NS.objects"
    case .dictionary:
      guard let keys = try contents.field("NS.keys", &reader), keys.kind == .array else {
        return "has no array NS.keys"
      }
      guard let values = try contents.field("NS.objects", &reader), values.kind == .array else {
        return "has no array NS.objects"
      }
      return keys.count == values.count ? nil : "has \(keys.count) keys, but \(values.count) values"
    case .string:
      if let text = try contents.field("NS.string", &reader) {
        return try isText(text) ? nil : "has an NS.string that is not a string"
      }
      // Coders that are not keyed archivers write `NS.bytes` instead.
      return try contents.field("NS.bytes", &reader)?.kind == .data ? nil : "has no string NS.string"
    case .date:
      guard let time = try contents.field("NS.time", &reader) else { return "has no NS.time" }
      return time.kind == .real || time.kind == .float ? nil : "has \(time.kindName) as NS.time, not a real"
    case .uuid:
      guard let bytes = try contents.field("NS.uuidbytes", &reader) else { return "has no NS.uuidbytes" }
      guard bytes.kind == .data else { return "has \(bytes.kindName) as NS.uuidbytes, not data" }
      let count = try reader.data(of: bytes).count
      return count == 16 ? nil : "has \(count) bytes, not 16"
    case .url:
      guard let text = try contents.field("NS.relative", &reader) else { return "has no NS.relative" }
      return try isText(text) ? nil : "has an NS.relative that is not a string"
    case .data: return nil
    }
  }

  private struct Contents {
    let node: FlatNode
    let keys: [String]

    func field(_ key: String, _ reader: inout ArchiveReader) throws(KeyedArchiveError) -> FlatNode? {
      guard let position = keys.firstIndex(of: key) else { return nil }
      return try reader.value(ofEntry: position, of: node)
    }
  }

  /// Returns true if a value is a string, or a reference to a string.
  private mutating func isText(_ node: FlatNode) throws(KeyedArchiveError) -> Bool {
    guard node.kind == .uid else { return node.kind == .string }
    guard node.uid < roles.count else { return false }
    switch roles[Int(node.uid)] {
    case .native: return try reader.object(node.uid).kind == .string
    case .instance: return classInfo(of: node.uid)?.layout?.form == .string
    case .null, .classDescription, .dictionary, .invalid, .unreadable: return false
    }
  }

  /// Reports the defects of a class description, and returns the name of the class.
  mutating func checkClassDescription(_ uid: UInt32) throws(KeyedArchiveError) -> String? {
    let node = try reader.object(uid)
    var name: String?
    var classes: [String]?
    for entry in 0..<node.count {
      do {
        let key = try reader.key(ofEntry: entry, of: node)
        guard ["$classname", "$classes", "$classhints"].contains(key) else { continue }
        let value = try reader.value(ofEntry: entry, of: node)
        switch key {
        case "$classname" where value.kind == .string: name = try reader.text(of: value)
        case "$classes":
          classes = try names(in: value)
          if classes == nil { try reportNames(key, uid) }
        case "$classhints": if try names(in: value) == nil { try reportNames(key, uid) }
        default: break
        }
      } catch {
        // `look(into:uid:keys:)` reports values that cannot be read.
        try reader.tolerate(error)
      }
    }
    guard let name else {
      try report(.classDescription, "the class description has no string $classname", uid: uid)
      return nil
    }
    // Even if a class was renamed when it was archived, its `$classes` contain its new name, or are missing. If they
    // contain only other names, that is a defect.
    if let classes, !classes.contains(name) {
      try report(.classDescription, "the class \(name.quoted) is missing from its $classes", uid: uid)
    }
    return name
  }

  private mutating func reportNames(_ key: String, _ uid: UInt32) throws(KeyedArchiveError) {
    try report(.classDescription, "the \(key) of the class description is not an array of strings", uid: uid)
  }

  private mutating func names(in node: FlatNode) throws(KeyedArchiveError) -> [String]? {
    guard node.kind == .array else { return nil }
    var names: [String] = []
    for position in 0..<node.count {
      let name = try reader.element(position, of: node)
      guard name.kind == .string else { return nil }
      names.append(try reader.text(of: name))
    }
    return names
  }
}
