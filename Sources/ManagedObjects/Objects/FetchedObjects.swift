internal import ObjectModels
internal import Predicates

/// The results of a request, as a list that makes each object when it is touched.
///
/// ```swift
/// let notes = try context.fetchLazily(Note.self, sortedBy: .descending(\.date))
/// print(notes.count, notes[0].title)                       // 1000000 Numbers of Bernoulli
/// for note in notes[500_000..<500_020] { show(note) }
/// let first = Array(notes.prefix(50))                      // an array of objects
/// ```
///
/// The request finds only the keys of the objects: 16 bytes for each. An element is the registered object of the
/// context, or a new one. If it has no values, the rows of the objects around it are read with one statement, and kept
/// without making the objects. So the memory for a list depends on its length only by the keys, and touching an object
/// reads a bounded number of rows. The list has the rows of at most two such windows.
///
/// A window has ``FetchRequest/fetchBatchSize`` rows. If that is 0, the first one has 256. Then windows become four
/// times as large, up to 8192 rows, while the list is read in order, in either direction. They become smaller if most
/// of their rows are not used.
///
/// Following a to-one relationship reads the related objects of the whole window at once, and retains them with it. A
/// to-many relationship is read for the objects that the program references. To read it for a whole window, set
/// ``FetchRequest/relationshipKeyPathsForPrefetching``. The objects of a window are then made and retained together.
///
/// The list does not change, like an array of objects: objects that match only later are not added, and deleted objects
/// stay. It differs from such an array in these respects:
///
/// - It does not retain its objects. An object that the program does not reference is released, and is made again when
///   it is touched again. The context retains objects with changes.
/// - Rows are read after the request. Values can be newer than those that decided about the order. Rows that were read
///   are not used any more after the context has saved, merged, refreshed, rolled back, undone or been reset.
/// - An object whose deletion was saved has left the context. The list makes a fault for it, which is inaccessible as
///   soon as a value is read. After ``ManagedObjectContext/reset()``, the list makes new objects.
/// - It retains the context, because it makes objects.
///
/// An error of reading is not reported when an object is touched. The object stays a fault, and the error is added to
/// ``ManagedObjectContext/misuse`` if a value cannot be read.
///
/// Use a list in the same task as its context.
public struct FetchedObjects<Object: ManagedObject> {
  let maker: ObjectMaker

  /// The IDs of the objects, in the order of the list. Makes no objects.
  ///
  /// ```swift
  /// let ids = notes.objectIDs
  /// ```
  ///
  /// - Complexity: O(*n*).
  public var objectIDs: [ManagedObjectID] {
    let context = maker.context
    return context.objectIDs(maker.keys.lazy.map { context.presentKey($0) })
  }

  /// Returns the ID of the object at an index. Makes no object.
  ///
  /// ```swift
  /// let id = notes.objectID(at: 17)
  /// ```
  ///
  /// - Complexity: O(1).
  public func objectID(at index: Int) -> ManagedObjectID {
    maker.context.objectIDs(CollectionOfOne(maker.context.presentKey(maker.keys[index])))[0]
  }
}

extension FetchedObjects: RandomAccessCollection {
  /// The index of the first object.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { maker.keys.count }

  /// Returns the object at an index, after reading its row if it has no values.
  ///
  /// ```swift
  /// print(notes[17].title)
  /// ```
  ///
  /// - Complexity: O(1), and O(*w*) in the size of a window if rows are read.
  public subscript(index: Int) -> Object {
    // A model requires that the class of a subentity inherits from that of its superentity.
    guard let object = maker.object(at: index) as? Object else {
      preconditionFailure("expected an object of the class \(Object.self)")
    }
    return object
  }
}
