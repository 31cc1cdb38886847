@_spi(Archives) public import PropertyLists

extension KeyedArchive {
  /// What an archive says of a class.
  public struct ClassDescription: Hashable, Sendable {
    /// Where it stands in the object table.
    public let uid: PropertyList.UID
    /// `$classname`.
    public let name: String
    /// `$classes`: the class and what it inherits from, the nearest first. Empty if the archive does not say, as for
    /// classes that were renamed when they were archived.
    public let classes: [String]
    /// `$classhints`: classes that a reader may take who does not know this one.
    public let hints: [String]
  }

  /// A class and how many objects are of it.
  public struct CountedClass: Hashable, Sendable {
    /// What the archive says of the class.
    public let description: ClassDescription
    /// How many objects say that they are of it.
    public let instanceCount: Int
  }

  /// All classes that the archive describes, in the order of the object table.
  ///
  /// - Throws: ``KeyedArchiveError`` for an object that cannot be read; ``KeyedArchiveError/Kind/limitExceeded`` where
  ///   objects of a binary file overlap.
  /// - Complexity: O(*n*) in the size of the archive.
  public var classes: [CountedClass] {
    get throws(KeyedArchiveError) {
      var reader = ArchiveReader(forAllOf: self)
      var counts: [UInt32: Int] = [:]
      var described: [UInt32] = []
      for object in objects.startIndex.value..<objects.endIndex.value {
        do {
          let node = try reader.object(object)
          guard node.kind == .dictionary else { continue }
          let keys = try reader.keyPositions(of: node)
          if let position = keys.classReference {
            let reference = try reader.value(ofEntry: position, of: node)
            if reference.kind == .uid { counts[reference.uid, default: 0] += 1 }
          } else if keys.className != nil {
            described.append(object)
          }
        } catch {
          throw error.at(PropertyList.UID(object))
        }
      }
      var classes: [CountedClass] = []
      for uid in described {
        guard let description = try reader.classDescription(uid) else { continue }
        classes.append(CountedClass(description: description, instanceCount: counts[uid] ?? 0))
      }
      return classes
    }
  }
}
