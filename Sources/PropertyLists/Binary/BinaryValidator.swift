/// The full check of a binary property list, in one pass over its objects and one over its references.
struct BinaryValidator: ~Copyable {
  private let layout: BinaryLayout
  private let depthLimit: Int
  private var states: [State]
  /// How many levels of containers each container is, itself included; filled in when it is done.
  private var heights: [UInt16]
  private var keyIndex = KeyIndex()
  /// The number in ``keyIndex`` plus one of each object that was met as a key.
  private var keyNumbers: [UInt32] = []
  /// Dictionaries whose keys were found in order, by the number of their entries.
  private var knownKeys = [FlatNode](repeating: .null, count: 64)
  /// How many more bytes of content and references may be looked at.
  private var budget: Int

  private enum State: UInt8 {
    case string, otherScalar, container
    /// A container whose children are being looked at: to meet it again is a circle.
    case open
    case done
    /// An object that cannot be read. Apple's reader never looks at objects that nothing refers to, so it counts only
    /// when something does.
    case faulty
  }

  private struct Frame {
    let object: Int
    let node: FlatNode
    var next: Int
    var height: UInt16
  }

  /// - Complexity: O(*n*) in the length of the file. Allocates up to seven bytes an object, and a copy of each key.
  static func validate(_ layout: BinaryLayout, _ bytes: RawSpan, limits: ParsingLimits) throws(PropertyListError) {
    var validator = BinaryValidator(
      layout, depthLimit: limits.effectiveDepth,
      budget: ParsingLimits.overlapBudget(inputSize: bytes.byteCount))
    try validator.scanObjects(in: bytes)
    try validator.followReferences(in: bytes)
  }

  private init(_ layout: BinaryLayout, depthLimit: Int, budget: Int) {
    self.layout = layout
    self.depthLimit = depthLimit
    self.budget = budget
    states = Array(repeating: .otherScalar, count: layout.objectCount)
    heights = Array(repeating: 0, count: layout.objectCount)
  }

  private mutating func spend(_ size: Int) throws(PropertyListError) {
    budget -= size
    if budget < 0 { throw ParsingLimits.overlap }
  }

  private mutating func scanObjects(in bytes: RawSpan) throws(PropertyListError) {
    for index in 0..<layout.objectCount {
      guard budget >= 0 else { return try spend(0) }
      do throws(PropertyListError) {
        let node = try layout.node(at: index, in: bytes)
        switch node.kind {
        case .string:
          budget -= node.length
          if node.encoding == .ascii {
            states[index] =
              bytes.extracting(node.offset..<node.offset + node.length).isASCII ? .string : .faulty
          } else {
            _ = try NodeContent.string(node, in: bytes)
            states[index] = .string
          }
        case .array, .dictionary: states[index] = .container
        default: states[index] = .otherScalar
        }
      } catch {
        states[index] = .faulty
      }
    }
  }

  private mutating func followReferences(in bytes: RawSpan) throws(PropertyListError) {
    var frames: [Frame] = []
    // The child that is looked at, of the innermost container.
    var next = 0
    do throws(PropertyListError) {
      try visit(layout.topObject, &frames, in: bytes)
      while let frame = frames.last {
        let references = frame.node.kind == .dictionary ? 2 * frame.node.count : frame.node.count
        next = frame.next
        var height = frame.height
        var descends = false
        while next < references {
          let child = try layout.reference(at: frame.node.offset + next * layout.referenceWidth, in: bytes)
          switch states[child] {
          case .string, .otherScalar: next += 1
          case .done:
            height = max(height, heights[child] + 1)
            next += 1
          case .container, .open, .faulty:
            frames[frames.count - 1].next = next
            frames[frames.count - 1].height = height
            try visit(child, &frames, in: bytes)
            descends = true
          }
          if descends { break }
        }
        guard !descends else { continue }
        // The containers above, and the height below, together.
        guard frames.count - 1 + Int(height) <= depthLimit else {
          throw ParsingLimits.nestedTooDeeply(limit: depthLimit)
        }
        states[frame.object] = .done
        heights[frame.object] = height
        frames.removeLast()
      }
    } catch {
      if !frames.isEmpty { frames[frames.count - 1].next = next }
      throw located(error, frames, in: bytes)
    }
  }

