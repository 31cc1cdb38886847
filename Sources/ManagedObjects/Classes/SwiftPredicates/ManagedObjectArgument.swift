// The macro #Predicate calls functions with these names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import FoundationEssentials
internal import Predicates

/// An object, or several, that a `#Predicate` captures: `#Predicate<Note> { $0.author == person }`.
///
/// The macro creates this node. It contains only the keys of the objects, so the predicate can be sent between tasks.
/// Convert the predicate to a ``ManagedPredicate``: Foundation's `Predicate` cannot evaluate or encode the node.
public struct ManagedObjectArgument<Output>: StandardPredicateExpression {
  let keys: [RowKey]
  let isCollection: Bool

  init(_ keys: [RowKey], isCollection: Bool) {
    self.keys = keys
    self.isCollection = isCollection
  }

  /// Always throws an error: the node has only keys, and a context is needed to find the objects.
  public func evaluate(_ bindings: PredicateBindings) throws -> Output {
    throw ManagedPredicateError(.unsupported, Self.message)
  }

  /// Always throws an error: the node has only keys, and a context is needed to find the objects.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.message))
  }

  /// Always throws an error: the node has only keys, and a context is needed to find the objects.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: Self.message))
  }

  private static var message: String { "a predicate with a managed object must be converted to a ManagedPredicate" }
}

extension PredicateExpressions {
  /// Returns the node for a captured object.
  public static func build_Arg<Object: ManagedObject>(_ object: Object) -> ManagedObjectArgument<Object> {
    ManagedObjectArgument([object.key], isCollection: false)
  }

  /// Returns the node for captured objects, or for an optional object.
  public static func build_Arg<Objects: RelationshipValue>(_ objects: Objects) -> ManagedObjectArgument<Objects> {
    ManagedObjectArgument(objects.objects.map(\.key), isCollection: Objects.isToMany)
  }

  /// Returns the node for a captured object ID.
  public static func build_Arg(_ id: ManagedObjectID) -> ManagedObjectArgument<ManagedObjectID> {
    ManagedObjectArgument([id.key], isCollection: false)
  }

  /// Returns the node for a captured optional object ID.
  public static func build_Arg(_ id: ManagedObjectID?) -> ManagedObjectArgument<ManagedObjectID?> {
    ManagedObjectArgument(id.map { [$0.key] } ?? [], isCollection: false)
  }

  /// Returns the node for captured object IDs.
  public static func build_Arg(_ ids: [ManagedObjectID]) -> ManagedObjectArgument<[ManagedObjectID]> {
    ManagedObjectArgument(ids.map(\.key), isCollection: true)
  }

  /// Returns the node for a captured set of object IDs.
  public static func build_Arg(_ ids: Set<ManagedObjectID>) -> ManagedObjectArgument<Set<ManagedObjectID>> {
    ManagedObjectArgument(ids.map(\.key).sorted(), isCollection: true)
  }
}

extension ManagedObjectArgument: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let objects = keys.map { ManagedExpression.constant(.object($0)) }
    return .expression(isCollection ? .aggregate(objects) : objects.first ?? .constant(.null))
  }
}
