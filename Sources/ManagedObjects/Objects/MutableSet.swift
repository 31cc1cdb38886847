internal import Predicates

extension ManagedObject {
  /// The objects of an unordered to-many relationship. Changes of this value change the relationship and its inverse at
  /// once, and can be undone.
  ///
  /// ```swift
  /// let notes = person.mutableSet(\.notes)
  /// notes.insert(letter)
  /// notes.formUnion(drafts)
  /// print(notes.count, notes.contains(letter))             // 4 true
  /// ```
  ///
  /// Objects that cannot be in the relationship, such as those of another context, are left out, and the error is added
  /// to ``ManagedObjectContext/misuse``.
  public struct MutableSet<Element: ManagedObject> {
    /// The object that has the relationship.
    public let owner: ManagedObject
    let slot: Int

    private var keys: Set<RowKey> {
      owner.noteRead(.value(slot))
      return if case .toMany(let keys) = owner.value(ofSlot: slot) { keys } else { [] }
    }

    /// The number of objects.
    ///
    /// - Complexity: O(1).
    public var count: Int { keys.count }

    /// True if the relationship has no objects.
    public var isEmpty: Bool { keys.isEmpty }

    /// The objects, sorted by primary key.
    ///
    /// - Complexity: O(*n* log *n*).
    public var objects: [Element] { owner.objects(ofSlot: slot).compactMap { $0 as? Element } }

    /// True if the relationship contains an object.
    ///
    /// - Complexity: O(1).
    public func contains(_ object: ManagedObject) -> Bool {
      keys.contains(object.key) && object.shape.context === owner.shape.context
    }

    /// Adds an object, unless the relationship contains it.
    ///
    /// - Complexity: O(1).
    public func insert(_ object: Element) { owner.insert(object, slot: slot) }

    /// Adds objects.
    ///
    /// - Complexity: O(*k*) in the number of the given objects.
    public func formUnion(_ objects: some Sequence<Element>) { for object in objects { insert(object) } }

    /// Removes an object, if the relationship contains it.
    ///
    /// - Complexity: O(1).
    public func remove(_ object: Element) { owner.remove(object, slot: slot) }

    /// Removes objects.
    ///
    /// - Complexity: O(*k*) in the number of the given objects.
    public func subtract(_ objects: some Sequence<Element>) { for object in objects { remove(object) } }

    /// Removes all objects.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() { owner.setObjects([], slot: slot) }
  }
}

extension ManagedObject.MutableSet: Sequence {
  public func makeIterator() -> Array<Element>.Iterator { objects.makeIterator() }
}
