// The macro #Predicate calls functions of these names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import FoundationEssentials
internal import Predicates

/// An object that a `#Predicate` captures: `#Predicate<Note> { $0.author == person }`.
///
/// It is what the macro makes of the object, and holds no more than which one it is, so that the predicate can go from
/// one task to another. It is for ``ManagedPredicate``; `Predicate` itself cannot evaluate it or keep it in a file.
public struct ManagedObjectArgument<Output>: StandardPredicateExpression {
  let keys: [RowKey]
  let isCollection: Bool

  init(_ keys: [RowKey], isCollection: Bool) {
    self.keys = keys
    self.isCollection = isCollection
  }

  /// Throws, because objects belong to a context.
  public func evaluate(_ bindings: PredicateBindings) throws -> Output {
    throw ManagedPredicateError(.unsupported, Self.message)
  }

  /// Throws, because objects belong to a context.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.message))
  }

  /// Throws, because objects belong to a context.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: Self.message))
  }

  private static var message: String { "a managed object in a predicate that is not made a ManagedPredicate" }
}

extension PredicateExpressions {
  /// An object that a predicate captures.
  public static func build_Arg<Object: ManagedObject>(_ object: Object) -> ManagedObjectArgument<Object> {
    ManagedObjectArgument([object.key], isCollection: false)
  }

  /// Objects that a predicate captures, or an object that may be missing.
  public static func build_Arg<Objects: RelationshipValue>(_ objects: Objects) -> ManagedObjectArgument<Objects> {
    ManagedObjectArgument(objects.objects.map(\.key), isCollection: Objects.isToMany)
  }

  /// The name of an object.
  public static func build_Arg(_ id: ManagedObjectID) -> ManagedObjectArgument<ManagedObjectID> {
    ManagedObjectArgument([id.key], isCollection: false)
  }

  /// The name of an object that may be missing.
  public static func build_Arg(_ id: ManagedObjectID?) -> ManagedObjectArgument<ManagedObjectID?> {
    ManagedObjectArgument(id.map { [$0.key] } ?? [], isCollection: false)
  }

  /// Names of objects.
  public static func build_Arg(_ ids: [ManagedObjectID]) -> ManagedObjectArgument<[ManagedObjectID]> {
    ManagedObjectArgument(ids.map(\.key), isCollection: true)
  }
}

extension ManagedObjectArgument: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let objects = keys.map { ManagedExpression.constant(.object($0)) }
    return .expression(isCollection ? .aggregate(objects) : objects.first ?? .constant(.null))
  }
}
