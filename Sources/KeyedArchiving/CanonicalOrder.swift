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

  /// The elements of a collection in the order in which they are written.
  ///
  /// For an archiver that only orders others, there are none where it goes no further.
  static func sorted<C: Collection>(
    _ elements: C, for coder: KeyedArchiver
  ) throws -> [C.Element] where C.Element: SecureCoding & Hashable {
    guard elements.count > 1 else { return Array(elements) }
    if let integers = elements as? any Collection<Int> {
      let sorted = integers.sorted()
      let order = CoreFoundationOrder.fixed(sorted.map { CoreFoundationOrder.hash(Int64($0)) })
      return order.compactMap { sorted[$0] as? C.Element }
    }
    if let strings = elements as? any Collection<String> {
      let sorted = strings.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
      let order = CoreFoundationOrder.fixed(sorted.map { CoreFoundationOrder.hash($0) })
      return order.compactMap { sorted[$0] as? C.Element }
    }
    return try sorted(elements, for: coder) { element, archiver in
      try archiver.encode(element, forKey: KeyedArchiver.rootObjectKey)
    }
  }

  /// As ``sorted(_:for:)``, for elements that are encoded as somebody says.
  static func sorted<C: Collection>(
    _ elements: C, for coder: KeyedArchiver, _ encode: (C.Element, KeyedArchiver) throws -> Void
  ) throws -> [C.Element] {
    guard let order = coder.order else {
      return try CanonicalOrder(elementCount: elements.count).sorted(elements, for: coder, encode)
    }
    guard order.level < greatestLevel, order.spend(elements.count) else { return [] }
    return try order.sorted(elements, for: coder, encode)
  }

  private func sorted<C: Collection>(
    _ elements: C, for coder: KeyedArchiver, _ encode: (C.Element, KeyedArchiver) throws -> Void
  ) throws -> [C.Element] {
    level += 1
    defer { level -= 1 }
    let keyed = try elements.map { element in
      let archiver = KeyedArchiver(for: self, within: coder)
      try encode(element, archiver)
      return (element, [UInt8](try archiver.encodedData()))
    }
    return keyed.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  /// Whether that many more can be taken in.
  func spend(_ count: Int) -> Bool {
    guard count <= budget else { return false }
    budget -= count
    return true
  }
}
