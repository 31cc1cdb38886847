internal import FoundationEssentials
internal import OrderedCollections

/// A builder that creates a ``PropertyList`` from a document, or from a part of it, without recursion. Values that are
/// referenced several times are created once and shared.
struct TreeBuilder<Source: NodeSource>: ~Copyable {
  private let source: Source
  private let document: PropertyListDocument
  private let depthLimit: Int
  private let sizeLimit: Int
  /// True if a dictionary with two canonically equivalent keys keeps only the entry of the first. If false, such keys
  /// are an error.
  private let takesFirstSpelling: Bool
  /// The number of values and bytes that may still be created. Only files whose objects overlap need more than the
  /// initial amount.
  private var budget: WorkBudget
  private var keySets = DictionaryCache<KeySet>()

  /// The keys of a dictionary, each with its position. `OrderedDictionary.mapValues` replaces the positions by values
  /// and keeps the storage of the keys, so that similar dictionaries share it.
  private typealias KeySet = OrderedDictionary<String, Int>

  /// The finished children of all unfinished containers.
  private var values: [PropertyList] = []
  /// The containers around the current one.
  private var outer: [Frame] = []
  private var current = Frame(index: 0, node: .null, start: 0, keys: [:])
  /// The number of containers around the returned values: 0 for a single value, 1 for the values of a dictionary.
  private var depthOfResult = 0
  /// The positions of the returned values that are incomplete: they are or contain a dictionary that keeps only the
  /// first of several canonically equivalent keys.
  private var incomplete: Set<Int> = []

  /// For each node that can be shared, its index in ``built`` plus one; 0 if it has not been built, and ``open`` while
  /// its children are being built.
  private var builtNumbers: IndexedNumbers
  private var built: [Built] = []
  private var recentStrings = RecentStrings()
  /// Memory for decoding data.
  private var scratch: [UInt8] = []

  /// A container that is not finished.
  private struct Frame {
    let index: Int
    let node: FlatNode
    /// The index in ``values`` of the container's first child.
    let start: Int
    let keys: KeySet
    /// The position of the next element or entry.
    var next = 0
    /// The size of the container so far, in the units of ``ParsingLimits/expandedSize``.
    var size = 1
    /// The number of container levels in the container so far.
    var height = 0
    /// True if the container is incomplete: it is or contains a dictionary that keeps only the first of several
    /// canonically equivalent keys.
    var isIncomplete = false
  }

  private struct Built {
    let value: PropertyList
    let size: Int
    /// The number of container levels in the value, including itself; 0 for a scalar.
    var height = 0
    var isIncomplete = false
  }

  private static var open: UInt32 { .max }

  /// Creates a builder for a document.
  ///
  /// - Parameter isWhole: True if the whole document is converted. For a part, no table for all objects is allocated.
  init(_ source: Source, _ document: PropertyListDocument, isWhole: Bool, takesFirstSpelling: Bool = false) {
    self.takesFirstSpelling = takesFirstSpelling
    self.source = source
    self.document = document
    let limits = document.options.limits
    depthLimit = limits.effectiveDepth
    sizeLimit = source.sharedNodeCount == 0 ? .max : limits.effectiveExpandedSize(inputSize: document.source.count)
    budget = ParsingLimits.overlapBudget(inputSize: document.source.count)
    builtNumbers = IndexedNumbers(count: source.sharedNodeCount, expectsMany: isWhole)
  }

  /// Returns the value of a node, including all values in it.
  consuming func build(_ index: Int, in bytes: RawSpan) throws(PropertyListError) -> PropertyList {
    try run(index, in: bytes)
    return values.removeLast()
  }

  /// Returns the values of a dictionary (`all`), and the positions of the incomplete ones (`incomplete`): values that
  /// contain a dictionary with canonically equivalent keys.
  consuming func buildValues(
    of index: Int, in bytes: RawSpan
  ) throws(PropertyListError) -> (all: [PropertyList], incomplete: Set<Int>) {
    depthOfResult = 1
    try run(index, in: bytes)
    return (values, incomplete)
  }

