package import FoundationEssentials

/// The values of a binary property list. They can be added in any order, as in the object table of an archiver. Each
/// scalar is stored once. References between values have four bytes.
///
/// Callers see a value as a ``FlatNode``. The offset of a string, of data or of a container is its index in this pool.
package struct ValuePool: ~Copyable {
  /// The scalars, as objects of the binary format.
  private var scalars = UniqueBytes()
  /// For each container, a word with its kind and count, followed by its references. A dictionary has the references of
  /// all keys first.
  private var containers = UniqueBytes()
  /// The scalar indexes of the integers from 0 to 255, by value. The array is empty until such an integer is added.
  private var smallIntegers: [UInt32] = []

  package init() {}

  /// A reference to a value. The low two bits are its kind. The other bits are the value of a UID, or the index of a
  /// scalar or a container. A UID that needs more than 30 bits is stored as a scalar.
  package struct Reference: Hashable, Sendable {
    fileprivate let bits: UInt32

    fileprivate static let uid: UInt32 = 0
    fileprivate static let scalar: UInt32 = 1
    fileprivate static let container: UInt32 = 2

    fileprivate init(bits: UInt32) { self.bits = bits }

    fileprivate init(_ kind: UInt32, _ number: Int) { bits = UInt32(truncatingIfNeeded: number) << 2 | kind }

    fileprivate var kind: UInt32 { bits & 3 }
    fileprivate var number: Int { Int(bits >> 2) }
  }

  /// The maximum number of scalars and of containers.
  package static var greatestCount: Int { 1 << 30 - 1 }

  private static func check(_ number: Int) throws(PropertyListError) -> Int {
    guard number < greatestCount else {
      throw PropertyListError(.notRepresentable, "cannot encode more than \(greatestCount) different values")
    }
    return number
  }

  // Adding values. A value is added only if the pool does not contain an equal one.

  @inline(__always)
  package mutating func string(_ text: String) throws(PropertyListError) -> FlatNode {
    text.withRawUTF8 { scalars.bytes.append(objectOfText: $0) }
    return .string(.verbatim, offset: try Self.check(scalars.find()), length: 0)
  }

  package mutating func data(_ data: Data) throws(PropertyListError) -> FlatNode {
    scalars.bytes.append(objectOfData: data.bytes)
    return .data(.verbatim, offset: try Self.check(scalars.find()), length: 0)
  }

  /// Returns the index of a scalar in the pool, and adds it if necessary. The node must not be a container, or a UID
  /// that fits into a ``Reference``.
  package mutating func number(ofScalar node: FlatNode) throws(PropertyListError) -> Int {
    switch node.kind {
    case .string, .data: return node.offset
    case .integer where node.payload < 256:
      let value = Int(node.payload)
      if smallIntegers.isEmpty { smallIntegers = [UInt32](repeating: .max, count: 256) }
      if smallIntegers[value] == .max {
        scalars.bytes.append(object: node.integer)
        smallIntegers[value] = UInt32(try Self.check(scalars.find()))
      }
      return Int(smallIntegers[value])
    default: scalars.bytes.append(object: node)
    }
    return try Self.check(scalars.find())
  }

  /// Returns a reference to a value. A number, a Boolean, a date, null, or a UID that does not fit into a ``Reference``
  /// is added to the pool, unless the pool contains it.
  ///
  /// - Parameter node: A string, data or a container of this pool, or any other value.
  @inline(__always)
  package mutating func reference(to node: FlatNode) throws(PropertyListError) -> Reference {
    switch node.kind {
    case .uid where node.uid < Self.greatestCount: Reference(Reference.uid, Int(node.uid))
    case .array, .dictionary: Reference(Reference.container, node.offset)
    default: Reference(Reference.scalar, try number(ofScalar: node))
    }
  }

  /// Adds a container, and returns its node.
  ///
  /// - Parameters:
  ///   - nodes: The children. Those of a dictionary are keys and values in turn.
  ///   - isShared: True to return an equal container of the pool, if it has one, instead of adding another.
  package mutating func container(
    _ kind: NodeKind, _ nodes: Span<FlatNode>, isShared: Bool
  ) throws(PropertyListError) -> FlatNode {
    let isDictionary = kind == .dictionary
    let count = try Self.check(isDictionary ? nodes.count / 2 : nodes.count)
    containers.bytes.append(word: UInt32(count) << 1 | (isDictionary ? 1 : 0))
    if isDictionary {
      for entry in 0..<count { containers.bytes.append(word: try reference(to: nodes[2 * entry]).bits) }
      for entry in 0..<count { containers.bytes.append(word: try reference(to: nodes[2 * entry + 1]).bits) }
    } else {
      for index in 0..<count { containers.bytes.append(word: try reference(to: nodes[index]).bits) }
    }
    let number = isShared ? containers.find() : containers.add()
    return .container(kind, offset: try Self.check(number), count: count)
  }

  /// Adds an array of values of this pool.
  package mutating func array(_ elements: [Reference]) throws(PropertyListError) -> FlatNode {
    let count = try Self.check(elements.count)
    containers.bytes.append(word: UInt32(count) << 1)
    for element in elements { containers.bytes.append(word: element.bits) }
    return .container(.array, offset: try Self.check(containers.add()), count: count)
  }
}

