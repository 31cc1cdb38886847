internal import OrderedCollections
internal import Predicates

extension ManagedObject {
  /// The objects of an ordered relationship. Changes of this value change the relationship and its inverse at once, and
  /// can be undone.
  ///
  /// ```swift
  /// let tags = note.mutableOrderedSet(\.tags)
  /// tags.insert(first, at: 0)
  /// tags.move(from: 2, to: 1)
  /// tags.swapAt(0, 1)
  /// ```
  ///
  /// Objects that cannot be in the relationship, such as those of another context, are left out, and the error is added
  /// to ``ManagedObjectContext/misuse``. So is the error of an index that is out of range.
  public struct MutableOrderedSet<Element: ManagedObject> {
    /// The object that has the relationship.
    public let owner: ManagedObject
    let slot: Int

    private var keys: OrderedKeys {
      owner.noteRead(.value(slot))
      return if case .orderedToMany(let keys) = owner.value(ofSlot: slot) { keys } else { [] }
    }

    /// The number of objects.
    ///
    /// - Complexity: O(1).
    public var count: Int { keys.count }

    /// True if the relationship has no objects.
    public var isEmpty: Bool { keys.isEmpty }

    /// The objects, in their order.
    ///
    /// - Complexity: O(*n*).
    public var objects: [Element] { owner.objects(ofSlot: slot).compactMap { $0 as? Element } }

    /// The object at an index; nil if the index is out of range.
    ///
    /// - Complexity: O(1).
    public subscript(index: Int) -> Element? {
      let keys = keys
      guard keys.indices.contains(index) else { return nil }
      return owner.managedObjectContext?.target(keys[index], of: owner, slot) as? Element
    }

    /// Returns the index of an object; nil if the relationship does not contain it.
    ///
    /// - Complexity: O(1).
    public func firstIndex(of object: ManagedObject) -> Int? {
      object.shape.context === owner.shape.context ? keys.firstIndex(of: object.key) : nil
    }

    /// True if the relationship contains an object.
    ///
    /// - Complexity: O(1).
    public func contains(_ object: ManagedObject) -> Bool { firstIndex(of: object) != nil }

    /// Adds an object at the end, unless the relationship contains it.
    ///
    /// - Complexity: O(1).
    public func append(_ object: Element) { owner.insert(object, slot: slot) }

    /// Adds objects at the end. Those that the relationship contains keep their positions.
    ///
    /// - Complexity: O(*k*) in the number of the given objects.
    public func append(contentsOf objects: some Sequence<Element>) { for object in objects { append(object) } }

    /// Inserts an object at an index, unless the relationship contains it.
    ///
    /// - Complexity: O(*n*).
    public func insert(_ object: Element, at index: Int) {
      if isValid(index, 0...count) { owner.insert(object, slot: slot, at: index) }
    }

    /// Inserts objects at an index, in their order. Those that the relationship contains keep their positions.
    ///
    /// - Complexity: O(*n* + *k*), where *k* is the number of the given objects.
    public func insert(contentsOf objects: some Sequence<Element>, at index: Int) {
      guard isValid(index, 0...count) else { return }
      owner.editOrderedKeys(slot, adding: Array(objects)) { keys, new in
        var edited = OrderedKeys(keys.prefix(index))
        edited.append(contentsOf: new.subtracting(keys))
        edited.append(contentsOf: keys.dropFirst(index))
        keys = edited
      }
    }

    /// Replaces the object at an index, unless the relationship already contains the new object.
    ///
    /// - Complexity: O(*n*).
    public func replace(at index: Int, with object: Element) {
      guard isValid(index, 0..<count), !contains(object) else { return }
      owner.editOrderedKeys(slot, adding: [object]) { keys, new in
        guard let key = new.first else { return }
        keys.remove(at: index)
        keys.insert(key, at: index)
      }
    }

    /// Removes an object, if the relationship contains it.
    ///
    /// - Complexity: O(*n*).
    public func remove(_ object: Element) { owner.remove(object, slot: slot) }

    /// Removes the object at an index.
    ///
    /// - Complexity: O(*n*).
    public func remove(at index: Int) {
      guard isValid(index, 0..<count), let context = owner.managedObjectContext else { return }
      owner.remove(context.object(for: keys[index]), slot: slot)
    }

    /// Removes objects.
    ///
    /// - Complexity: O(*n* + *k*), where *k* is the number of the given objects.
    public func subtract(_ objects: some Sequence<Element>) {
      let own = objects.filter { contains($0) }.map(\.key)
      owner.editOrderedKeys(slot) { keys, _ in keys.subtract(own) }
    }

    /// Removes all objects.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() { owner.setObjects([], slot: slot) }

    /// Moves an object to another index.
    ///
    /// - Parameter target: the index that the object has afterwards.
    /// - Complexity: O(*n*).
    public func move(from source: Int, to target: Int) {
      guard isValid(source, 0..<count), isValid(target, 0..<count) else { return }
      owner.editOrderedKeys(slot) { keys, _ in
        let key = keys.remove(at: source)
        keys.insert(key, at: target)
      }
    }

    /// Exchanges the objects at two indices.
    ///
    /// - Complexity: O(*n*).
    public func swapAt(_ first: Int, _ second: Int) {
      guard isValid(first, 0..<count), isValid(second, 0..<count) else { return }
      owner.editOrderedKeys(slot) { keys, _ in keys.swapAt(first, second) }
    }

    /// True if an index is in a range. Otherwise, adds an error to ``ManagedObjectContext/misuse``.
    private func isValid(_ index: Int, _ range: some RangeExpression<Int>) -> Bool {
      if range.contains(index) { return true }
      owner.shape.context?.note(
        ManagedObjectError(
          .invalidValue, "expected an index in \(range), found \(index)", objectID: owner.objectID,
          key: owner.shape.relationships[slot]?.definition.traits.name))
      return false
    }
  }
}

extension ManagedObject.MutableOrderedSet: Sequence {
  public func makeIterator() -> Array<Element>.Iterator { objects.makeIterator() }
}
