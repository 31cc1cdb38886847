@_spi(Archives) internal import PropertyLists

/// The order in which the elements of sets and the keys of dictionaries are written. The same elements always give the
/// same archive, although Swift's own order differs from process to process.
///
/// Integers and strings have the order of a Core Foundation hash table of the smallest size that fits, into which they
/// are inserted in ascending order. To order elements of other types, each element is archived by itself, and the bytes
/// of these archives are compared.
///
/// An element can lead to any number of objects, also in cycles, so these archives are limited. Each contains at most
/// 16 class instances. If an element contains a collection, that collection is ordered first, which can require more
/// archives. At most three such orderings are nested. A collection whose ordering requires archives is written as empty
/// if it is inside a class instance, or if the ordering would be nested more deeply. Elements that differ only beyond
/// these limits have an arbitrary order.
enum CanonicalOrder {
  /// The limits of an archive that is made only to order an element.
  struct Extent {
    /// The number of sets and dictionaries that are being ordered, one inside the other.
    let level: Int
    /// The number of class instances that may still be added.
    var objectCount = 16
    /// The number of class instances that are being encoded, one inside the other.
    var objectDepth = 0
  }

  private static let greatestLevel = 3

  /// Returns the positions of the elements, sorted in the order of writing. Returns an empty array if `coder` itself
  /// makes an archive only for ordering, and the limits of that archive do not allow this ordering.
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

  /// Archives each element by a closure, sorts the archives by their bytes, and returns the positions of the elements
  /// in that order. The limits are those of ``positions(of:for:)``.
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