extension ByteBuffer {
  @inline(__always)
  fileprivate mutating func append(word: UInt32) { append(littleEndianWord: UInt64(word), length: 4) }
}

/// Functions that write the file.
extension ValuePool {
  /// Returns a binary property list whose root is a container of this pool. The bytes equal those that ``BinaryWriter``
  /// writes, but are created without a search for equal scalars, because the pool has each scalar once.
  package consuming func binaryData(root: FlatNode) throws(PropertyListError) -> Data {
    scalars.endSearch()
    containers.endSearch()
    var order = FileOrder(scalarCount: scalars.count, denseUIDCount: containers.bytes.count / 4)
    try order.number(Reference(Reference.container, root.offset), scalars, containers)
    let referenceWidth = BinaryLayout.width(order.objects.count)
    var file = BinaryFileWriter(
      objectCount: order.objects.count,
      length: BinaryLayout.headerLength + order.length + order.referenceCount * referenceWidth)
    var container = 0
    for object in order.objects {
      file.beginObject(at: file.output.count)
      switch object.kind {
      case Reference.uid: file.output.append(objectOfUID: UInt32(truncatingIfNeeded: object.number))
      case Reference.scalar: file.output.append(scalars.bytes.bytes.extracting(scalars.range(of: object.number)))
      default:
        append(object.number, order, container, referenceWidth, to: &file.output)
        container += 1
      }
    }
    return file.finish()
  }

  /// Appends a container to the file.
  ///
  /// - Parameter index: The index in ``FileOrder/containers`` of this occurrence of the container. A container occurs
  ///   once for each reference to it.
  private borrowing func append(
    _ number: Int, _ order: borrowing FileOrder, _ index: Int, _ width: Int, to output: inout ByteBuffer
  ) {
    let words = containers.words(of: number)
    let marker = words.isDictionary ? BinaryMarker.dictionary : BinaryMarker.array
    output.append(marker: marker, count: words.count)
    output.reserve(words.range.count / 4 * width + 8)
    let bytes = containers.bytes.bytes
    // In ``FileOrder/containers``, this container is followed by its first child container with everything nested in
    // that, then by the second child container, and so on.
    var inner = index + 1
    for offset in stride(from: words.range.lowerBound, to: words.range.upperBound, by: 4) {
      let child = Reference(bits: bytes.littleEndianUInt32(at: offset))
      let object: UInt32
      switch child.kind {
      case Reference.uid: object = order.object(ofUID: child.number)
      case Reference.scalar: object = order.scalars[child.number]
      default:
        object = order.containers[inner].object
        inner = Int(order.containers[inner].end)
      }
      output.append(bigEndian: UInt64(object), width: width)
    }
  }

  /// The order of the objects in the file: depth first from the root, with a dictionary followed by all its keys and
  /// then its values, as in Core Foundation.
  private struct FileOrder: ~Copyable {
    /// The objects in file order. A container occurs once for each reference to it.
    private(set) var objects: [Reference] = []
    /// The object index of each scalar; `UInt32.max` before it gets one.
    private(set) var scalars: [UInt32]
    private var uids: [UInt32] = []
    /// The object indexes of the UIDs that are not less than ``denseUIDCount``, because these could make ``uids`` too
    /// long.
    private var sparseUIDs: [Int: UInt32] = [:]
    private let denseUIDCount: Int
    /// For each container in file order: its object index, and the end of the containers nested in it, as an index in
    /// this array.
    private(set) var containers: [(object: UInt32, end: UInt32)] = []
    /// The size of all objects without their references, in bytes.
    private(set) var length = 0
    private(set) var referenceCount = 0

