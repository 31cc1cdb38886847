internal import ObjectModels
internal import Predicates

/// The rule that assigns rows to sections.
enum ResultSectioning {
  /// One section without a name for all rows.
  case none
  /// One section for each value at a key path.
  case keyPath(String, PreparedExpression)
  /// One section for each name that a function returns.
  case function((ManagedObject) -> String)

  /// Creates the rule for a key path; nil for one section.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a key path that the entity does not have;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for a key path that requests cannot be sorted by.
  init(keyPath: String?, of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    guard let keyPath else {
      self = .none
      return
    }
    // The check of a sort key ensures that the key path has a single value for each object.
    try FetchRequest(entity.name, sortedBy: [.init(keyPath)]).check(for: entity)
    guard let path = PredicateKeyPath(keyPath) else {
      throw ManagedObjectError(.unsupportedRequest, "\(keyPath.quoted) is not a key path for sections", key: keyPath)
    }
    do { self = .keyPath(keyPath, try PreparedExpression(.keyPath(path), PreparationContext(entity.model))) } catch {
      throw ManagedObjectError(error, key: keyPath)
    }
  }

  var isNone: Bool { if case .none = self { true } else { false } }

  /// The key path, for messages and caches.
  var keyPath: String? { if case .keyPath(let path, _) = self { path } else { nil } }

  /// Returns the name of an object's section; empty for an object without a value.
  func name(of object: ManagedObject) throws(ManagedObjectError) -> String {
    switch self {
    case .none: return ""
    case .function(let name): return name(object)
    case .keyPath(let path, let expression):
      do throws(ManagedPredicateError) {
        switch try expression.value(with: ObjectSubject(object: object, usesBatches: true)) {
        case .value(.null): return ""
        case .value(.string(let text)): return text
        case .value(let value): return value.description
        case .object(let subject): return subject.object.description
        case let value: throw ManagedPredicateError(.typeMismatch, "\(value.kindName) cannot be the name of a section")
        }
      } catch {
        throw ManagedObjectError(error, key: path)
      }
    }
  }

  /// Returns the error to throw for a section whose rows are not adjacent.
  func error(_ separation: ResultList.Separation, _ id: ManagedObjectID) -> ManagedObjectError {
    ManagedObjectError(
      .unsupportedRequest,
      "the objects of the section \(separation.name.quoted) are not next to each other; use a first sort key that "
        + "groups them", objectID: id, key: keyPath)
  }
}
