import OrderedCollections
import PropertyLists

/// Puts the entries or elements of one container into another. What is there stays.
struct BuddyMerging {
  /// Whether containers of one kind that both have are merged too.
  let isRecursive: Bool
  /// The keys whose values were there already.
  private(set) var skippedKeys: [String] = []

  init(isRecursive: Bool) { self.isRecursive = isRecursive }

  /// - Parameters:
  ///   - new: of the kind of `old`, or for an array also a scalar. The reader has seen to it that it is not too deep.
  mutating func merge(_ new: PropertyList, into old: inout PropertyList) {
    switch (new, old) {
    case (.dictionary(let entries), .dictionary(var merged)):
      for (key, value) in entries {
        guard let existing = merged[key] else {
          merged[key] = value
          continue
        }
        guard isRecursive, value.kind == existing.kind, value.kind.isContainer else {
          skippedKeys.append(key)
          continue
        }
        var inner = existing
        merge(value, into: &inner)
        merged[key] = inner
      }
      old = .dictionary(merged)
    case (.array(let elements), .array(var merged)):
      merged += elements
      old = .array(merged)
    case (_, .array(var merged)):
      merged.append(new)
      old = .array(merged)
    default: break
    }
  }
}
