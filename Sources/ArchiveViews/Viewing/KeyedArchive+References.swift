public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

extension KeyedArchive {
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
