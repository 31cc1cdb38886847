internal import FoundationEssentials

/// An entry of a dictionary that may have canonically equivalent keys with different bytes. A ``PropertyList`` cannot
/// represent such a dictionary, because these keys are equal as Swift strings.
package struct DictionaryEntry: Sendable {
  package let key: String
  /// The value. If a dictionary in it has canonically equivalent keys in the document, it contains only the entry of
  /// the first of these keys.
  package let value: PropertyList
  /// The node of the value in the document, if ``value`` lacks entries because of canonically equivalent keys; nil if
  /// ``value`` is complete.
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
