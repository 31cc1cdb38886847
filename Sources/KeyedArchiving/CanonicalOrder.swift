internal import FoundationEssentials
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

  /// The elements of a collection in the order in which they are written, each by its position.
  ///
  /// For an archiver that only orders others, there are none where it goes no further.
  static func positions<Element: SecureCoding>(of elements: [Element], for coder: KeyedArchiver) throws -> [Int] {
    guard elements.count > 1 else { return Array(elements.indices) }
    if let integers = elements as? [Int] {
      let ascending = integers.indices.sorted { integers[$0] < integers[$1] }
      return CoreFoundationOrder.fixed(ascending.map { CoreFoundationOrder.hash(Int64(integers[$0])) })
        .map { ascending[$0] }
    }
    if let strings = elements as? [String] {
      let ascending = strings.indices.sorted { strings[$0].utf16.lexicographicallyPrecedes(strings[$1].utf16) }
      return CoreFoundationOrder.fixed(ascending.map { CoreFoundationOrder.hash(strings[$0]) }).map { ascending[$0] }
    }
    return try positions(of: elements, for: coder) { element, archiver in
      try archiver.encode(element, forKey: KeyedArchiver.rootObjectKey)
    }
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
