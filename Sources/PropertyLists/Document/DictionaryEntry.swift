internal import FoundationEssentials

/// An entry of a dictionary whose keys are told apart by their bytes. To a ``PropertyList``, whose keys are strings,
/// two spellings of a key that Unicode holds equivalent are one.
package struct DictionaryEntry: Sendable {
  package let key: String
  /// The value. A dictionary in it with two spellings of a key has the first of them.
  package let value: PropertyList
  /// The value as the document has it, if ``value`` isn't all of it.
  package let original: PropertyListDocument.Node?

  package init(key: String, value: PropertyList, original: PropertyListDocument.Node?) {
    self.key = key
    self.value = value
    self.original = original
  }
}

extension PropertyListDocument.Node {
  /// The entries of a dictionary, in the order of the document; nil if this is no dictionary.
  /// - Throws: what is wrong with a binary document below this node.
  /// - Complexity: O(*n*) in the bytes below this node; shared values are built once.
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
