public import Predicates

/// A request for objects: the entity, a condition, the order, the number, and the form of the results.
public struct FetchRequest: Hashable, Sendable {
  /// The name of the entity.
  public var entityName: String
  /// The condition that the objects meet; nil for all.
  ///
  /// Rows of `AND` and `OR` that are nested deeper than ``ManagedPredicate/greatestDepth``, as a loop makes them that
  /// adds a condition at a time, become flat ones, which mean the same.
  public var predicate: ManagedPredicate? { didSet { predicate = predicate?.withoutDeepRows } }
  /// The order, the most important key first.
  public var sortDescriptors: [SortDescriptor] = []
  /// The most results; 0 for all.
  public var fetchLimit = 0
  /// The number of first results that are left out.
  public var fetchOffset = 0
  /// The number of objects that are read at once, when the first of them is asked for a value; 0 to read all with the
  /// request.
  public var fetchBatchSize = 0
  /// The form of the results.
  public var resultType = ResultType.objects
  /// True if objects of sub-entities count.
  public var includesSubentities = true
  /// True if the values of objects are read with them.
  public var includesPropertyValues = true
  /// True if changes that are not saved count.
  public var includesPendingChanges = true
  /// True if objects are faults until a value is asked for.
  public var returnsObjectsAsFaults = true
  /// True if equal dictionaries are one result. Other results are distinct anyway.
  public var returnsDistinctResults = false
  /// True if objects that were read before are read again.
  public var refreshesRefetchedObjects = false
  /// The values of dictionaries; nil for all attributes.
  public var propertiesToFetch: [FetchedValue]?
  /// The values by which the results are grouped.
  public var propertiesToGroupBy: [FetchedValue]?
  /// The condition that the groups meet.
  public var havingPredicate: ManagedPredicate? { didSet { havingPredicate = havingPredicate?.withoutDeepRows } }
  /// The key paths of relationships whose objects are read at once.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Flags in Core Data's files that have no name here.
  var otherArchivedFlags = 0

  /// The form of a request's results. The raw values are those of Core Data's files (`NSFetchRequestResultType`).
  public enum ResultType: Int, Hashable, Sendable, CaseIterable {
    case objects = 0
    case objectIDs = 1
    case dictionaries = 2
    /// The number of results, within offset and limit.
    case count = 4
  }

  /// A value of the dictionaries that are results.
  public enum FetchedValue: Hashable, Sendable {
    /// The property at a key path.
    case property(String)
    /// The result of an expression, under a name and as a type.
    case expression(name: String, ManagedExpression, type: AttributeType)
  }

  /// A request for the objects of an entity.
  public init(_ entityName: String, where predicate: ManagedPredicate? = nil, sortedBy: [SortDescriptor] = []) {
    self.entityName = entityName
    self.predicate = predicate?.withoutDeepRows
    sortDescriptors = sortedBy
  }

  /// A key to sort by.
  public struct SortDescriptor: Hashable, Sendable {
    /// The key path of what is compared; nil for the objects themselves.
    public var keyPath: String?
    /// True if the least comes first.
    public var isAscending: Bool
    /// The comparison of values.
    public var comparison: SortComparison
    /// True if missing values come last where they would come first, and the reverse.
    public var reversesNullOrder = false
    /// True if a file names no method, which means the same as ``SortComparison/compare``.
    var omitsSelector = false

    /// A key to sort by.
    public init(_ keyPath: String?, isAscending: Bool = true, comparison: SortComparison = .compare) {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.comparison = comparison
    }

    /// The name of the method in files.
    var selector: String? { omitsSelector && comparison == .compare ? nil : comparison.selector }
  }
}
