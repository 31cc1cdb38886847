internal import KeyedArchiving
internal import PropertyLists

/// The groups of an archive's objects: one for each class, and one for each kind of object without a class.
struct ArchiveGroups {
  /// The groups. The first one is for the top level of the archive (`$top`).
  private(set) var groups = [PageHead.Group("top level")]
  private var numbers: [Name: Int] = [:]

  private enum Name: Hashable {
    /// A class, by the UID of its description in the archive.
    case described(UInt32)
    case kind(String)
  }

  /// For each group: the keys that its Foundation class uses to encode an object; nil if its class is not one of
  /// Foundation's.
  private(set) var layouts: [FoundationLayout?] = [nil]

  /// The greatest number of superclass names that are read for a class.
  private static var greatestAncestorCount: Int { 64 }

  /// Returns the index of an object's group in ``groups``; -1 for a null object. Adds the group if it is missing.
  mutating func group(
    of object: KeyedArchive.Object, in archive: KeyedArchive, _ values: inout NodeValues
  ) throws(PropertyListError) -> Int32 {
    guard let node = try? object.node else { return number(.kind("unreadable"), isValue: false) }
    switch node.kind {
    case .string: return object.kind == .null ? -1 : number(.kind("string"), isValue: true)
    case .null: return -1
    case .uid: return number(.kind("reference"), isValue: false)
    case .array: return number(.kind("array"), isValue: false)
    case .integer, .real, .boolean, .date, .data: return number(.kind(node.kind.rawValue), isValue: true)
    case .dictionary:
      try values.spend(node.count)
      if let uid = (try? node.value(forKey: "$class"))?.uid?.value {
        return try number(ofClass: uid, in: archive, &values)
      }
      let isClass = (try? node.value(forKey: "$classname")) != nil
      return number(.kind(isClass ? "class description" : "dictionary"), isValue: false)
    }
  }

  private mutating func number(_ name: Name, isValue: Bool) -> Int32 {
    if let number = numbers[name] { return Int32(number) }
    guard case .kind(let text) = name else { return -1 }
    var group = PageHead.Group(text)
    group.isValue = isValue
    group.isKind = true
    return add(group, name, nil)
  }

  private mutating func add(_ group: PageHead.Group, _ name: Name, _ layout: FoundationLayout?) -> Int32 {
    numbers[name] = groups.count
    groups.append(group)
    layouts.append(layout)
    return Int32(groups.count - 1)
  }

  private mutating func number(
    ofClass uid: UInt32, in archive: KeyedArchive, _ values: inout NodeValues
  ) throws(PropertyListError) -> Int32 {
    if let number = numbers[.described(uid)] { return Int32(number) }
    guard uid < archive.objects.count, let node = try? archive.objects[PropertyList.UID(uid)].node,
      let name = try? node.value(forKey: "$classname")?.string
    else { return number(.kind("no class"), isValue: false) }
    try values.spend(node.count + name.utf8.count)
    var group = PageHead.Group(name)
    if let ancestors = try? node.value(forKey: "$classes") {
      for position in 0..<min(ancestors.count, Self.greatestAncestorCount) {
        guard let ancestor = try? ancestors.child(at: position).string else { break }
        try values.spend(ancestor.utf8.count)
        if ancestor != name { group.ancestors.append(ancestor) }
      }
    }
    let layout = FoundationLayout(className: name)
    group.isValue = layout.map { !$0.isCollection } ?? false
    return add(group, .described(uid), layout)
  }
}
