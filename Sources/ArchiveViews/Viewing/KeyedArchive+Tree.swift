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
}