  private mutating func run(_ index: Int, in bytes: RawSpan) throws(PropertyListError) {
    do {
      // A container around the root, so that the root is treated like other children.
      current = Frame(index: -1, node: .container(.array, offset: 0, count: 1), start: 0, keys: [:], next: 1)
      try add(index, in: bytes)
      try finish(in: bytes)
    } catch {
      throw error.located(at: path(in: bytes))
    }
  }

  private mutating func finish(in bytes: RawSpan) throws(PropertyListError) {
    while true {
      while current.next < current.node.count {
        let entry = current.next
        current.next = entry + 1
        try add(source.value(entry, of: current.node, in: bytes), in: bytes)
      }
      guard outer.count > depthOfResult, let parent = outer.popLast() else { return }
      try close(into: parent)
    }
  }

  /// Adds the value of a node to the current container, or opens it if it is a container.
  @inline(__always)
  private mutating func add(_ index: Int, in bytes: RawSpan) throws(PropertyListError) {
    let isShareable = index < builtNumbers.count
    if isShareable, builtNumbers[index] != 0 { return try addBuilt(index, in: bytes) }
    let node = try source.node(at: index, in: bytes)
    switch node.kind {
    case .string:
      // A writer of the binary format has stored equal strings once.
      let text = try isShareable ? NodeContent.string(node, in: bytes) : recentStrings.string(node, in: bytes)
      let value = PropertyList.string(text)
      try add(value, size: 1 + node.length)
      if isShareable, node.length > RecentStrings.inlineStringLength { try remember(value, 1 + node.length, index) }
    case .data:
      let value = PropertyList.data(NodeContent.data(node, in: bytes, scratch: &scratch))
      try add(value, size: 1 + node.length)
      if isShareable { try remember(value, 1 + node.length, index) }
    case .array, .dictionary: try open(index, node, in: bytes)
    default: try add(PropertyList(scalar: node), size: 1)
    }
  }

  @inline(__always)
  private mutating func add(_ value: PropertyList, size: Int, height: Int = 0) throws(PropertyListError) {
    values.append(value)
    current.size &+= size
    if height > current.height { current.height = height }
    if current.size > sizeLimit { throw ParsingLimits.expandsTooFar(limit: sizeLimit) }
  }

  private mutating func addBuilt(_ index: Int, in bytes: RawSpan) throws(PropertyListError) {
    guard builtNumbers[index] != Self.open else {
      var error = PropertyListError(.circularReference, "a container that contains itself")
      if let layout = source as? BinaryLayout { error.byteOffset = try layout.offset(of: index, in: bytes) }
      throw error
    }
    let found = built[Int(builtNumbers[index]) - 1]
    // Checks the depth again, because the value may be deeper here than where it was created.
    guard outer.count + found.height <= depthLimit else { throw ParsingLimits.nestedTooDeeply(limit: depthLimit) }
    if found.isIncomplete { noteIncomplete() }
    try add(found.value, size: found.size, height: found.height)
  }

  /// Records that the value that is added next is incomplete: it is or contains a dictionary that keeps only
  /// the first of several canonically equivalent keys.
  private mutating func noteIncomplete() {
    current.isIncomplete = true
    if outer.count == depthOfResult { incomplete.insert(values.count) }
  }

  private mutating func remember(_ value: PropertyList, _ size: Int, _ index: Int) throws(PropertyListError) {
    built.append(Built(value: value, size: size))
    builtNumbers[index] = UInt32(truncatingIfNeeded: built.count)
    guard budget.spend(size) else { throw ParsingLimits.overlap }
  }

  private mutating func open(_ index: Int, _ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) {
    guard outer.count < depthLimit else {
      // Reports a circular reference instead, if there is one.
      try document.validate()
      throw ParsingLimits.nestedTooDeeply(limit: depthLimit)
    }
    var size = 1
    // For ``buildValues(of:in:)``, the keys of the requested dictionary itself are not needed. They may be canonically
    // equivalent.
    let needsKeys = node.kind == .dictionary && outer.count >= depthOfResult
    let keys = needsKeys ? try keys(of: node, size: &size, in: bytes) : [:]
    if index < builtNumbers.count {
      guard budget.spend(node.count) else { throw ParsingLimits.overlap }
      builtNumbers[index] = Self.open
    }
    outer.append(current)
    current = Frame(index: index, node: node, start: values.count, keys: keys, size: size)
    current.isIncomplete = needsKeys && keys.count < node.count
  }

