public import Predicates

/// A request for objects: the entity, the condition, the order, the limits, and the form of the results.
///
/// ```swift
/// var request = FetchRequest(
///   "Invoice", where: try ManagedPredicate(format: "isPaid == NO"),
///   sortedBy: [.init("date", isAscending: false), .init("customer.name", comparison: .localizedStandard)])
/// request.fetchLimit = 20
/// ```
public struct FetchRequest: Hashable, Sendable {
  /// The name of the entity.
  public var entityName: String
  /// The condition that objects must meet; nil for all objects.
  ///
  /// `AND` and `OR` conditions that are nested deeper than ``ManagedPredicate/greatestDepth``, for example by a loop
  /// that adds one condition at a time, are replaced by equivalent flat ones.
  public var predicate: ManagedPredicate? { didSet { predicate = predicate?.withoutDeepRows } }
  /// The order of the results, the most significant key first.
  public var sortDescriptors: [SortDescriptor] = []
  /// The maximum number of results; 0 for no limit.
  public var fetchLimit = 0
  /// The number of results to skip at the beginning.
  public var fetchOffset = 0
  /// The number of objects whose values are read together, as soon as a value of one of them is needed; 0 to read all
  /// values with the request.
  public var fetchBatchSize = 0
  /// True to read values of the found objects together: when a fault is fired, or when a relationship is read for the
  /// first time, the same is done for up to 8 192 other objects of the result, with one statement. It also applies to
  /// the objects of their relationships, and so on. False to read each object by itself.
  ///
  /// ```swift
  /// var request = FetchRequest("Owner")
  /// request.usesBatchFaulting = false                      // only some of the relationships will be read
  /// ```
  ///
  /// Core Data's files do not contain this setting.
  public var usesBatchFaulting = true
  /// The form of the results.
  public var resultType = ResultType.objects
  /// True if objects of subentities are included.
  public var includesSubentities = true
  /// True if the property values are read together with the objects.
  public var includesPropertyValues = true
  /// The identifiers of the stores to read; nil for all stores. An unsaved object counts for the store that it will be
  /// saved in. An identifier of a store that the coordinator does not have is an error.
  ///
  /// ```swift
  /// request.affectedStores = [archive.identifier]
  /// ```
  public var affectedStores: Set<String>?
  /// True if unsaved changes are taken into account.
  public var includesPendingChanges = true
  /// True if objects are faults until their first value is read.
  public var returnsObjectsAsFaults = true
  /// True to remove duplicate dictionaries. Other results are always distinct.
  public var returnsDistinctResults = false
  /// True if objects that are already in the context are read again.
  public var refreshesRefetchedObjects = false
  /// The values in each result, if the results are dictionaries; nil for all attributes.
  ///
  /// If the results are objects, the names of the properties that are used soon. An SQLite store reads only these
  /// attributes, and the keys of to-one relationships. When another attribute is first read, or before the object is
  /// changed or deleted, the other attributes are read, too. Other stores, and contexts with a parent, read all
  /// attributes. Objects that already have values keep them.
  public var propertiesToFetch: [FetchedValue]?
  /// The values to group the results by, if the results are dictionaries; nil for no groups.
  public var propertiesToGroupBy: [FetchedValue]?
  /// The condition that groups must meet; nil for all groups. It can use aggregates such as `count(title)`, the
  /// properties to group by, and the values of the request: it refers to a named expression by a variable.
  ///
  /// ```swift
  /// var request = FetchRequest("Book")
  /// request.propertiesToGroupBy = [.property("author.name")]
  /// request.propertiesToFetch = [
  ///   .property("author.name"),
  ///   .expression(name: "books", try ManagedExpression(format: "count(title)"), type: .integer64),
  /// ]
  /// request.havingPredicate = try ManagedPredicate(format: "$books > 1")
  /// ```
  public var havingPredicate: ManagedPredicate? { didSet { havingPredicate = havingPredicate?.withoutDeepRows } }
  /// The key paths of relationships whose objects are read together with the results.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Flags in Core Data's files that are unknown to this library. They are kept for writing.
  var otherArchivedFlags = 0

  /// The form of a request's results. The raw values are those in Core Data's files (`NSFetchRequestResultType`).
  public enum ResultType: Int, Hashable, Sendable, CaseIterable {
    case objects = 0
    case objectIDs = 1
    case dictionaries = 2
    /// The number of results, after offset and limit are applied.
    case count = 4
  }

  /// A value in the dictionaries that a request returns.
  ///
  /// ```swift
  /// var totals = FetchRequest("Invoice")
  /// totals.resultType = .dictionaries
  /// totals.propertiesToFetch = [
  ///   .property("customer"),
  ///   .expression(name: "total", try ManagedExpression(format: "sum(amount)"), type: .decimal),
  /// ]
  /// totals.propertiesToGroupBy = [.property("customer")]
  /// ```
  public enum FetchedValue: Hashable, Sendable {
    /// The property at a key path.
    case property(String)
    /// The result of an expression, with the result's key in the dictionary and its type.
    case expression(name: String, ManagedExpression, type: AttributeType)
  }

  /// Creates a request for the objects of an entity.
  public init(_ entityName: String, where predicate: ManagedPredicate? = nil, sortedBy: [SortDescriptor] = []) {
    self.entityName = entityName
    self.predicate = predicate?.withoutDeepRows
    sortDescriptors = sortedBy
  }

  /// A key to sort by.
  public struct SortDescriptor: Hashable, Sendable {
    /// The key path of the compared value; nil to compare the objects themselves.
    public var keyPath: String?
    /// True for ascending order.
    public var isAscending: Bool
    /// The method of comparing values.
    public var comparison: SortComparison
    /// True to put missing values at the opposite end: last in ascending order, first in descending order.
    public var reversesNullOrder = false
    /// True if the sort descriptor is from a file and names no comparison method. It then sorts as with
    /// ``SortComparison/compare``.
    var omitsSelector = false

    /// Creates a sort descriptor.
    public init(_ keyPath: String?, isAscending: Bool = true, comparison: SortComparison = .compare) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.comparison = comparison
    }

    /// The name of the comparison method in files.
    var selector: String? { omitsSelector && comparison == .compare ? nil : comparison.selector }
  }
}
