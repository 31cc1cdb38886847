@_spi(Archives) internal import PropertyLists

/// Defines the order in which the elements of sets and the keys of dictionaries are written, so that the same elements
/// always give the same archive. Swift's own order differs from process to process.
///
/// Integers and strings have the order of a Core Foundation hash table that just holds them, after they were inserted
/// in ascending order. Elements of other types are ordered by the bytes of an archive of each.
///
/// An element can lead to any number of objects, also in circles, so the archive that orders it is limited. It contains
/// a limited number of objects, no unordered collection that belongs to one of those objects, and only a few levels of
/// unordered collections within values. These limits depend on the element alone. The order of elements that differ
/// only beyond the limits is arbitrary.
enum CanonicalOrder {
  /// The limits of an archive that is made to order elements.
  struct Extent {
    /// The number of unordered collections being ordered, each nested in the one before.
    let level: Int
    /// The number of objects that may still be added.
    var objectCount = 16
    /// The number of objects being encoded, each nested in the one before.
    var objectDepth = 0
  }

  private static let greatestLevel = 3

  /// Returns the positions of the elements in the order in which they are written. Returns an empty array beyond the
  /// limits of an archive that only orders elements.
  static func positions<Element: SecureCoding>(of elements: [Element], for coder: KeyedArchiver) throws -> [Int] {
    guard elements.count > 1 else { return Array(elements.indices) }
    if let integers = elements as? [Int] {
      return positions(of: integers, hash: { CoreFoundationOrder.hash(Int64($0)) }, by: <)
    }
    if let strings = elements as? [String] {
      return positions(
        of: strings, hash: CoreFoundationOrder.hash, by: { $0.utf16.lexicographicallyPrecedes($1.utf16) })
    }
    return try positions(of: elements, for: coder) { element, archiver in
      try archiver.encode(element, forKey: KeyedArchiver.rootObjectKey)
    }
  }

  private static func positions<Element>(
    of elements: [Element], hash: (Element) -> UInt64, by precedes: (Element, Element) -> Bool
  ) -> [Int] {
    let ascending = elements.indices.sorted { precedes(elements[$0], elements[$1]) }
    let hashes = ascending.map { hash(elements[$0]) }
    return CoreFoundationOrder.positions(of: hashes, grows: false).map { ascending[$0] }
  }

  /// Does the same as ``positions(of:for:)`` for elements that are encoded by a closure.
  static func positions<Element>(
    of elements: [Element], for coder: KeyedArchiver, _ encode: (Element, KeyedArchiver) throws -> Void
  ) throws -> [Int] {
    let level = coder.extent?.level ?? 0
    if let extent = coder.extent, extent.objectDepth > 0 || level >= greatestLevel { return [] }
    let archives = try elements.map { element in
      let archiver = KeyedArchiver(Extent(level: level + 1), within: coder)
      try encode(element, archiver)
      return [UInt8](try archiver.encodedData())
    }
    return archives.indices.sorted { archives[$0].lexicographicallyPrecedes(archives[$1]) }
  }
}
