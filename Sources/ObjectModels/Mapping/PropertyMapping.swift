public import OrderedCollections
public import Predicates
public import PropertyLists

/// The origin of a property's value in objects of the destination.
public struct PropertyMapping: Hashable, Sendable {
  /// The name of the property in the destination entity.
  public var name: String
  /// The value, by variables such as `$source` and `$manager`; nil if the mapping says nothing, so that the property
  /// keeps its default value unless a migration policy sets it.
  public var valueExpression: ManagedExpression?
  /// Data that programs keep with the mapping.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The transforms of the property in a compiled mapping (`NSPropertyTransforms`). No file with any was found, so they
  /// are kept as they are and mean nothing here.
  public var transforms: [PredicateConstant] = []
  /// The values of a compiled mapping under unknown keys, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// A mapping of a property.
  public init(_ name: String, valueExpression: ManagedExpression? = nil) {
    self.name = name
    self.valueExpression = valueExpression
  }
}
