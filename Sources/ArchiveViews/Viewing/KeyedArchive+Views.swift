public import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

extension KeyedArchive {
  /// The archive as people read it, from each top-level key down.
  ///
  /// ```
  /// root: Company
  ///   name: "Analytical Engines"
  ///   staff: [
  ///     #4 Person
  ///       name: "Ada"
  ///       born: 1815-12-10 00:00:00 +0000
  ///     Person
  ///       name: "Charles"
  ///       colleague: → #4
  ///   ]
  /// ```
  ///
  /// | in the archive | in the tree |
  /// |---|---|
  /// | an object | its class, and its fields below it |
  /// | `NSArray`, `NSDictionary` | `[…]` with the elements, `{…}` with keys and values |
  /// | `NSSet`, `NSMutableArray` and the other collections of this kind | the same, with the class in front |
  /// | `NSString`, `NSData`, `NSDate` | the value: `"text"`, `<0001 …>`, `2001-01-01 00:00:00 +0000` |
  /// | `NSMutableString`, `NSMutableData`, `NSUUID`, `NSURL` | the class and the value |
  /// | no object | `nil` |
  /// | an object that several references lead to | `#7` in front of it, and `→ #7` everywhere else |
  /// | an object at more than 64 levels | `→ #7`, and behind the top-level keys `#7` with the object |
  /// | what cannot be read | `<unreadable: …>` |
  /// | objects that no top-level key leads to | at the end, below a line that says so |
  ///
  /// Strings and data of up to 64 bytes, numbers and dates are repeated where several references lead to them. Nothing
  /// is left out, but of class descriptions there is the name only. Nothing in the text ends a line or gives a terminal
  /// commands.
  ///
  /// - Parameters:
  ///   - object: shows this object and what it leads to, and nothing else.
  ///   - path: shows what stands there, from the top of the archive or from `object` on. A step is a key of an object,
  ///     or the index or key of an element of one of Foundation's collections, `root.staff.0.name`. What the keys of an
  ///     object are in the archive, `NS.objects`, is understood too.
  ///   - depth: how many levels are shown below the first; what would be deeper is a `…` behind the class, and how many
  ///     elements there are. Nil for all.
  /// - Returns: lines, without an end of the last.
  /// - Throws: `KeyedArchiveError.Kind.limitExceeded` where objects of a binary file overlap, or expand too far;
  ///   `KeyedArchiveError.Kind.valueNotFound` where the path leads nowhere.
  /// - Complexity: O(*n*) in the size of the archive. Depth costs no stack.
  public func tree(
    of object: PropertyList.UID? = nil, at path: PropertyListKeyPath = PropertyListKeyPath(), depth: Int? = nil
  ) throws(KeyedArchiveError) -> String {
    var writer = try ArchiveTreeWriter(self, depth: depth)
    if object == nil, path.components.isEmpty {
      try writer.writeArchive()
    } else {
      try writer.writePart(node(at: path, of: object).flat, object: path.components.isEmpty ? object : nil)
    }
    return writer.text
  }

