import ManagedObjects

/// A relationship of an object, and the value that was assigned to it.
struct AssignedRelationship {
  let object: ManagedObject
  let name: String
  let value: ManagedObject.Value

  /// True if the relationship still has the assigned value. It can have another value because its inverse was set in
  /// another object afterwards.
  var isKept: Bool {
    switch (value, object[name]) {
    case (.set(let objects), .set(let found)?): Set(objects) == Set(found)
    case (let value, let found): value == found
    }
  }
}
