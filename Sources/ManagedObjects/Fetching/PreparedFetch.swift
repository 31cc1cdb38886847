internal import ObjectModels
internal import OrderedCollections
internal import Predicates

/// A request that is ready to be executed, on rows or on objects.
///
/// Its parts can be used alone. Who has objects of two origins tests each with ``holds(for:)``, puts them together, and
/// uses ``sorted(_:first:by:)`` and ``FetchRequest/window(_:)``.
struct PreparedFetch: Sendable {
  let request: FetchRequest
  let entity: ManagedObjectModel.Entity
  /// Nil if all objects of the entity fit.
  let predicate: PreparedPredicate?
  let order: FetchOrder
  /// Makes dictionaries of objects; nil for other results.
  private let projection: FetchProjection?

  /// Prepares a request that was checked for its entity.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for what cannot be evaluated.
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

  /// The indexes of the entities whose own objects count.
  var entityIndices: Range<Int> { request.includesSubentities ? entity.subtree : entity.index..<entity.index + 1 }

  /// True if the predicate holds for an object. It has to be of one of ``entityIndices``.
  @inline(__always)
  func holds<Subject: PredicateSubject>(for subject: Subject) throws(ManagedObjectError) -> Bool {
    guard let predicate else { return true }
    do { return try predicate.evaluate(with: subject) } catch { throw ManagedObjectError(error) }
  }

  /// The objects that the predicate holds for, in their order.
  func filter<Subject: PredicateSubject>(_ subjects: [Subject]) throws(ManagedObjectError) -> [Subject] {
    if predicate == nil { return subjects }
    var found: [Subject] = []
    for subject in subjects where try holds(for: subject) { found.append(subject) }
    return found
  }

  /// The elements in the order of the request. Those that are equal in it stay in the order that they come in.
  ///
  /// - Parameters:
  ///   - limit: how many of the first are wanted.
  ///   - subject: what an element is compared by. Called once for each.
  /// - Complexity: O(*n* log *n*); O(*n*) for a small limit.
  func sorted<Element, Subject: PredicateSubject>(
    _ elements: [Element], first limit: Int = .max, by subject: (Element) -> Subject
  ) throws(ManagedObjectError) -> [Element] {
    do { return try order.sorted(elements, first: limit, by: subject) } catch { throw ManagedObjectError(error) }
  }

  /// True if an object comes before another in the order of the request. Neither does if they are equal in it.
  func precedes<Subject: PredicateSubject>(_ first: Subject, _ second: Subject) throws(ManagedObjectError) -> Bool {
    do { return try order.order(of: first, second) == .less } catch { throw ManagedObjectError(error) }
  }

  /// False for dictionaries of which several objects make one.
  var isWindowedBeforeProjection: Bool { projection?.joinsObjects != true }

  /// The dictionaries of objects that fit, which are in order.
  ///
  /// - Parameter subjects: those of the window if ``isWindowedBeforeProjection`` is true, else all.
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
  /// For objects of a model.
  init(_ model: ManagedObjectModel, parameters: [String] = []) {
    self.init(slots: { model.keySlots[$0] ?? [] }, parameters: parameters)
  }
}

extension ManagedObjectError {
  /// A request that cannot be executed because of a predicate or an expression.
  init(_ error: ManagedPredicateError, key: String? = nil) {
    self.init(error.kind == .unknownKey ? .undefinedKey : .unsupportedRequest, error.description, key: key)
    predicateError = error
  }
}
