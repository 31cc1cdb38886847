/// Values that are being read or made: of an object, or of the stream, one group after another; of an array, one
/// element after another; or of a structure.
struct TypedstreamFrame {
  let kind: Kind
  /// The node of the object, array or structure; ``none`` for the stream.
  let container: UInt32
  /// The node of the group that is open.
  var group = none
  /// The types of the values that are left.
  var type: UInt32 = 0
  var endOfTypes: UInt32 = 0
  /// The type of an array's elements, and how many are left.
  private var elementType: UInt32 = 0
  private var remaining: UInt32 = 0

  enum Kind { case groups, array, structure }

  static let none = UInt32.max

  /// The groups of an object, or of the stream.
  init(groupsOf container: UInt32 = none) {
    kind = .groups
    self.container = container
  }

  /// The elements of an array.
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

  /// The fields of a structure.
  ///
  /// - Parameter typeIndex: the index of the structure's type.
  init(structureAt container: UInt32, _ type: TypedstreamTables.TypeNode, at typeIndex: UInt32) {
    kind = .structure
    self.container = container
    self.type = typeIndex + 1
    endOfTypes = type.end
  }

  /// Goes on to the next element of an array; false if it has no more.
  @inline(__always)
  mutating func beginElement() -> Bool {
    guard remaining > 0 else { return false }
    remaining -= 1
    type = elementType
    return true
  }
}