    private struct Frame {
      /// The index of the container in ``containers``.
      let index: Int
      /// The offset of the container's next reference.
      var next: Int
      let end: Int
    }

    private var open: [Frame] = []

    /// Creates an empty file order.
    ///
    /// - Parameter denseUIDCount: UIDs below this number are stored in an array, all others in a dictionary. Pass the
    ///   number of references: in an object table without gaps, no UID is greater.
    init(scalarCount: Int, denseUIDCount: Int) {
      scalars = Array(repeating: .max, count: scalarCount)
      self.denseUIDCount = denseUIDCount
    }

    func object(ofUID uid: Int) -> UInt32 { uid < uids.count ? uids[uid] : sparseUIDs[uid] ?? .max }

    /// Assigns object indexes to a container and all values in it.
    mutating func number(
      _ root: Reference, _ scalarBytes: borrowing UniqueBytes, _ containers: borrowing UniqueBytes
    ) throws(PropertyListError) {
      try begin(root, scalarBytes, containers)
      let bytes = containers.bytes.bytes
      while let frame = open.last {
        guard frame.next < frame.end else {
          self.containers[frame.index].end = UInt32(truncatingIfNeeded: self.containers.count)
          open.removeLast()
          continue
        }
        open[open.count - 1].next += 4
        let child = Reference(bits: bytes.littleEndianUInt32(at: frame.next))
        if child.kind == Reference.container {
          try begin(child, scalarBytes, containers)
        } else {
          try number(child, scalarBytes)
        }
      }
    }

    private mutating func begin(
      _ container: Reference, _ scalarBytes: borrowing UniqueBytes, _ containers: borrowing UniqueBytes
    ) throws(PropertyListError) {
      let words = containers.words(of: container.number)
      self.containers.makeRoom(for: 1)
      self.containers.append((object: UInt32(objects.count), end: 0))
      try append(container)
      length += BinaryLayout.markerLength(count: words.count)
      referenceCount += words.range.count / 4
      var next = words.range.lowerBound
      if words.isDictionary {
        let bytes = containers.bytes.bytes
        for _ in 0..<words.count {
          try number(Reference(bits: bytes.littleEndianUInt32(at: next)), scalarBytes)
          next += 4
        }
      }
      open.append(Frame(index: self.containers.count - 1, next: next, end: words.range.upperBound))
    }

    /// Assigns an object index to a scalar or UID, unless it has one.
    @inline(__always)
    private mutating func number(_ value: Reference, _ scalarBytes: borrowing UniqueBytes) throws(PropertyListError) {
      let number = value.number
      if value.kind == Reference.scalar {
        guard scalars[number] == .max else { return }
        scalars[number] = UInt32(objects.count)
        length += scalarBytes.range(of: number).count
      } else {
        guard object(ofUID: number) == .max else { return }
        if number < denseUIDCount {
          uids.extend(to: number, with: .max)
          uids[number] = UInt32(objects.count)
        } else {
          sparseUIDs[number] = UInt32(objects.count)
        }
        length += 1 + ByteBuffer.widthOfUID(UInt32(number))
      }
      try append(value)
    }

    private mutating func append(_ object: Reference) throws(PropertyListError) {
      guard objects.count < UInt32.max - 1 else {
        throw PropertyListError(.notRepresentable, "the binary format cannot hold more than 4294967294 objects")
      }
      objects.makeRoom(for: 1)
      objects.append(object)
    }
  }
}

extension UniqueBytes {
  /// Returns the kind of a container, its count, and the range of its references.
  @inline(__always)
  fileprivate func words(of container: Int) -> (isDictionary: Bool, count: Int, range: Range<Int>) {
    let range = range(of: container)
    let word = bytes.bytes.littleEndianUInt32(at: range.lowerBound)
    return (word & 1 == 1, Int(word >> 1), range.lowerBound + 4..<range.upperBound)
  }
}
