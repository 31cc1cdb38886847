internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Methods that resolve the references between objects.
extension XMLStoreReader {
  /// Sets the relationships of all rows to the references that were read. An ID in the file does not contain the
  /// entity, so it is looked up. If a relationship keeps references to deleted objects, their keys have the entity
  /// ``XMLNames/Property/deletedEntity``.
  ///
  /// - Parameter defects: receives references to objects that are missing or of a wrong entity; if nil, the first one
  ///   is thrown.
  /// - Throws: an error if two objects have the same ID, or if a relationship contains an object twice.
  mutating func resolve(store: StoreNumber, _ defects: StoreDefects?) throws(Failure) {
    var repeated: XMLFileLayout.Object?
    let entities = ObjectEntities(objects, objectEntities, repeated: &repeated)
    if let repeated {
      throw Failure("two objects have the id z\(repeated.number)", at: passSpace(from: repeated.range.lowerBound))
    }
    for reference in references {
      let entity = Int(reference.entity)
      let property = names.entities[entity].properties[Int(reference.property)]
      guard case .relationship(let destination, _, let isToMany, let isOrdered) = property.kind else { continue }
      let numbers = referredNumbers[reference.first..<reference.first + reference.count]
      func defect(_ kind: StoreDefects.Defect.Kind, _ message: String) throws(Failure) {
        guard let defects else { throw Failure(message, at: reference.offset) }
        defects.report(
          StoreDefects.Defect(
            kind: kind, key: rows[entity][Int(reference.row)].key, slot: property.slot, message: message))
      }
      func key(_ number: Int64) throws(Failure) -> RowKey? {
        guard let target = entities[number] else {
          if let entity = property.deletedEntity, number <= head.lastNumber, !ignoredNumbers.contains(number) {
            return RowKey(store: store, entityIndex: entity, number: number)
          }
          try defect(.missing, "the object z\(number) is not in the file")
          return nil
        }
        guard destination.contains(target) else {
          try defect(.wrongEntity, "the object z\(number) is not of the relationship's destination entity")
          return nil
        }
        return RowKey(store: store, entityIndex: target, number: number)
      }
      let value: RowValue
      if !isToMany, let number = numbers.first {
        value = .toOne(try key(number))
      } else if isOrdered {
        var keys: OrderedSet<RowKey> = []
        keys.reserveCapacity(numbers.count)
        var count = 0
        for number in numbers {
          guard let key = try key(number) else { continue }
          keys.append(key)
          count += 1
        }
        if keys.count < count { throw Failure("a relationship contains an object twice", at: reference.offset) }
        value = .orderedToMany(keys)
      } else {
        var keys: Set<RowKey> = []
        keys.reserveCapacity(numbers.count)
        var count = 0
        for number in numbers {
          guard let key = try key(number) else { continue }
          keys.insert(key)
          count += 1
        }
        if keys.count < count { throw Failure("a relationship contains an object twice", at: reference.offset) }
        value = .toMany(keys)
      }
      rows[entity][Int(reference.row)].values[property.slot] = value
    }
  }

  /// The entities of the objects, by the number in their IDs. An array if the numbers are dense, else a dictionary.
  private struct ObjectEntities {
    private var first: Int64 = 0
    /// For each number from ``first`` on, the index of the object's entity plus 1; 0 for a missing object. Empty if
    /// ``sparse`` is used.
    private var dense: [Int32] = []
    private var sparse: [Int64: Int32] = [:]

    /// Collects the entities of objects.
    ///
    /// - Parameter repeated: set to an object if its number occurs twice.
    init(_ objects: [XMLFileLayout.Object], _ entities: [Int32], repeated: inout XMLFileLayout.Object?) {
      var (least, greatest) = (Int64.max, Int64.min)
      for object in objects {
        least = min(least, object.number)
        greatest = max(greatest, object.number)
      }
      // The difference cannot overflow, because all numbers are positive.
      let isDense = !objects.isEmpty && greatest - least < Int64(8 * objects.count + 1024)
      if isDense {
        first = least
        dense = Array(repeating: 0, count: Int(greatest - least) + 1)
      } else {
        sparse.reserveCapacity(objects.count)
      }
      for (object, entity) in zip(objects, entities) {
        let isNew: Bool
        if isDense {
          let index = Int(object.number - first)
          isNew = dense[index] == 0
          dense[index] = entity + 1
        } else {
          isNew = sparse.updateValue(entity + 1, forKey: object.number) == nil
        }
        if !isNew { repeated = object }
      }
    }

    subscript(number: Int64) -> Int? {
      let value: Int32
      if dense.isEmpty {
        value = sparse[number] ?? 0
      } else {
        guard number >= first, number - first < Int64(dense.count) else { return nil }
        value = dense[Int(number - first)]
      }
      return value == 0 ? nil : Int(value) - 1
    }
  }
}
