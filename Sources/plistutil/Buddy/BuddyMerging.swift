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
    // The containers are changed in place, without copies of their contents.
    switch (new, old.kind) {
    case (.dictionary(let entries), .dictionary):
      for (key, value) in entries {
        guard let kind = old[key]?.kind else {
          old.dictionary?[key] = value
          continue
        }
        guard isRecursive, value.kind == kind, value.kind.isContainer else {
          skippedKeys.append(key)
          continue
        }
        var inner = PropertyList.null
        if let existing = old.dictionary?.updateValue(.null, forKey: key) { inner = existing }
        merge(value, into: &inner)
        old.dictionary?[key] = inner
      }
    case (.array(let elements), .array): old.array?.append(contentsOf: elements)
    case (_, .array): old.array?.append(new)
    default: break
    }
  }
}
