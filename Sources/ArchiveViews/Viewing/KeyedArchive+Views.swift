public import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

extension KeyedArchive {
  /// Returns the archive as text for people, beginning with the top-level keys.
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
  /// | `NSSet`, `NSMutableArray` and similar collections | the same, after the class |
  /// | `NSString`, `NSData`, `NSDate` | the value: `"text"`, `<0001 …>`, `2001-01-01 00:00:00 +0000` |
  /// | `NSMutableString`, `NSMutableData`, `NSUUID`, `NSURL` | the class and the value |
  /// | a null reference | `nil` |
  /// | an object with several references | `#7` before it, and `→ #7` at all other references |
  /// | an object more than 64 levels deep | `→ #7`, and the object with its `#7` after the top-level keys |
  /// | a value that cannot be read | `<unreadable: …>` |
  /// | objects that no top-level key leads to | at the end, below a line that says so |
  ///
  /// Strings and data of up to 64 bytes, numbers and dates are repeated at each reference. Nothing is left out, except
  /// that a class description is shown only as its name. Line ends and control characters in values are escaped, so the
  /// text is safe to print in a terminal.
  ///
  /// ```swift
  /// print(try archive.tree())
  /// print(try archive.tree(at: PropertyListKeyPath("root.staff.0")))  // only the first employee
  /// print(try archive.tree(depth: 1))                                 // an overview
  /// ```
  ///
  /// - Parameters:
  ///   - object: the object to begin with. The tree shows only this object and the objects that it leads to. Nil to
  ///     begin at the top.
  ///   - path: the path to the value to show, from the top of the archive or from `object`. A step is a key of an
  ///     object. In one of Foundation's collections, it is the index or key of an element: `root.staff.0.name`. It can
  ///     also be an archived key of such a collection, such as `NS.objects`.
  ///   - depth: the number of levels to show below the first. Deeper parts are shown as `…`, after the class or with
  ///     the number of elements. Nil for all levels.
  /// - Returns: lines of text. The last line has no newline.
  /// - Throws: `KeyedArchiveError.Kind.limitExceeded` if objects of a binary file overlap or expand too much;
  ///   `KeyedArchiveError.Kind.valueNotFound` if the path leads to no value.
  /// - Complexity: O(*n*) in the size of the archive. The function does not recurse.
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

  /// Returns the archive as JSON, for programs that cannot read keyed archives. The JSON has all information of the
  /// archive.
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
  /// | string, Boolean | the same |
  /// | integer | a number without point or exponent, exact from -2^63 to 2^64 - 1 |
  /// | 8-byte real | a number with a point or an exponent, `2.0` |
  /// | 4-byte real | `{"$float": 0.1}` |
  /// | a real that is not finite | `{"$real": "inf"}`, `"-inf"`, `"nan"`, `"nan(0x1)"` with its payload; the same with `$float` |
  /// | data | `{"$data": "base64"}` |
  /// | date | `{"$date": "2001-01-01T00:00:01.5Z", "$seconds": 1.5}`: the date in ISO 8601, or null if that is not possible, and the exact seconds since 2001 |
  /// | null reference | `null` |
  /// | array | array |
  /// | dictionary that is not an object | object; keys that begin with `$` get a second `$` |
  /// | instance | `{"$class": "Name", …}` with its fields |
  /// | instance of `NSDate` | the same, with `"$date"` in addition to `"NS.time"` |
  /// | object with several references | the first time with `"$uid": 7`, later `{"$ref": 7}` |
  /// | string or data over 64 bytes with several references | the first time `{"$uid": 7, "$object": "text"}`; shorter ones are repeated |
  /// | array, UID or dictionary without `$class` in the object table | `{"$object": …}`, with `$uid` if it has several references |
  /// | reference beyond the object table | `{"$dangling": 99}` |
  /// | reference to a class description | `{"$ref": 4}` |
  /// | instance whose `$class` is not a class description | `$invalidclass` with its value, instead of `$class` |
  /// | instance of a class, if another class has the same name | `$classuid` in addition to `$class` |
  ///
  /// A key that was encoded with a `$` at the beginning has two, and the keys `$0`, `$1`, … belong to values without a
  /// key. Both are written as in the archive. Any other key that begins with one `$` gets a point after it, `$.ref`, so
  /// that it cannot be confused with the keys above. Archivers do not write such keys.
  ///
  /// The top level also contains the other keys of the property list, and:
  ///
  /// | key | value |
  /// |---|---|
  /// | `$classes` | all class descriptions, with `$uid` |
  /// | `$deep` | the objects that would be nested more than 64 levels deep, with `$uid`; elsewhere they are `$ref` |
  /// | `$unreachable` | the objects that no top-level key leads to, with `$uid` |
  ///
  /// ```swift
  /// try archive.jsonData().write(to: url)
  /// ```
  ///
  /// - Parameter isIndented: true to write each value on its own line, false to write one line without white space.
  /// - Returns: UTF-8 (RFC 8259). Control characters are escaped.
  /// - Throws: `KeyedArchiveError` for a value that cannot be read, a duplicate key, or values that are nested too
  ///   deeply; `KeyedArchiveError.Kind.limitExceeded` if objects of a binary file overlap or expand too much.
  /// - Complexity: O(*n*) in the size of the archive. The function does not recurse.
  public func jsonData(isIndented: Bool = true) throws(KeyedArchiveError) -> Data {
    var writer = try ArchiveFormWriter(self, to: ArchiveJSONOutput(isIndented: isIndented))
    try writer.writeArchive()
    return writer.takeOutput().finish()
  }