  /// Begins with the object number `index`, which is the root or a child of the innermost frame.
  private mutating func visit(_ index: Int, _ frames: inout [Frame], in bytes: RawSpan) throws(PropertyListError) {
    switch states[index] {
    case .string, .otherScalar, .done: return
    case .faulty:
      let node = try layout.node(at: index, in: bytes)
      _ = try NodeContent.string(node, in: bytes)
    case .open:
      throw PropertyListError(
        .circularReference, "a container that contains itself", byteOffset: try layout.offset(of: index, in: bytes))
    case .container:
      guard frames.count < depthLimit else { throw ParsingLimits.nestedTooDeeply(limit: depthLimit) }
      let node = try layout.node(at: index, in: bytes)
      try spend(node.count)
      states[index] = .open
      if node.kind == .dictionary { try checkKeys(node, in: bytes) }
      frames.append(Frame(object: index, node: node, next: node.kind == .dictionary ? node.count : 0, height: 1))
    }
  }

  private mutating func checkKeys(_ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) {
    let width = layout.referenceWidth
    let known = knownKeys[node.count & 63]
    // Lists of like dictionaries are what large files consist of, and these keys were found to be in order before.
    if known.kind == .dictionary, known.count == node.count,
      bytes.equalBytes(known.offset, node.offset, count: node.count * width)
    {
      return
    }
    if keyNumbers.isEmpty { keyNumbers = Array(repeating: 0, count: layout.objectCount) }
    keyIndex.beginDictionary()
    for entry in 0..<node.count {
      let reference = try layout.reference(at: node.offset + entry * width, in: bytes)
      if keyNumbers[reference] == 0 { keyNumbers[reference] = UInt32(try keyNumber(of: reference, in: bytes) + 1) }
      guard keyIndex.isFirst(Int(keyNumbers[reference]) - 1) else {
        let key = try NodeContent.string(layout.node(at: reference, in: bytes), in: bytes)
        throw PropertyListError(
          .duplicateKey, "the key \(key.quoted) stands twice in a dictionary", byteOffset: node.offset + entry * width)
      }
    }
    knownKeys[node.count & 63] = node
  }

  private mutating func keyNumber(of object: Int, in bytes: RawSpan) throws(PropertyListError) -> Int {
    let key = try layout.node(at: object, in: bytes)
    guard key.kind == .string else {
      throw PropertyListError(
        .malformed, "a key of a dictionary that is no string", byteOffset: try layout.offset(of: object, in: bytes))
    }
    try spend(key.length)
    if key.encoding == .ascii, states[object] == .string {
      return keyIndex.number(of: bytes.extracting(key.offset..<key.offset + key.length))
    }
    var text: [UInt8] = []
    try NodeContent.appendText(key, in: bytes, to: &text)
    return keyIndex.number(of: text.rawBytes)
  }

  /// The error with the way to the value it is about.
  private func located(_ error: PropertyListError, _ frames: [Frame], in bytes: RawSpan) -> PropertyListError {
    var error = error
    var path = PropertyListKeyPath()
    for frame in frames {
      if frame.node.kind == .array {
        // A container that is too high as a whole has no child to blame.
        guard frame.next < frame.node.count else { break }
        path.components.append(.index(frame.next))
      } else if frame.next >= frame.node.count {
        let position = frame.node.offset + (frame.next - frame.node.count) * layout.referenceWidth
        guard frame.next < 2 * frame.node.count, let reference = try? layout.reference(at: position, in: bytes),
          let key = try? layout.node(at: reference, in: bytes),
          let text = try? NodeContent.string(key, in: bytes)
        else { break }
        path.components.append(.key(text))
      }
    }
    error.keyPath = path
    return error
  }
}
