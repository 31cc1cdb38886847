package import ObjectModels
internal import Predicates
internal import PropertyLists

extension FetchRequest {
  /// Checks the request against a model: the limits, the names, the types of compared values, the sort keys, the key
  /// paths to prefetch, and, if the result type is dictionaries, the properties to fetch and the groups. Executing a
  /// request also checks it.
  ///
  /// ```swift
  /// let request = FetchRequest("Note", sortedBy: [.init("headline")])
  /// do throws(ManagedObjectError) {
  ///   try request.check(against: model)
  /// } catch {
  ///   print(error.code)                                    // undefinedKey
  /// }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a name that the entity does not have;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for other errors. If a predicate or an expression is not valid,
  ///   ``ManagedObjectError/predicateError`` contains its error.
  public func check(against model: ManagedObjectModel) throws(ManagedObjectError) {
    guard let entity = model[entityName] else {
      throw ManagedObjectError(
        .undefinedKey, "the entity of the request, \(entityName.quoted), is not in the model", key: entityName)
    }
    try check(for: entity)
  }

  /// Checks the request against its entity.
  ///
  /// - Parameter entity: the entity of the request.
  package func check(for entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    if fetchLimit < 0 || fetchOffset < 0 || fetchBatchSize < 0 {
      throw ManagedObjectError(
        .unsupportedRequest, "the limit, offset or batch size of the request is negative")
    }
    if let predicate {
      do { try predicate.check(for: entity) } catch { throw ManagedObjectError(error) }
    }
    for descriptor in sortDescriptors { try descriptor.check(for: entity) }
    for path in relationshipKeyPathsForPrefetching { try Self.checkPrefetching(path, for: entity) }
    if resultType == .objects { try checkPropertiesOfObjects(for: entity) }
    if resultType == .dictionaries {
      _ = try FetchPlan(self, of: entity)
    } else if propertiesToGroupBy?.isEmpty == false || havingPredicate != nil {
      throw ManagedObjectError(
        .unsupportedRequest, "groups can be fetched only as dictionaries, not as \(resultType.name)")
    }
  }

  /// Checks that ``propertiesToFetch`` contains only properties of the entity and its subentities.
  private func checkPropertiesOfObjects(for entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    for value in propertiesToFetch ?? [] {
      switch value {
      case .expression(let name, _, _):
        throw ManagedObjectError(
          .unsupportedRequest, "the expression \(name.quoted) can be fetched only in dictionaries", key: name)
      case .property(let name):
        if entity.selfAndDescendants.contains(where: { $0.property(named: name) != nil }) { continue }
        throw ManagedObjectError(
          .undefinedKey, "the entity \(entity.name.quoted) has no property \(name.quoted) to fetch", key: name)
      }
    }
  }

  private static func checkPrefetching(
    _ text: String, for entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) {
    guard let path = PredicateKeyPath(text) else {
      throw ManagedObjectError(.unsupportedRequest, "\(text.quoted) is not a key path to prefetch", key: text)
    }
    var check = PredicateCheck(entity)
    let kind: PredicateKind
    do { kind = try check.kind(of: .keyPath(path), flattens: true) } catch {
      throw ManagedObjectError(error, key: text)
    }
    switch kind {
    case .object, .collection(.object, _): return
    default:
      throw ManagedObjectError(.unsupportedRequest, "\(text.quoted) is not a relationship to prefetch", key: text)
    }
  }
}

extension FetchRequest.SortDescriptor {
  fileprivate func check(for entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    func failure(_ message: String) -> ManagedObjectError {
      ManagedObjectError(.unsupportedRequest, message, key: keyPath)
    }
    guard comparison.isKnown else {
      throw failure("a request cannot be sorted by the method \(comparison.selector.quoted)")
    }
    var kind = PredicateKind.object(entity.index)
    if let keyPath {
      guard let path = PredicateKeyPath(keyPath) else {
        throw failure("\(keyPath.quoted) is not a key path to sort by")
      }
      if let other = path.keys.first(where: { $0.hasPrefix("@") && $0 != PredicateCollectionOperator.count.rawValue }) {
        throw failure("a request cannot be sorted by \(other.quoted)")
      }
      var check = PredicateCheck(entity)
      do { kind = try check.kind(of: .keyPath(path)) } catch { throw ManagedObjectError(error, key: keyPath) }
    }
    switch kind {
    case .collection, .dictionary, .composite, .entity, .opaque:
      throw failure("cannot sort by \((keyPath ?? "").quoted), which is \(kind.name(entity.model))")
    case _ where comparison.isOfTexts && !kind.isString:
      throw failure(
        "\(comparison.selector) sorts strings, but \((keyPath ?? "self").quoted) is \(kind.name(entity.model))")
    default: return
    }
  }
}

extension FetchRequest.ResultType {
  fileprivate var name: String {
    switch self {
    case .objects: "objects"
    case .objectIDs: "object IDs"
    case .dictionaries: "dictionaries"
    case .count: "a count"
    }
  }
}

/// Functions that stores use to check a request.
extension FetchRequest {
  /// True if the predicate has at most `height` levels.
  package func isWithin(height: Int) -> Bool {
    guard let predicate else { return true }
    return (try? predicate.height(within: height)) != nil
  }

  /// Returns true if a key refers to the object itself: `self` or `objectID`. If the entity has a property with this
  /// name, the key refers to the property.
  package static func isKeyOfObject(_ key: String) -> Bool { EntityKey.ofObjectItself.contains(key) }

  /// Returns true if a key refers to the entity of an object: `entity`. If the model has a property with this name, the
  /// key refers to the property: see ``ManagedObjectModel/Entity/hasEntityKey``.
  package static func isKeyOfEntity(_ key: String) -> Bool { key == EntityKey.entity }
}
