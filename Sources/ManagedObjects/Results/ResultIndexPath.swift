/// A place in fetched results: a section, and a place in it. Both count from 0.
public struct ResultIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The place of the section.
  public var section: Int
  /// The place in the section.
  public var item: Int

  /// A place.
  public init(section: Int = 0, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (first: ResultIndexPath, second: ResultIndexPath) -> Bool {
    (first.section, first.item) < (second.section, second.item)
  }

  /// `[2, 5]`.
  public var description: String { "[\(section), \(item)]" }
}
