internal import FoundationEssentials
internal import PropertyLists

/// The order in which the elements of sets and the keys of dictionaries are written, which Swift gives none: the same elements
/// always give the same archive.
///
/// Integers and strings are in the order of a hash table of Core Foundation's that just holds them, into which they were put in
/// ascending order. Elements of other types go by the bytes of an archive of each.
enum CanonicalOrder {
  static func sorted<C: Collection>(_ elements: C) throws -> [C.Element] where C.Element: SecureCoding & Hashable {
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
    let keyed = try elements.map { element in
      (element, [UInt8](try KeyedArchiver.archivedData(withRootObject: element)))
    }
    return keyed.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }
}
