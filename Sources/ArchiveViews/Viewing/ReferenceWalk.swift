internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Visits the references in an object or in another value, also those in its inline arrays and dictionaries.
///
/// It does not recurse, so values may be nested deeply.
struct ReferenceWalk {
  /// The UID, if the value itself is a reference that has not been returned yet.
  private var own: UInt32?
  private var frames: [Frame] = []
  /// The position of an instance's `$class`, which is not visited.
  private let skipped: Int?

  private struct Frame {
    let node: FlatNode
    var next = 0
  }

  init(_ node: FlatNode, classPosition: Int?) {
    skipped = classPosition
    if node.kind == .uid { own = node.uid }
    if node.kind.isContainer { frames.append(Frame(node: node)) }
  }

  /// Creates a walk over the references of an object. Returns nil for an object that cannot contain references.
  init?(of uid: UInt32, _ reader: inout ArchiveReader) throws(KeyedArchiveError) {
    let node = try reader.object(uid)
    guard node.kind.isContainer || node.kind == .uid else { return nil }
    self.init(node, classPosition: node.kind == .dictionary ? try reader.keyPositions(of: node).classReference : nil)
  }

  /// The number of steps in the path that ``path(_:)`` returns.
  var depth: Int { frames.count }

  /// Returns the UID of the next reference, or nil at the end. After an error, the next call continues after the value
  /// that cannot be read.
  mutating func next(_ reader: inout ArchiveReader) throws(KeyedArchiveError) -> UInt32? {
    if let uid = own {
      own = nil
      return uid
    }
    while let frame = frames.last {
      guard frame.next < frame.node.count else {
        frames.removeLast()
        continue
      }
      frames[frames.count - 1].next += 1
      if frames.count == 1, frame.next == skipped { continue }
      let child = try reader.child(frame.next, of: frame.node)
      switch child.kind {
      case .uid: return child.uid
      case .array, .dictionary:
        try reader.checkNesting(of: child, in: frames.lazy.map(\.node), depth: frames.count)
        if child.count > 0 { frames.append(Frame(node: child)) }
      default: break
      }
    }
    return nil
  }

  /// Returns the path from the object to the reference that was found last, or to the value that cannot be read.
  func path(_ reader: inout ArchiveReader) throws(KeyedArchiveError) -> PropertyListKeyPath {
    var path = PropertyListKeyPath()
    for (depth, frame) in frames.enumerated() where frame.next > 0 {
      if frame.node.kind == .array {
        path.components.append(.index(frame.next - 1))
      } else {
        let key = try reader.key(ofEntry: frame.next - 1, of: frame.node)
        path.components.append(.key(depth == 0 ? ArchiveKey.unescaped(key) : key))
      }
    }
    return path
  }
}