  /// The archive as JSON, for programs that know nothing of keyed archives. Nothing in it needs a class to be read, and
  /// nothing is lost.
  ///
  /// ```json
  /// {
  ///   "$archiver": "NSKeyedArchiver",
  ///   "$version": 100000,
  ///   "$top": {
  ///     "root": {
  ///       "$class": "Person",
  ///       "$uid": 1,
  ///       "name": "Ada",
  ///       "friends": {
  ///         "$class": "NSArray",
  ///         "NS.objects": [
  ///           {"$ref": 1}
  ///         ]
  ///       }
  ///     }
  ///   },
  ///   "$classes": [
  ///     {"$uid": 4, "$classname": "Person", "$classes": ["Person", "NSObject"]},
  ///     {"$uid": 5, "$classname": "NSArray", "$classes": ["NSArray", "NSObject"]}
  ///   ]
  /// }
  /// ```
  ///
  /// | in the archive | in the JSON |
  /// |---|---|
  /// | string, truth value | the same |
  /// | integer | a number without point or exponent, exact from -2^63 to 2^64 - 1 |
  /// | 8-byte real | a number with a point or an exponent, `2.0` |
  /// | 4-byte real | `{"$float": 0.1}` |
  /// | a real that is not finite | `{"$real": "inf"}`, `"-inf"`, `"nan"`, `"nan(0x1)"` with its payload; `$float` likewise |
  /// | data | `{"$data": "base64"}` |
  /// | date | `{"$date": "2001-01-01T00:00:01.5Z", "$seconds": 1.5}`: ISO 8601, null where it has none, and the exact seconds since 2001 |
  /// | no object | `null` |
  /// | array | array |
  /// | dictionary that is no object | object; keys that begin with `$` get one more in front |
  /// | instance | `{"$class": "Name", …}` with its fields |
  /// | instance of `NSDate` | the same, and `"$date"` beside `"NS.time"` |
  /// | object that several references lead to | the first time with `"$uid": 7`, later `{"$ref": 7}` |
  /// | the same of a string or data over 64 bytes | the first time `{"$uid": 7, "$object": "text"}`; shorter ones are repeated |
  /// | array, UID or dictionary without class where an object is due | `{"$object": …}`, with `$uid` if there are more references |
  /// | reference beyond the object table | `{"$dangling": 99}` |
  /// | reference to a class description | `{"$ref": 4}` |
  /// | instance whose `$class` is no class description | `$invalidclass` with what it is, instead of `$class` |
  /// | instance of one of two classes of the same name | `$classuid` beside `$class` |
  ///
  /// Keys that were encoded with a `$` in front have two, and `$0`, `$1`, … were encoded without a key, both as in the
  /// archive. A key with one `$` that no archiver writes gets a point behind it, `$.ref`, so that it is taken for
  /// nothing of the above.
  ///
  /// At the top there are, beside the parts of the archive and other keys of the property list:
  ///
  /// | key | what |
  /// |---|---|
  /// | `$classes` | all class descriptions, with `$uid` |
  /// | `$deep` | objects that would have been nested more than 64 levels deep, with `$uid`; elsewhere they are `$ref` |
  /// | `$unreachable` | objects that no top-level key leads to, with `$uid` |
  ///
  /// - Parameter isIndented: whether each value gets a line; if not, all is one line without white space.
  /// - Returns: UTF-8 (RFC 8259). Control characters are escaped.
  /// - Throws: `KeyedArchiveError` for what cannot be read, a key that stands twice, values nested too deeply;
  ///   `KeyedArchiveError.Kind.limitExceeded` where objects of a binary file overlap, or expand too far.
  /// - Complexity: O(*n*) in the size of the archive. Depth costs no stack.
  public func jsonData(isIndented: Bool = true) throws(KeyedArchiveError) -> Data {
    var writer = try ArchiveFormWriter(self, to: ArchiveJSONOutput(isIndented: isIndented))
    try writer.writeArchive()
    return writer.takeOutput().finish()
  }

  /// A reference from an object, or from the top of an archive, to an object.
  public struct Reference: Hashable, Sendable {
    /// The object that refers; nil for the top of the archive.
    public let source: PropertyList.UID?
    /// Where in that object: `friends`, or `NS.objects[3]`.
    public let path: PropertyListKeyPath
    /// The object that is referred to. In an archive damaged it may lie beyond the object table.
    public let target: PropertyList.UID
  }

  /// All references of an archive: those of its top, then those of each object in the order of the object table, also
  /// of objects that nothing leads to. Circles are what they are.
  ///
  /// References to classes, and those that stand for no object, are left out.
  ///
  /// - Throws: `KeyedArchiveError` for what cannot be read; `KeyedArchiveError.Kind.limitExceeded` where objects of
  ///   a binary file overlap.
  /// - Complexity: O(*n*) in the size of the archive.
  public func references() throws(KeyedArchiveError) -> [Reference] { try references { _ in true } }

  /// The references to one object.
  ///
  /// - Throws: as ``references()``.
  /// - Complexity: O(*n*) in the size of the archive, since references are stored with the object that refers.
  public func references(to target: PropertyList.UID) throws(KeyedArchiveError) -> [Reference] {
    try references { $0 == target.value }
  }

