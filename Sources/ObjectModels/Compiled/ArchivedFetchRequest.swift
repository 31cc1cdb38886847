internal import KeyedArchiving

/// `NSFetchRequest`.
final class ArchivedFetchRequest: ArchivedModelObject, ArchivedForm {
  static let archivedClass = ArchivedClass("NSFetchRequest", ancestors: ["NSPersistentStoreRequest", "NSObject"])

  private var request: FetchRequest
  var entity: ArchivedEntity?

  init(_ request: FetchRequest, of entity: ArchivedEntity?) {
    self.request = request
    self.entity = entity
  }

  /// The bits of `NSFetchRequestFlags`. Core Data's default is 30, because four flags are true by default.
  private struct Flags: OptionSet {
    let rawValue: Int

    static let returnsDistinctResults = Flags(rawValue: 1)
    static let includesSubentities = Flags(rawValue: 2)
    static let includesPropertyValues = Flags(rawValue: 4)
    static let returnsObjectsAsFaults = Flags(rawValue: 8)
    static let includesPendingChanges = Flags(rawValue: 16)
    static let refreshesRefetchedObjects = Flags(rawValue: 32)
    static let known = Flags(properties.map(\.flag))
  }

  /// The Boolean properties of a request, each with its flag.
  private static let properties: [(flag: Flags, path: any WritableKeyPath<FetchRequest, Bool> & Sendable)] = [
    (.returnsDistinctResults, \.returnsDistinctResults), (.includesSubentities, \.includesSubentities),
    (.includesPropertyValues, \.includesPropertyValues), (.returnsObjectsAsFaults, \.returnsObjectsAsFaults),
    (.includesPendingChanges, \.includesPendingChanges), (.refreshesRefetchedObjects, \.refreshesRefetchedObjects),
  ]

  init(coder: KeyedUnarchiver) throws {
    request = FetchRequest("")
    super.init()
    coder.publish(self)
    request.predicate = try coder.decodePredicateIfPresent(forKey: "NSPredicate")
    request.havingPredicate = try coder.decodePredicateIfPresent(forKey: "NSHavingPredicate")
    request.sortDescriptors =
      try coder.decodeIfPresent([Archived.SortDescriptor].self, forKey: "NSSortDescriptors")?.map { descriptor in
        var key = FetchRequest.SortDescriptor(
          descriptor.key, isAscending: descriptor.isAscending,
          comparison: descriptor.selector.map { .init(selector: $0) } ?? .compare)
        key.omitsSelector = descriptor.selector == nil
        key.reversesNullOrder = descriptor.reversesNullOrder
        return key
      } ?? []
    request.fetchLimit = try coder.decodeIfPresent(Int.self, forKey: "NSFetchLimit") ?? 0
    request.fetchOffset = try coder.decodeIfPresent(Int.self, forKey: "NSFetchOffset") ?? 0
    request.fetchBatchSize = try coder.decodeIfPresent(Int.self, forKey: "NSBatchSize") ?? 0
    let type = try coder.decodeIfPresent(Int.self, forKey: "NSResultType") ?? 0
    guard let type = FetchRequest.ResultType(rawValue: type) else {
      throw coder.failure(.invalidContents, "\(type) is not a result type")
    }
    request.resultType = type
    request.propertiesToFetch = try Self.decodeValues(forKey: "NSValuesToFetch", coder)
    request.propertiesToGroupBy = try Self.decodeValues(forKey: "NSValuesToGroupBy", coder)
    request.relationshipKeyPathsForPrefetching =
      try coder.decodeIfPresent([String].self, forKey: "NSRelationshipKeyPathsForPrefetching") ?? []
    if try coder.decodeIfPresent(Bool.self, forKey: "NSHasFetchRequestFlags") ?? false {
      set(Flags(rawValue: try coder.decodeIfPresent(Int.self, forKey: "NSFetchRequestFlags") ?? 0))
    }
    entity = try coder.decodeIfPresent(ArchivedEntity.self, forKey: "NSEntity")
  }

  private static func decodeValues(
    forKey key: String, _ coder: KeyedUnarchiver
  ) throws -> [FetchRequest.FetchedValue]? {
    let types: [any SecureCoding.Type] = [String.self] + ArchivedProperty.types
    return try coder.decodeIfPresent([any SecureCoding].self, of: types, forKey: key)?.map { value in
      if let name = value as? String { return .property(name) }
      guard let property = (value as? ArchivedProperty)?.underlying else {
        throw coder.failure(.invalidContents, "a value to fetch is not a property")
      }
      return .property(property.traits.name)
    }
  }

  private func set(_ flags: Flags) {
    for (flag, path) in Self.properties { request[keyPath: path] = flags.contains(flag) }
    request.otherArchivedFlags = flags.subtracting(.known).rawValue
  }

  private var flags: Flags {
    var flags = Flags(rawValue: request.otherArchivedFlags)
    for (flag, path) in Self.properties where request[keyPath: path] { flags.insert(flag) }
    return flags
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(entity, forKey: "NSEntity")
    try coder.encode(request.predicate, forKey: "NSPredicate")
    try coder.encode(request.havingPredicate, forKey: "NSHavingPredicate")
    let descriptors = request.sortDescriptors.map {
      Archived.SortDescriptor(
        key: $0.keyPath, isAscending: $0.isAscending, selector: $0.selector, reversesNullOrder: $0.reversesNullOrder)
    }
    try coder.encode(descriptors.isEmpty ? nil : descriptors, forKey: "NSSortDescriptors")
    try coder.encode(request.fetchLimit, forKey: "NSFetchLimit")
    try coder.encode(request.fetchOffset, forKey: "NSFetchOffset")
    try coder.encode(request.fetchBatchSize, forKey: "NSBatchSize")
    try coder.encode(request.resultType.rawValue, forKey: "NSResultType")
    try encode(request.propertiesToFetch, forKey: "NSValuesToFetch", coder)
    try encode(request.propertiesToGroupBy, forKey: "NSValuesToGroupBy", coder)
    let paths = request.relationshipKeyPathsForPrefetching
    try coder.encode(paths.isEmpty ? nil : paths, forKey: "NSRelationshipKeyPathsForPrefetching")
    try coder.encode(true, forKey: "NSHasFetchRequestFlags")
    try coder.encode(flags.rawValue, forKey: "NSFetchRequestFlags")
  }

  private func encode(_ values: [FetchRequest.FetchedValue]?, forKey key: String, _ coder: KeyedArchiver) throws {
    let names = try values?.map { value in
      guard case .property(let name) = value else {
        throw KeyedArchiveError(
          .invalidValue, "expressions to fetch or to group by have no known form in compiled models")
      }
      return name
    }
    try coder.encode(names, forKey: key)
  }

  /// The request as a ``FetchRequest``.
  var description: FetchRequest {
    var request = request
    if let entity { request.entityName = entity.name }
    return request
  }
}
