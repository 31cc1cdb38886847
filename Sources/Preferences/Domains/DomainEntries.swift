internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists

/// The entries of a domain's file, in the order of the file.
struct DomainEntries {
  private(set) var values: OrderedDictionary<TableKey, PropertyList>
  /// The nodes of values that ``values`` cannot represent completely, because a dictionary inside them has two keys
  /// that are canonically equivalent in Unicode. A node is saved unchanged until another value is set for its key.
  private var originals: [TableKey: PropertyListDocument.Node] = [:]

  init(_ values: OrderedDictionary<TableKey, PropertyList> = [:]) { self.values = values }

  /// Creates entries from string keys.
  init(byName values: OrderedDictionary<String, PropertyList>) {
    self.init(OrderedDictionary(uniqueKeysWithValues: values.elements.lazy.map { (TableKey($0.key), $0.value) }))
  }

  /// Creates entries from a parsed file.
  init(_ document: PropertyListDocument) throws(PropertyListError) {
    guard let entries = try document.root.entries else {
      throw PropertyListError(.malformed, "the root is not a dictionary")
    }
    values = OrderedDictionary(minimumCapacity: entries.count)
    for entry in entries {
      let key = TableKey(entry.key)
      guard values.updateValue(entry.value, forKey: key) == nil else {
        throw PropertyListError(.duplicateKey, "duplicate key \(key.name.quoted)")
      }
      if let original = entry.original { originals[key] = original }
    }
  }

  var isEmpty: Bool { values.isEmpty }

  subscript(key: TableKey) -> PropertyList? {
    get { values[key] }
    set {
      if !originals.isEmpty, values[key] != newValue { originals[key] = nil }
      values[key] = newValue
    }
  }

  mutating func removeAll(where shouldBeRemoved: (TableKey) -> Bool) { values.removeAll { shouldBeRemoved($0.key) } }

  /// Returns these entries. For each value that `held` has too, the result has the node in ``originals`` of `held`, if
  /// any.
  func keepingOriginals(of held: DomainEntries) -> DomainEntries {
    var entries = self
    for (key, original) in held.originals where held.values[key] == values[key] { entries.originals[key] = original }
    return entries
  }

  /// Returns the entries after a change to their dictionary with string keys. That dictionary contains only one of
  /// several canonically equivalent keys. The other keys are kept if `visible` still contains that key.
  func changed(to visible: OrderedDictionary<String, PropertyList>) -> DomainEntries {
    var entries = DomainEntries(byName: visible)
    let hidden = values.keys.hiddenSpellings
    if !hidden.isEmpty {
      for (key, value) in values where entries[key] == nil {
        if let shown = hidden[key], entries[shown] != nil { entries[key] = value }
      }
    }
    return entries
  }

  /// The entries in the form that property list writers accept.
  var list: [DictionaryEntry] {
    values.map { DictionaryEntry(key: $0.key.name, value: $0.value, original: originals[$0.key]) }
  }
}
