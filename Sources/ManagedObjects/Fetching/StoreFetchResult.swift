public import OrderedCollections

/// What a store finds.
public enum StoreFetchResult: Hashable, Sendable {
  case rows([StoreRow])
  case keys([RowKey])
  case dictionaries([OrderedDictionary<String, RowValue>])
  case count(Int)
}
