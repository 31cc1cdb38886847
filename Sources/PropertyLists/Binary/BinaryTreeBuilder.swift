private import OrderedCollections

/// Builds the tree of a binary document. Objects that several others refer to are built once.
struct BinaryTreeBuilder: ~Copyable {
  private let layout: BinaryLayout
  private let document: PropertyListDocument
  private let depthLimit: Int
  private let sizeLimit: Int
  private var keySets = KeySets()
  /// For each object the number in ``built`` plus one, 0 if it was not built, or `open`.
  private var builtNumbers: [UInt32]
  private var built: [Built] = []
  /// The size of what was returned last, in the sense of ``ParsingLimits/expandedSize``.
  private var size = 0

  private struct Built {
    let value: PropertyList
    let size: Int
  }

  private static let open = UInt32.max

  /// Strings up to this many bytes live inside their value, so there is nothing to share.
  private static let inlineStringLength = 15

  init(_ layout: BinaryLayout, _ document: PropertyListDocument) {
    self.layout = layout
    self.document = document
    depthLimit = document.options.limits.effectiveDepth
    sizeLimit = document.options.limits.effectiveExpandedSize(inputSize: document.source.count)
    builtNumbers = Array(repeating: 0, count: layout.objectCount)
  }

  /// Recursion is bounded by the depth limit.
  mutating func value(_ index: Int, depth: Int, in bytes: RawSpan) throws(PropertyListError) -> PropertyList {
    let number = builtNumbers[index]
    if number != 0 {
      guard number != Self.open else {
        throw PropertyListError(
          .circularReference, "a container that contains itself", byteOffset: try layout.offset(of: index, in: bytes))
      }
      let found = built[Int(number) - 1]
      size = found.size
      return found.value
    }
    let node = try layout.node(at: index, in: bytes)
    switch node.kind {
    case .string:
      let text = try NodeContent.string(node, in: bytes)
      size = 1 + node.length
      if node.length > Self.inlineStringLength { remember(.string(text), index) }
      return .string(text)
    case .data:
      let value = PropertyList(scalar: node, in: bytes)
      size = 1 + node.length
      remember(value, index)
      return value
    case .array, .dictionary:
      guard depth < depthLimit else {
        // A circle is the better answer, if there is one.
        try document.validate()
        throw ParsingLimits.nestedTooDeeply(limit: depthLimit)
      }
      builtNumbers[index] = Self.open
      let value =
        node.kind == .array
        ? try array(node, depth: depth, in: bytes) : try dictionary(node, depth: depth, in: bytes)
      remember(value, index)
      return value
    default:
      size = 1
      return PropertyList(scalar: node, in: bytes)
    }
  }

  @inline(__always)
  private mutating func remember(_ value: PropertyList, _ index: Int) {
    built.append(Built(value: value, size: size))
    builtNumbers[index] = UInt32(truncatingIfNeeded: built.count)
  }

  private mutating func array(_ node: FlatNode, depth: Int, in bytes: RawSpan) throws(PropertyListError) -> PropertyList
  {
    var elements: [PropertyList] = []
    elements.reserveCapacity(node.count)
    var total = 1
    for position in 0..<node.count {
      do throws(PropertyListError) {
        let child = try layout.reference(at: node.offset + position * layout.referenceWidth, in: bytes)
        elements.append(try value(child, depth: depth + 1, in: bytes))
        try add(&total)
      } catch {
        throw error.below(.index(position))
      }
    }
    size = total
    return .array(elements)
  }

  private mutating func dictionary(
    _ node: FlatNode, depth: Int, in bytes: RawSpan
  ) throws(PropertyListError) -> PropertyList {
    let keys = try keys(of: node, in: bytes)
    var total = 1 + size
    let dictionary = try KeySets.dictionary(keys) { (entry) throws(PropertyListError) in
      let position = node.offset + (node.count + entry) * layout.referenceWidth
      let child = try layout.reference(at: position, in: bytes)
      let value = try value(child, depth: depth + 1, in: bytes)
      try add(&total)
      return value
    }
    size = total
    return dictionary
  }

  @inline(__always)
  private func add(_ total: inout Int) throws(PropertyListError) {
    let (sum, overflow) = total.addingReportingOverflow(size)
    guard !overflow, sum <= sizeLimit else { throw ParsingLimits.expandsTooFar(limit: sizeLimit) }
    total = sum
  }

  /// The keys of a dictionary; ``size`` becomes the size of all of them.
  private mutating func keys(of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> KeySets.KeySet {
    size = 0
    guard node.count > 0 else { return [:] }
    let width = layout.referenceWidth
    let first = bytes.bigEndian(at: node.offset, width: width)
    let last = bytes.bigEndian(at: node.offset + (node.count - 1) * width, width: width)
    let hash = KeySets.hash(node.count, first, last)
    if let (place, keys) = keySets.candidate(hash, count: node.count),
      bytes.equalBytes(place, node.offset, count: node.count * width)
    {
      size = node.count
      return keys
    }
    var keys = KeySets.KeySet(minimumCapacity: node.count)
    var total = 0
    for entry in 0..<node.count {
      let reference = try layout.reference(at: node.offset + entry * width, in: bytes)
      // Asked first, so that a container in the place of a key is not built.
      guard try layout.node(at: reference, in: bytes).kind == .string,
        case .string(let text) = try value(reference, depth: 0, in: bytes)
      else { throw document.keyIsNoString(reference) }
      guard keys.updateValue(entry, forKey: text) == nil else {
        throw KeySets.duplicate(text, at: node.offset + entry * width)
      }
      try add(&total)
    }
    size = total
    keySets.store(keys, at: node.offset, hash)
    return keys
  }
}
