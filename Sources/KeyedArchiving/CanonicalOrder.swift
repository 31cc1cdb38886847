internal import FoundationEssentials
internal import PropertyLists

/// The order in which the elements of sets and the keys of dictionaries are written, which Swift gives none: the same elements
/// always give the same archive.
///
/// Integers and strings are in the order of a hash table of Core Foundation's that just holds them, into which they were put in
/// ascending order. Elements of other types go by the bytes of an archive of each.
///
/// Elements can lead to everything there is, in circles too, so such an archive has an end: beyond a number of objects, and
/// where collections without order are nested deeper than anybody's, it goes no further. Elements that differ only there are
/// in any order.
final class CanonicalOrder {
  /// How many more objects, and elements of further collections without order, the archives may take in.
  private var budget: Int
  /// How many collections without order are being ordered, each for the sake of the one before.
  private var level = 0

  private static let greatestLevel = 4

  private init(elementCount: Int) { budget = 256 + 16 * elementCount }

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
    guard let order = coder.order else {
      return try CanonicalOrder(elementCount: elements.count).positions(of: elements, for: coder, encode)
    }
    guard order.level < greatestLevel, order.spend(elements.count) else { return [] }
    return try order.positions(of: elements, for: coder, encode)
  }

  private func positions<Element>(
    of elements: [Element], for coder: KeyedArchiver, _ encode: (Element, KeyedArchiver) throws -> Void
  ) throws -> [Int] {
    level += 1
    defer { level -= 1 }
    let archives = try elements.map { element in
      let archiver = KeyedArchiver(for: self, within: coder)
      try encode(element, archiver)
      return [UInt8](try archiver.encodedData())
    }
    return archives.indices.sorted { archives[$0].lexicographicallyPrecedes(archives[$1]) }
  }

  /// Whether that many more can be taken in.
  func spend(_ count: Int) -> Bool {
    guard count <= budget else { return false }
    budget -= count
    return true
  }
}
