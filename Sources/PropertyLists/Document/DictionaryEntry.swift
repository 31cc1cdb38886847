internal import FoundationEssentials

/// An entry of a dictionary whose keys are compared by their bytes. In a ``PropertyList``, whose keys are Swift
/// strings, two canonically equivalent spellings of a key are equal.
package struct DictionaryEntry: Sendable {
  package let key: String
  /// The value. If a dictionary in it has two spellings of a key, it contains only the first.
  package let value: PropertyList
  /// The value in the document, if ``value`` is incomplete.
  package let original: PropertyListDocument.Node?

  package init(key: String, value: PropertyList, original: PropertyListDocument.Node?) {
    self.key = key
    self.value = value
    self.original = original
  }
}

extension PropertyListDocument.Node {
  /// The entries of a dictionary, in the order of the document, or nil if this is not a dictionary.
  ///
  /// - Throws: The errors of a binary document below this node.
  /// - Complexity: O(*n*) in the bytes below this node. Shared values are created once.
  package var entries: [DictionaryEntry]? {
    get throws(PropertyListError) {
      guard kind == .dictionary else { return nil }
      let bytes = document.bytes
      let isWhole = index == document.rootIndex
      let values =
        switch document.index {
        case .binary(let layout):
          try TreeBuilder(layout, document, isWhole: isWhole, takesFirstSpelling: true)
            .buildValues(of: index, in: bytes)
        case .table(let table):
          try TreeBuilder(table, document, isWhole: isWhole, takesFirstSpelling: true).buildValues(of: index, in: bytes)
        }
      var entries: [DictionaryEntry] = []
      entries.reserveCapacity(count)
      for (position, value) in values.all.enumerated() {
        let (key, node) = try entry(at: position)
        let original = values.incomplete.contains(position) ? node : nil
        entries.append(DictionaryEntry(key: key, value: value, original: original))
      }
      return entries
    }
  }
}
