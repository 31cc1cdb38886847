internal import ObjectModels
internal import OrderedCollections
internal import Predicates

/// A request that is prepared to be executed on rows or objects.
///
/// Each step of the request has its own function. For example, to combine objects from two sources, test each object
/// with ``holds(for:)``, join the lists, and pass the result to ``sorted(_:first:by:)`` and
/// ``FetchRequest/window(_:)``.
struct PreparedFetch: Sendable {
  let request: FetchRequest
  let entity: ManagedObjectModel.Entity
  /// The predicate; nil if all objects of the entity match.
  let predicate: PreparedPredicate?
  let order: FetchOrder
  /// The projection that creates dictionaries; nil for other results.
  private let projection: FetchProjection?

  /// Prepares a request that has been checked for its entity.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the request cannot be evaluated.
  init(_ request: FetchRequest, of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    self.request = request
    self.entity = entity
    let context = PreparationContext(entity.model)
    do {
      if let condition = request.predicate, condition != .constant(true) {
        predicate = try PreparedPredicate(condition, context)
      } else {
        predicate = nil
      }
    } catch {
      throw ManagedObjectError(error)
    }
    order = try FetchOrder(request.sortDescriptors, context)
    projection = request.resultType == .dictionaries ? try FetchProjection(request, of: entity, context) : nil
  }

  /// The indexes of the entities whose objects can match.
  var entityIndices: Range<Int> { request.includesSubentities ? entity.subtree : entity.index..<entity.index + 1 }

  /// Returns true if the predicate matches an object. The entity of the object must be one of ``entityIndices``.
  @inline(__always)
  func holds<Subject: PredicateSubject>(for subject: Subject) throws(ManagedObjectError) -> Bool {
    guard let predicate else { return true }
    do { return try predicate.evaluate(with: subject) } catch { throw ManagedObjectError(error) }
  }

  /// Returns the objects that match the predicate, in their order.
  func filter<Subject: PredicateSubject>(_ subjects: [Subject]) throws(ManagedObjectError) -> [Subject] {
    if predicate == nil { return subjects }
    var found: [Subject] = []
    for subject in subjects where try holds(for: subject) { found.append(subject) }
    return found
  }

  /// Returns the elements sorted by the sort descriptors. The sort is stable.
  ///
  /// - Parameters:
  ///   - limit: the number of elements that are needed from the start of the result. The result may have more elements.
  ///   - subject: returns the object that is compared for an element. Called once for each element.
  /// - Complexity: O(*n* log *n*); O(*n*) for a small limit.
  func sorted<Element, Subject: PredicateSubject>(
    _ elements: [Element], first limit: Int = .max, by subject: (Element) -> Subject
  ) throws(ManagedObjectError) -> [Element] {
    do { return try order.sorted(elements, first: limit, by: subject) } catch { throw ManagedObjectError(error) }
  }

  /// Returns true if the first object comes before the second one in the order of the request; false if neither does.
  func precedes<Subject: PredicateSubject>(_ first: Subject, _ second: Subject) throws(ManagedObjectError) -> Bool {
    do { return try order.order(of: first, second) == .less } catch { throw ManagedObjectError(error) }
  }

  /// True if the offset and the limit count objects; false if they count dictionaries that can represent several
  /// objects.
  var isWindowedBeforeProjection: Bool { projection?.joinsObjects != true }

  /// Returns the dictionaries for the objects that match, which must be sorted.
  ///
  /// - Parameter subjects: the matching objects. If ``isWindowedBeforeProjection`` is true, only those that the offset
  ///   and the limit select.
  func dictionaries<Subject: PredicateSubject>(
    of subjects: [Subject]
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>] {
    guard let projection else { return [] }
    do {
      let dictionaries = try projection.dictionaries(of: subjects)
      return projection.joinsObjects ? request.window(dictionaries) : dictionaries
    } catch {
      throw ManagedObjectError(error)
    }
  }
}

extension PreparationContext {
  /// Creates the context to prepare predicates and expressions for objects of a model.
  init(_ model: ManagedObjectModel, parameters: [String] = []) {
    self.init(slots: { model.keySlots[$0] ?? [] }, parameters: parameters)
  }
}

extension ManagedObjectError {
  /// An error for a request with an invalid predicate or expression.
  init(_ error: ManagedPredicateError, key: String? = nil) {
    self.init(error.kind == .unknownKey ? .undefinedKey : .unsupportedRequest, error.description, key: key)
    predicateError = error
  }
}
