/// What to fetch: the entity, which objects of it, in what order, how many, and as what.
public struct FetchRequest: Hashable, Sendable {
  /// The name of the entity.
  public var entityName: String
  /// What is true of the objects; nil for all.
  public var predicate: ManagedPredicate?
  /// The order, the most important key first.
  public var sortDescriptors: [SortDescriptor] = []
  /// The most results; 0 for all.
  public var fetchLimit = 0
  /// How many of the first results are left out.
  public var fetchOffset = 0
  /// How many objects are read at once, when the first of them is asked for a value; 0 to read all with the request.
  public var fetchBatchSize = 0
  /// What the results are.
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
  /// What dictionaries consist of; nil for all attributes.
  public var propertiesToFetch: [FetchedValue]?
  /// What the results are grouped by.
  public var propertiesToGroupBy: [FetchedValue]?
  /// What is true of the groups.
  public var havingPredicate: ManagedPredicate?
  /// The key paths of relationships whose objects are read at once.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Flags in Core Data's files that have no name here.
  var otherArchivedFlags = 0

  /// What the results of a request are. The raw values are those of Core Data's files (`NSFetchRequestResultType`).
  public enum ResultType: Int, Hashable, Sendable, CaseIterable {
    case objects = 0
    case objectIDs = 1
    case dictionaries = 2
    /// The number of results, within offset and limit.
    case count = 4
  }

  /// What a dictionary of the results has under a key.
  public enum FetchedValue: Hashable, Sendable {
    /// The property at a key path.
    case property(String)
    /// What an expression results in, under a name and as a type.
    case expression(name: String, ManagedExpression, type: AttributeType)
  }

  /// A request for the objects of an entity.
  public init(_ entityName: String, where predicate: ManagedPredicate? = nil, sortedBy: [SortDescriptor] = []) {
    self.entityName = entityName
    self.predicate = predicate
    sortDescriptors = sortedBy
  }

  /// A key to sort by.
  public struct SortDescriptor: Hashable, Sendable {
    /// The key path of what is compared; nil for the objects themselves.
    public var keyPath: String?
    /// True if the least comes first.
    public var isAscending: Bool
    /// The comparison: `compare:`, which nil means too, or for strings `caseInsensitiveCompare:`, `localizedCompare:`,
    /// `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`.
    ///
    /// The localised ones go by rules that are the same everywhere: strings are compared without regard to case and
    /// marks, and those that are equal so by what they are. The last takes numbers in strings by their values.
    public var selector: String?
    /// True if missing values come last where they would come first, and the reverse.
    public var reversesNullOrder = false

    /// A key to sort by.
    public init(_ keyPath: String?, isAscending: Bool = true, selector: String? = "compare:") {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.selector = selector
    }
  }
}