  private func references(_ isWanted: (UInt32) -> Bool) throws(KeyedArchiveError) -> [Reference] {
    var reader = ArchiveReader(forAllOf: self)
    var references: [Reference] = []
    try append(from: nil, ReferenceWalk(topNode.flat, classPosition: nil), &reader, isWanted, to: &references)
    for uid in objects.startIndex.value..<objects.endIndex.value {
      do {
        guard let walk = try ReferenceWalk(of: uid, &reader) else { continue }
        try append(from: PropertyList.UID(uid), walk, &reader, isWanted, to: &references)
      } catch {
        throw error.at(PropertyList.UID(uid))
      }
    }
    return references
  }

  private func append(
    from source: PropertyList.UID?, _ walk: consuming ReferenceWalk, _ reader: inout ArchiveReader,
    _ isWanted: (UInt32) -> Bool, to references: inout [Reference]
  ) throws(KeyedArchiveError) {
    do {
      while let target = try walk.next(&reader) {
        guard isWanted(target) else { continue }
        if target < objectsNode.count, document.isNullObject(try reader.object(target)) { continue }
        // What a reference takes in memory, as against a byte or a few in the file.
        try reader.spend(16 + 4 * walk.depth)
        references.append(Reference(source: source, path: try walk.path(&reader), target: PropertyList.UID(target)))
      }
    } catch {
      var error = error
      // The path of an error begins at the top.
      if source == nil { error.path = try? walk.path(&reader) }
      throw error
    }
  }
}

extension KeyedArchive.Reference: CustomStringConvertible {
  /// `#4 NS.objects[3] → #9`; `root → #1` for the top of the archive.
  public var description: String {
    let location = KeyedArchiveError.spelled(path).printable(limit: 300)
    return (source.map { "#\($0.value) " } ?? "") + location + " → #\(target.value)"
  }
}

extension KeyedArchive {
  /// What a path leads to from an object, or from the top of the archive: a reference, or a value.
  func node(at path: PropertyListKeyPath, of object: PropertyList.UID?) throws(KeyedArchiveError)
    -> PropertyListDocument.Node
  {
    var node = topNode
    if let object { node = try objects[object].node }
    for (depth, component) in path.components.enumerated() {
      do {
        node = try child(component, of: depth == 0 ? node : resolved(node), isTop: depth == 0 && object == nil)
      } catch {
        var error = error
        if error.path == nil { error.path = PropertyListKeyPath(Array(path.components[..<depth])) }
        throw error
      }
    }
    return node
  }

  /// The object that a reference leads to; another value itself.
  private func resolved(_ node: PropertyListDocument.Node) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    guard let uid = node.uid else { return node }
    let object = try objects[uid].node
    guard object.uid == nil else { throw KeyedArchiveError(.malformed, "an object that is a reference", uid: uid) }
    return object
  }

  private func child(
    _ component: PropertyListKeyPath.Component, of node: PropertyListDocument.Node, isTop: Bool
  ) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    do {
      switch node.kind {
      case .array:
        if let index = component.arrayIndex, index < node.count { return try node.child(at: index) }
      case .dictionary:
        let key = component.text
        if let value = try node.value(forKey: ArchiveKey.escaped(key)) { return value }
        if !isTop, let value = try element(component, of: node) { return value }
        if let value = try node.value(forKey: key) { return value }
      default: break
      }
    } catch {
      throw KeyedArchiveError(error)
    }
    throw KeyedArchiveError(.valueNotFound, "there is nothing under \(component.text.quoted)")
  }

  /// An element of one of Foundation's collections, by its index or its key; nil if there is none.
  private func element(
    _ component: PropertyListKeyPath.Component, of object: PropertyListDocument.Node
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard let classUID = try object.value(forKey: "$class")?.uid, let name = objects[classUID].className,
      let layout = FoundationLayout(className: name), let first = try object.value(forKey: layout.keys[0]),
      first.kind == .array
    else { return nil }
    switch layout.form {
    case .array, .set:
      guard let index = component.arrayIndex, index < first.count else { return nil }
      return try first.child(at: index)
    case .dictionary:
      guard let values = try object.value(forKey: layout.keys[1]), values.kind == .array else { return nil }
      for position in 0..<min(first.count, values.count) {
        guard let uid = try first.child(at: position).uid, let key = try? objects[uid].node else { continue }
        if try key.string == component.text || key.integer?.description == component.text {
          return try values.child(at: position)
        }
      }
      return nil
    case .string, .data, .date, .uuid, .url: return nil
    }
  }
}