  /// Creates the value of the current container, whose children are complete, and adds it to its parent.
  @inline(__always)
  private mutating func close(into parent: Frame) throws(PropertyListError) {
    let start = current.start
    let value: PropertyList
    if current.node.kind == .array {
      value = .array((start..<values.count).map { values.take(at: $0) })
    } else {
      value = .dictionary(current.keys.mapValues { values.take(at: start + $0) })
    }
    values.removeLast(values.count - start)
    let (index, size, height) = (current.index, current.size, current.height + 1)
    let isIncomplete = current.isIncomplete
    current = parent
    if isIncomplete { noteIncomplete() }
    if index < builtNumbers.count {
      built.append(Built(value: value, size: size, height: height, isIncomplete: isIncomplete))
      builtNumbers[index] = UInt32(truncatingIfNeeded: built.count)
    }
    try add(value, size: size, height: height)
  }

  /// Returns the keys of a dictionary, and adds their size to `size`. Reuses those of an earlier dictionary with the
  /// same keys.
  private mutating func keys(
    of node: FlatNode, size: inout Int, in bytes: RawSpan
  ) throws(PropertyListError) -> KeySet {
    guard node.count > 0 else { return [:] }
    if let known = try keySets.find(node, source, in: bytes) {
      size += node.count
      return known
    }
    // No capacity is reserved, because the count in the file may be wrong and large.
    var keys: KeySet = [:]
    for entry in 0..<node.count {
      let index = try source.child(source.keyPosition(entry, of: node), of: node, in: bytes)
      let key = try source.key(entry, of: node, in: bytes)
      let text = try keyText(key, index, in: bytes)
      size += 1 + key.length
      guard size <= sizeLimit else { throw ParsingLimits.expandsTooFar(limit: sizeLimit) }
      if let formerEntry = keys.updateValue(entry, forKey: text) {
        let former = keys.keys.first { $0 == text } ?? text
        guard takesFirstSpelling, !former.utf8.elementsEqual(text.utf8) else { throw .duplicateKey(text, former) }
        keys[former] = formerEntry
      }
    }
    if keys.count == node.count { try keySets.store(keys, of: node, source, in: bytes) }
    return keys
  }

  @inline(__always)
  private mutating func keyText(_ key: FlatNode, _ index: Int, in bytes: RawSpan) throws(PropertyListError) -> String {
    guard index < builtNumbers.count else { return try NodeContent.string(key, in: bytes) }
    if builtNumbers[index] != 0, builtNumbers[index] != Self.open,
      case .string(let text) = built[Int(builtNumbers[index]) - 1].value
    {
      return text
    }
    let text = try NodeContent.string(key, in: bytes)
    if key.length > RecentStrings.inlineStringLength { try remember(.string(text), 1 + key.length, index) }
    return text
  }

  /// Returns the path to the value that is being built: the key or index of the last begun child of each open
  /// container.
  private func path(in bytes: RawSpan) -> [PropertyListKeyPath.Component] {
    // The outermost frame is the container around the root.
    (outer + [current]).dropFirst().filter { $0.next > 0 }.compactMap {
      source.step(to: $0.next - 1, of: $0.node, in: bytes)
    }
  }
}

extension [PropertyList] {
  /// Moves a value out of the array and leaves null, without changing reference counts.
  @inline(__always)
  fileprivate mutating func take(at index: Int) -> PropertyList {
    var value = PropertyList.null
    swap(&value, &self[index])
    return value
  }
}

extension PropertyList {
  /// Creates the value of a node of fixed size.
  @inline(__always)
  init(scalar node: FlatNode) {
    switch node.kind {
    case .boolean: self = .boolean(node.boolean)
    case .integer, .unsignedInteger: self = .integer(node.integer)
    case .real: self = .real(node.real)
    case .float: self = .float(node.float)
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: node.real))
    case .uid: self = .uid(UID(node.uid))
    case .null, .string, .data, .array, .dictionary: self = .null
    }
  }
}
