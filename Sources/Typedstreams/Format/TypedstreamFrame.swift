/// The state of reading or building a container: an object, the stream, an array or a structure. The values of an
/// object or of the stream are in groups.
struct TypedstreamFrame {
  let kind: Kind
  /// The node index of the object, array or structure; ``none`` for the stream.
  let container: UInt32
  /// The node index of the current group; ``none`` between groups.
  var group = none
  /// The index of the type of the next value.
  var type: UInt32 = 0
  /// The index after the type of the last value.
  var endOfTypes: UInt32 = 0
  /// The type of an array's elements.
  private var elementType: UInt32 = 0
  /// The number of elements of an array that are still missing.
  private var remaining: UInt32 = 0

  enum Kind { case groups, array, structure }

  static let none = UInt32.max

  /// Creates a frame for the groups of an object or of the stream.
  init(groupsOf container: UInt32 = none) {
    kind = .groups
    self.container = container
  }

  /// Creates a frame for the elements of an array.
  ///
  /// - Parameter typeIndex: the index of the array's type.
  init(arrayAt container: UInt32, _ type: TypedstreamTables.TypeNode, at typeIndex: UInt32) {
    kind = .array
    self.container = container
    elementType = typeIndex + 1
    self.type = type.end
    endOfTypes = type.end
    remaining = type.count
  }

  /// Creates a frame for the fields of a structure.
  ///
  /// - Parameter typeIndex: the index of the structure's type.
  init(structureAt container: UInt32, _ type: TypedstreamTables.TypeNode, at typeIndex: UInt32) {
    kind = .structure
    self.container = container
    self.type = typeIndex + 1
    endOfTypes = type.end
  }

  /// Moves to the next element of an array. Returns false after the last one.
  @inline(__always)
  mutating func beginElement() -> Bool {
    guard remaining > 0 else { return false }
    remaining -= 1
    type = elementType
    return true
  }
}
