import ManagedObjects

/// A relationship of an object, and the value that it was set to.
struct AssignedRelationship {
  let object: ManagedObject
  let name: String
  let value: ManagedObject.Value

  /// False if a change of another object has changed the relationship by its inverse since.
  var isKept: Bool {
    switch (value, object[name]) {
    case (.set(let objects), .set(let found)?): Set(objects) == Set(found)
    case (let value, let found): value == found
    }
  }
}
