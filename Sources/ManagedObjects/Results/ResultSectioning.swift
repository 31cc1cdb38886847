internal import ObjectModels
internal import Predicates

/// The sections that rows belong to.
enum ResultSectioning {
  /// All rows are in one section without a name.
  case none
  /// A section for each value at a key path.
  case keyPath(String, PreparedExpression)
  /// A section for each text that a function makes of an object.
  case function((ManagedObject) -> String)

  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a key path that the entity does not have,
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for one that leads to no text, number or date.
  init(keyPath: String?, of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    guard let keyPath else {
      self = .none
      return
    }
    // What can be sorted by has one value.
    try FetchRequest(entity.name, sortedBy: [.init(keyPath)]).check(for: entity)
    guard let path = PredicateKeyPath(keyPath) else {
      throw ManagedObjectError(.unsupportedRequest, "\(keyPath.quoted) is no key path of sections", key: keyPath)
    }
    do { self = .keyPath(keyPath, try PreparedExpression(.keyPath(path), PreparationContext(entity.model))) } catch {
      throw ManagedObjectError(error, key: keyPath)
    }
  }

  var isNone: Bool { if case .none = self { true } else { false } }

  /// The key path, for messages and caches.
  var keyPath: String? { if case .keyPath(let path, _) = self { path } else { nil } }

  /// The name of an object's section; empty for one without a value.
  func name(of object: ManagedObject) throws(ManagedObjectError) -> String {
    switch self {
    case .none: return ""
    case .function(let name): return name(object)
    case .keyPath(let path, let expression):
      do throws(ManagedPredicateError) {
        switch try expression.value(with: ObjectSubject(object: object)) {
        case .value(.null): return ""
        case .value(.string(let text)): return text
        case .value(let value): return value.description
        case .object(let subject): return subject.object.description
        case let value: throw ManagedPredicateError(.typeMismatch, "\(value.kindName) cannot name a section")
        }
      } catch {
        throw ManagedObjectError(error, key: path)
      }
    }
  }

  /// The error for rows of a section that are not neighbours.
  func error(_ separation: ResultList.Separation, _ id: ManagedObjectID) -> ManagedObjectError {
    ManagedObjectError(
      .unsupportedRequest,
      "the objects of the section \(separation.name.quoted) are not next to each other; the first key to sort by has to "
        + "put them together", objectID: id, key: keyPath)
  }
}
