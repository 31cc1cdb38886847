public import FoundationEssentials
internal import ObjectModels
public import Predicates

/// Functions that create requests for the objects of classes, sorted by key paths.
extension FetchRequest {
  /// Creates a request for the objects of a class.
  ///
  /// ```swift
  /// let request = try FetchRequest(
  ///   Note.self, where: #Predicate { $0.author?.name == name }, sortedBy: .descending(\.date), .ascending(\.title))
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` for a predicate that cannot be converted, or for a key path that does not lead
  ///   to properties of a model.
  public init<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy order: Order<Object>...
  ) throws(ManagedPredicateError) {
    try self.init(type, where: try ManagedPredicate(predicate), order)
  }

  /// Creates a request for the objects of a class with a ``ManagedPredicate``.
  ///
  /// ```swift
  /// let long = try ManagedPredicate(format: "pages > %d", 100)
  /// let request = try FetchRequest(Note.self, where: long, sortedBy: .descending(\.date))
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` for a key path that does not lead to properties of a model.
  public init<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil, sortedBy order: Order<Object>...
  ) throws(ManagedPredicateError) {
    try self.init(type, where: predicate, order)
  }

  init<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate?, _ order: [Order<Object>]
  ) throws(ManagedPredicateError) {
    self.init(type.entityName, where: predicate)
    for key in order { sortDescriptors.append(try key.descriptor()) }
  }

  /// A key path to sort the objects of a class by, and the direction.
  public struct Order<Object: ManagedObject> {
    private let keyPath: PartialKeyPath<Object>
    private let isAscending: Bool
    private let comparison: SortComparison

    /// Returns an ascending order: `.ascending(\.author?.name)`, `.ascending(\.title, comparison: .localizedStandard)`.
    ///
    /// - Parameters:
    ///   - keyPath: the key path of the values to sort by.
    ///   - comparison: the method to compare the values.
    public static func ascending<Value>(
      _ keyPath: KeyPath<Object, Value>, comparison: SortComparison = .compare
    ) -> Order { Order(keyPath: keyPath, isAscending: true, comparison: comparison) }

    /// Returns a descending order.
    ///
    /// - Parameters:
    ///   - keyPath: the key path of the values to sort by.
    ///   - comparison: the method to compare the values.
    public static func descending<Value>(
      _ keyPath: KeyPath<Object, Value>, comparison: SortComparison = .compare
    ) -> Order { Order(keyPath: keyPath, isAscending: false, comparison: comparison) }

    func descriptor() throws(ManagedPredicateError) -> SortDescriptor {
      guard let path = PropertyPath(keyPath) else {
        let type = type(of: keyPath)
        throw ManagedPredicateError(
          .unknownKey, "the key path from \(type.rootType) to \(type.valueType) is not a property of a model")
      }
      return SortDescriptor(path.names.joined(separator: "."), isAscending: isAscending, comparison: comparison)
    }
  }
}
