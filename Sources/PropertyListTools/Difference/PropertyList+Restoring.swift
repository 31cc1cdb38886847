private import OrderedCollections
@_spi(Archives) package import PropertyLists

extension PropertyList {
  /// Returns this value with the details of the original. This value is an edited version of `shown`, and `shown` lacks
  /// details of the original, for example fractions of seconds. Each scalar that was not edited is replaced by the
  /// original scalar.
  ///
  /// Elements of arrays are matched as in a ``PropertyListDifference``.
  ///
  /// - Parameters:
  ///   - original: The complete value.
  ///   - shown: The value before it was edited. It has the same containers as the original, with less detailed scalars.
  /// - Returns: Nil if nothing was edited.
  /// - Complexity: O(*n*) in the sizes of the values, except for arrays that were edited at many positions. Uses
  ///   recursion, so values must not be nested deeper than a reader allows.
  package func restoring(_ original: PropertyList, shownAs shown: PropertyList) throws(PropertyListError)
    -> PropertyList?
  {
    let depth = ParsingLimits.greatestDepth
    var restoration = Restoration(
      edited: try ValueSignatures(of: self, depth: depth), shown: try ValueSignatures(of: shown, depth: depth))
    if restoration.edited[0].hash == restoration.shown[0].hash { return nil }
    return restoration.restored((self, 0), (shown, 0), original)
  }
}

private struct Restoration {
  let edited: ValueSignatures
  let shown: ValueSignatures
  private var budget = ArrayMatching.standardBudget

  init(edited: ValueSignatures, shown: ValueSignatures) {
    self.edited = edited
    self.shown = shown
  }

  /// A value, and its index in the ``ValueSignatures``.
  typealias Signed = (value: PropertyList, index: Int)

  mutating func restored(_ new: Signed, _ old: Signed, _ original: PropertyList) -> PropertyList {
    if edited[new.index].hash == shown[old.index].hash { return original }
    switch (new.value, old.value, original) {
    case (.dictionary(var entries), .dictionary(let before), .dictionary(let origin)):
      let (newChildren, oldChildren) = (edited.children(of: new.index), shown.children(of: old.index))
      for (position, key) in Array(entries.keys).enumerated() {
        guard let index = before.index(forKey: key), let source = origin[key] else { continue }
        entries[key] = restored(
          (entries.values[position], newChildren[position]), (before.values[index], oldChildren[index]), source)
      }
      return .dictionary(entries)
    case (.array(var elements), .array(let before), .array(let origin)) where before.count == origin.count:
      let (newChildren, oldChildren) = (edited.children(of: new.index), shown.children(of: old.index))
      let matching = ArrayMatching(oldChildren, shown, newChildren, edited, budget: &budget)
      for (position, source) in matching.sources.enumerated() {
        guard let source else { continue }
        elements[position] = restored(
          (elements[position], newChildren[position]), (before[source], oldChildren[source]), origin[source])
      }
      return .array(elements)
    default: return new.value
    }
  }
}
