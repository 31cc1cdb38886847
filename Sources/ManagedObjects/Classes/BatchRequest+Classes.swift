public import FoundationEssentials
internal import ObjectModels
public import Predicates

/// Functions that create batch requests for the objects of classes.
extension BatchRequest {
  /// Deletes the objects of a class that match a `#Predicate`.
  ///
  /// ```swift
  /// try context.execute(.delete(Note.self, where: #Predicate { $0.pages > 100 }))
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` for a predicate that cannot be converted.
  public static func delete<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>
  ) throws(ManagedPredicateError) -> BatchRequest {
    .delete(type.entityName, where: try ManagedPredicate(predicate))
  }

  /// Deletes the objects of a class that match a predicate, or all.
  ///
  /// ```swift
  /// try context.execute(.delete(Note.self))
  /// ```
  public static func delete<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil
  ) -> BatchRequest {
    .delete(type.entityName, where: predicate)
  }

  /// Sets attributes of the objects of a class that match a `#Predicate`.
  ///
  /// ```swift
  /// let request = try BatchRequest.update(
  ///   Note.self, .set(\.isRead, to: true), .set(\.pages, to: ManagedExpression(format: "pages + 1")),
  ///   where: #Predicate { $0.author?.name == name })
  /// ```
  ///
  /// - Throws: ``ManagedPredicateError`` for a predicate that cannot be converted.
  public static func update<Object: ManagedObject>(
    _ type: Object.Type, _ assignments: Assignment<Object>..., where predicate: Predicate<Object>
  ) throws(ManagedPredicateError) -> BatchRequest {
    update(type, assignments, try ManagedPredicate(predicate))
  }

  /// Sets attributes of the objects of a class that match a predicate, or of all.
  public static func update<Object: ManagedObject>(
    _ type: Object.Type, _ assignments: Assignment<Object>..., where predicate: ManagedPredicate? = nil
  ) -> BatchRequest {
    update(type, assignments, predicate)
  }

  private static func update<Object: ManagedObject>(
    _ type: Object.Type, _ assignments: [Assignment<Object>], _ predicate: ManagedPredicate?
  ) -> BatchRequest {
    let values = Dictionary(assignments.map { ($0.name, $0.expression) }, uniquingKeysWith: { _, last in last })
    return .update(FetchRequest(type.entityName, where: predicate), values)
  }

  /// An attribute of a class, and the value that a batch update assigns to it.
  public struct Assignment<Object: ManagedObject> {
    let name: String
    let expression: ManagedExpression

    /// Returns the assignment of a value: `.set(\.isRead, to: true)`.
    ///
    /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a key path that is not an attribute;
    ///   ``ManagedObjectError/Code/invalidValue`` for a value that cannot be stored.
    public static func set<Value: AttributeConvertible>(
      _ keyPath: KeyPath<Object, Value>, to value: Value
    ) throws(ManagedObjectError) -> Assignment {
      Assignment(name: try keyPath.attributeName, expression: .value(try value.attributeValue))
    }

    /// Returns the assignment of an expression: `.set(\.pages, to: ManagedExpression(format: "pages + 1"))`.
    ///
    /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a key path that is not an attribute.
    public static func set<Value: AttributeConvertible>(
      _ keyPath: KeyPath<Object, Value>, to expression: ManagedExpression
    ) throws(ManagedObjectError) -> Assignment {
      Assignment(name: try keyPath.attributeName, expression: expression)
    }
  }

  /// Inserts objects of a class until a function returns false. Each call of the function sets the attributes of one
  /// object.
  ///
  /// ```swift
  /// let request = BatchRequest.insert(Note.self) { note in
  ///   guard let line = readLine() else { return false }
  ///   try note.set(\.title, to: line)
  ///   return true
  /// }
  /// ```
  ///
  /// See ``insert(_:_:)`` for conflicts over uniqueness constraints.
  ///
  /// - Parameter fill: sets the attributes of the next object, and returns true; returns false at the end.
  public static func insert<Object: ManagedObject>(
    _ type: Object.Type, _ fill: @escaping (inout NewRow<Object>) throws(ManagedObjectError) -> Bool
  ) -> BatchRequest {
    var row = NewRow<Object>()
    return .insert(type.entityName) { () throws(ManagedObjectError) in
      row.values = [:]
      return try fill(&row) ? row.values : nil
    }
  }

  /// The attributes of an object that a batch request inserts.
  public struct NewRow<Object: ManagedObject> {
    fileprivate var values: [String: AttributeValue] = [:]
    /// The names of attributes whose key paths have been used.
    private var names: [PartialKeyPath<Object>: String] = [:]

    fileprivate init() {}

    /// Sets an attribute.
    ///
    /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a key path that is not an attribute;
    ///   ``ManagedObjectError/Code/invalidValue`` for a value that cannot be stored.
    public mutating func set<Value: AttributeConvertible>(
      _ keyPath: KeyPath<Object, Value>, to value: Value
    ) throws(ManagedObjectError) {
      let name = if let known = names[keyPath] { known } else { try keyPath.attributeName }
      names[keyPath] = name
      values[name] = try value.attributeValue
    }
  }
}

extension KeyPath where Root: ManagedObject {
  /// The name of the attribute that the key path leads to.
  fileprivate var attributeName: String {
    get throws(ManagedObjectError) {
      guard let path = PropertyPath(self), path.names.count == 1 else {
        throw ManagedObjectError(
          .undefinedKey, "the key path from \(Root.self) to \(Value.self) is not an attribute of the model")
      }
      return path.names[0]
    }
  }
}
