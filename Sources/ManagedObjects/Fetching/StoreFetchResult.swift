public import OrderedCollections
public import Predicates

/// The results of a request in a store, in the form of the request's ``FetchRequest/ResultType``.
public enum StoreFetchResult: Hashable, Sendable {
  case rows([StoreRow])
  case keys([RowKey])
  case dictionaries([OrderedDictionary<String, RowValue>])
  case count(Int)
}
