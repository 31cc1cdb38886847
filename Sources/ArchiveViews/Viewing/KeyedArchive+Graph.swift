public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

extension KeyedArchive {
  /// The objects of the archive and what refers to what, as a picture for Graphviz (`dot -Tsvg`).
  ///
  /// ```
  /// digraph archive {
  ///   top -> o1 [label="root"];
  ///   o1 [label="#1 Person\lname: \"Ada\"\l"];
  ///   o1 -> o3 [label="friends"];
  ///   o3 [label="#3 NSArray\l"];
  ///   o3 -> o1 [label="[0]", style=dashed, color=red, constraint=false];
  /// }
  /// ```
  ///
  /// | in the archive | in the picture |
  /// |---|---|
  /// | an object | a box with its UID, its class and its numbers, dates, short strings and short data |
  /// | a reference | an arrow with the key, or the index or key in one of Foundation's collections |
  /// | a reference to an object that another one leads to before | a blue arrow |
  /// | a reference back to an object that leads to this one | a red dashed arrow: a circle |
  /// | a reference beyond the object table | a red arrow to a box that says so |
  /// | an object that no top-level key leads to | a box with a dashed border |
  ///
  /// A box has up to 24 values, and 60 characters of each; how many more there are is said. All objects and all
  /// references are there.
  ///
  /// - Parameters:
  ///   - object: shows this object and what it leads to, and nothing else.
  ///   - depth: how many references away from the first objects are shown; a box that leads to others says `…`. Nil for
  ///     all.
  /// - Returns: text in the language of Graphviz, with an end of the last line.
  /// - Throws: `KeyedArchiveError` for an object that cannot be read at the beginning;
  ///   `KeyedArchiveError.Kind.limitExceeded` where objects of a binary file overlap.
  /// - Complexity: O(*n*) in the size of the archive. Depth costs no stack.
  public func graph(of object: PropertyList.UID? = nil, depth: Int? = nil) throws(KeyedArchiveError) -> String {
    var writer = ArchiveGraphWriter(self)
    try writer.write(object, depth: depth)
    return writer.text
  }
}
