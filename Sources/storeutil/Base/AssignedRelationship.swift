import ManagedObjects

/// A relationship of an object, and the value that was assigned to it.
struct AssignedRelationship {
  let object: ManagedObject
  let name: String
  let value: ManagedObject.Value

  /// False if the relationship has changed since, through the inverse of another object's relationship.
  var isKept: Bool {
    switch (value, object[name]) {
    case (.set(let objects), .set(let found)?): Set(objects) == Set(found)
    case (let value, let found): value == found
    }
  }
}
