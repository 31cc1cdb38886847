internal import OrderedCollections
internal import PropertyLists

/// Dictionaries of strings, which have room for one of two spellings of a key: the shortest stands for all, and of
/// several such the one whose bytes come first.
extension Collection<TableKey> {
  /// The spellings that others stand for, with the one that does.
  ///
  /// - Complexity: O(*n*) in the number of keys.
  var hiddenSpellings: [TableKey: TableKey] {
    // Nothing is equivalent to ASCII but what isn't.
    guard contains(where: { !$0.isASCII }) else { return [:] }
    var groups: [String: [TableKey]] = [:]
    for key in self { groups[key.name, default: []].append(key) }
    var hidden: [TableKey: TableKey] = [:]
    for keys in groups.values where keys.count > 1 {
      let shown = keys.min { ($0.name.utf8.count, $0) < ($1.name.utf8.count, $1) }
      for key in keys where key != shown { hidden[key] = shown }
    }
    return hidden
  }
}

extension OrderedDictionary<TableKey, PropertyList> {
  /// The entries by strings: of two spellings of a key one.
  var byName: OrderedDictionary<String, PropertyList> {
    let hidden = keys.hiddenSpellings
    return OrderedDictionary<String, PropertyList>(
      uniqueKeysWithValues: lazy.filter { hidden[$0.key] == nil }.map { ($0.key.name, $0.value) })
  }
}

extension [TableKey: PropertyList] {
  /// The values by strings: of two spellings of a key one.
  var byName: [String: PropertyList] {
    let hidden = keys.hiddenSpellings
    return [String: PropertyList](
      uniqueKeysWithValues: lazy.filter { hidden[$0.key] == nil }.map { ($0.key.name, $0.value) })
  }
}
