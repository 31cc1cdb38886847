/// A collection that hashes its elements or its keys, and has them in another order in each process.
package protocol HashedCollection {
  /// How many values of a container without keys stand for one element.
  static var valuesPerElement: Int { get }
}

extension Set: HashedCollection {
  package static var valuesPerElement: Int { 1 }
}

extension Dictionary: HashedCollection {
  package static var valuesPerElement: Int { 2 }
}
