internal import FoundationEssentials

/// Decodes the elements of a collection that hashes and compares them, and counts what that takes.
///
/// To hash an element takes as long as it is heavy, whether it shares its parts or not. And elements with one hash are compared
/// with each other: of data Foundation hashes the first 80 bytes, of a decimal number the double next to it, so an archive
/// can have any number of those. Each comparison counts against the limit of the archive.
struct HashedElements<Element: Hashable> {
  /// How many elements there are so far, by their hashes; nil if it is known that few will have the same.
  private var counts: [Int: Int]?

  init() { counts = Element.self is any EvenlyHashed.Type ? nil : [:] }

  @inline(__always)
  mutating func next(_ coder: KeyedUnarchiver, _ decode: () throws -> Element) throws -> Element {
    let before = coder.weight
    let element = try decode()
    let weight = coder.weight - before
    try coder.spend(weight)
    if counts != nil { try compare(element, weight: weight, coder) }
    return element
  }

  private mutating func compare(_ element: Element, weight: Int, _ coder: KeyedUnarchiver) throws {
    let hash = element.hashValue
    let count = counts?[hash] ?? 0
    if count > 0 { try coder.spend(count * (weight + 1)) }
    counts?[hash] = count + 1
  }
}

/// A type whose values have the same hash only if they are equal, but for chance.
private protocol EvenlyHashed {}

extension String: EvenlyHashed {}
extension Int: EvenlyHashed {}
extension Int8: EvenlyHashed {}
extension Int16: EvenlyHashed {}
extension Int32: EvenlyHashed {}
extension Int64: EvenlyHashed {}
extension UInt: EvenlyHashed {}
extension UInt8: EvenlyHashed {}
extension UInt16: EvenlyHashed {}
extension UInt32: EvenlyHashed {}
extension UInt64: EvenlyHashed {}
extension Bool: EvenlyHashed {}
extension UUID: EvenlyHashed {}
extension Date: EvenlyHashed {}
