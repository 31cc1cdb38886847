@_spi(Archives) internal import PropertyLists

/// The order in which the elements of sets and the keys of dictionaries are written, which Swift gives none: the same
/// elements always give the same archive.
///
/// Integers and strings are in the order of a hash table of Core Foundation's that just holds them, into which they
/// were put in ascending order. Elements of other types go by the bytes of an archive of each.
///
/// Elements can lead to everything there is, in circles too, so such an archive has an end: it takes in some objects,
/// but no further collection without order that one of them has, and only a few levels of those in values. Where it
/// ends depends on the element alone. Elements that differ only behind that are in any order.
enum CanonicalOrder {
  /// How far an archive goes that is made to order elements.
  struct Extent {
    /// How many collections without order are being ordered, each for the sake of the one before.
    let level: Int
    /// How many more objects it takes in.
    var objectCount = 16
    /// How many objects are being encoded, each within the one before.
    var objectDepth = 0
  }

  private static let greatestLevel = 3

  /// The positions of the elements in the order in which they are written; none beyond the end of an archive that only
  /// orders.
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

  /// As ``positions(of:for:)``, for elements that are encoded as somebody says.
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
