/// A position in fetched results: a section index and an item index, both from 0.
///
/// ```swift
/// print(ResultIndexPath(section: 2, item: 5))            // [2, 5]
/// ```
public struct ResultIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The index of the section.
  public var section: Int
  /// The index of the item in the section.
  public var item: Int

  /// Creates a position.
  public init(section: Int = 0, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (first: ResultIndexPath, second: ResultIndexPath) -> Bool {
    (first.section, first.item) < (second.section, second.item)
  }

  /// The indexes of the section and of the item: `[2, 5]`.
  public var description: String { "[\(section), \(item)]" }
}