  /// A reference from an object, or from the top of an archive, to an object.
  public struct Reference: Hashable, Sendable {
    /// The object that contains the reference. Nil for the top of the archive.
    public let source: PropertyList.UID?
    /// The path to the reference in ``source``: `friends`, or `NS.objects[3]`.
    public let path: PropertyListKeyPath
    /// The object that the reference leads to. In a damaged archive, the UID may be beyond the end of the object table.
    public let target: PropertyList.UID
  }

  /// Returns all references of an archive: those of its top, then those of each object in the order of the object
  /// table. Unreachable objects are included.
  ///
  /// References to classes and to null are left out.
  ///
  /// ```swift
  /// for reference in try archive.references() { print(reference) }
  /// // root → #1
  /// // #1 staff → #3
  /// // #3 NS.objects[0] → #4
  /// ```
  ///
  /// - Throws: `KeyedArchiveError` for a value that cannot be read; `KeyedArchiveError.Kind.limitExceeded` if objects
  ///   of a binary file overlap too much.
  /// - Complexity: O(*n*) in the size of the archive.
  public func references() throws(KeyedArchiveError) -> [Reference] { try references { _ in true } }

  /// Returns the references to one object.
  ///
  /// ```swift
  /// for reference in try archive.references(to: PropertyList.UID(4)) { print(reference) }
  /// // #3 NS.objects[0] → #4
  /// ```
  ///
  /// - Throws: The errors of ``references()``.
  /// - Complexity: O(*n*) in the size of the archive, because an archive does not store which objects refer to an
  ///   object.
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
        // A reference with its path takes this many bytes in memory, but may take only a few in the file.
        try reader.spend(16 + 4 * walk.depth)
        references.append(Reference(source: source, path: try walk.path(&reader), target: PropertyList.UID(target)))
      }
    } catch {
      var error = error
      // An error can have only a path that begins at the top.
      if source == nil { error.path = try? walk.path(&reader) }
      throw error
    }
  }
}

extension KeyedArchive.Reference: CustomStringConvertible {
  /// The reference as text, such as `#4 NS.objects[3] → #9`, or `root → #1` for the top of the archive.
  public var description: String {
    let location = KeyedArchiveError.spelled(path).printable(limit: 300)
    return (source.map { "#\($0.value) " } ?? "") + location + " → #\(target.value)"
  }
}

extension KeyedArchive {
  /// Returns the value at a path from an object, or from the top of the archive. The value may be a reference.
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

  /// Returns the object that a reference leads to, or any other value unchanged.
  private func resolved(_ node: PropertyListDocument.Node) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    guard let uid = node.uid else { return node }
    let object = try objects[uid].node
    guard object.uid == nil else { throw KeyedArchiveError(.malformed, "expected an object, found a UID", uid: uid) }
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
    throw KeyedArchiveError(.valueNotFound, "there is no value at \(component.text.quoted)")
  }

  /// Returns an element of one of Foundation's collections, by its index or its key. Returns nil if not found.
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
