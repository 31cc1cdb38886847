public import OrderedCollections
public import Predicates

/// The results of a request in a store, in the form of the request's ``FetchRequest/ResultType``.
public enum StoreFetchResult: Hashable, Sendable {
  /// The rows of the objects in the order of the request, for ``FetchRequest/ResultType/objects``.
  case rows([StoreRow])
  /// The keys of the objects in the order of the request, for ``FetchRequest/ResultType/objectIDs``.
  case keys([RowKey])
  /// The fetched values, by name, for ``FetchRequest/ResultType/dictionaries``. There is one dictionary for each object
  /// or group.
  case dictionaries([OrderedDictionary<String, RowValue>])
  /// The number of results, for ``FetchRequest/ResultType/count``.
  case count(Int)
}
