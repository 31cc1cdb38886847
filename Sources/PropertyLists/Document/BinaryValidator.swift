/// A validator that finds all defects of a binary property list, in one pass over its objects and one over its
/// references.
struct BinaryValidator: ~Copyable {
  private let layout: BinaryLayout
  private let depthLimit: Int
  private var states: [State]
  /// For each container whose children have been checked, the number of container levels in it, including itself.
  private var heights: [UInt16]
  private var keyIndex = KeyIndex()
  /// For each object that has been used as a key, its number in ``keyIndex`` plus one; 0 for other objects, and
  /// ``noKey`` for an object that cannot be a key.
  private var keyNumbers: [UInt32] = []
  /// Recent dictionaries whose keys were found valid, by the number of their entries modulo 64. A dictionary with the
  /// same references to keys needs no check.
  private var knownKeys = [FlatNode](repeating: .null, count: 64)
  /// The number of bytes and references that may still be read. It bounds the time for files whose objects overlap.
  private var budget: WorkBudget
  private var defects: DefectLog
  private var hasReportedDepth = false
  /// True if the check cannot continue.
  private var isOver = false
  /// A cache of the keys in the paths of reported defects, by object index.
  private var pathKeys: [Int: String] = [:]

  private enum State: UInt8 {
    case string, otherScalar, container
    /// A container whose children are being checked. A reference to it means that it contains itself.
    case open
    case done
    /// An object that cannot be read. As in Apple's reader, this is an error only if the object is referenced.
    case defective
    /// An object with a defect that has been reported.
    case told
  }

  private struct Frame {
    let object: Int
    let node: FlatNode
    var next: Int
    var height: UInt16
  }

  /// Checks a binary property list and adds every defect to the log. Takes O(*n*) time. Allocates up to seven bytes per
  /// object, and a copy of each key.
  static func validate(_ layout: BinaryLayout, _ bytes: RawSpan, limits: ParsingLimits, defects: inout DefectLog) {
    var validator = BinaryValidator(
      layout: layout, depthLimit: limits.effectiveDepth,
      states: Array(repeating: .otherScalar, count: layout.objectCount),
      heights: Array(repeating: 0, count: layout.objectCount),
      budget: ParsingLimits.overlapBudget(inputSize: bytes.byteCount), defects: defects)
    do {
      try validator.scanObjects(in: bytes)
      try validator.followReferences(in: bytes)
    } catch {
      // The error is in the log.
    }
    defects = validator.defects
  }

  private mutating func scanObjects(in bytes: RawSpan) throws(PropertyListError) {
    for index in 0..<layout.objectCount {
      guard !budget.isExhausted else {
        defects.add(ParsingLimits.overlap)
        throw ParsingLimits.overlap
      }
      do {
        let node = try layout.node(at: index, in: bytes)
        switch node.kind {
        case .string:
          _ = budget.spend(node.length)
          if node.encoding == .ascii {
            states[index] = bytes.extracting(node.range).isASCII ? .string : .defective
          } else {
            _ = try NodeContent.string(node, in: bytes)
            states[index] = .string
          }
        case .array, .dictionary: states[index] = .container
        default: states[index] = .otherScalar
        }
      } catch {
        states[index] = .defective
      }
    }
  }

  private mutating func followReferences(in bytes: RawSpan) throws(PropertyListError) {
    var frames: [Frame] = []
    // The position of the current child of the innermost container, and the number of container levels found in that
    // container so far.
    var next = 0
    var height: UInt16 = 0
    do { try visit(layout.topObject, &frames, in: bytes) } catch { try report(error, frames, in: bytes) }
    while !frames.isEmpty {
      do { try followReferences(&frames, &next, &height, in: bytes) } catch {
        frames[frames.count - 1].next = next
        try report(error, frames, in: bytes)
        // Continues as if the child with the defect were a scalar.
        frames[frames.count - 1].next = next + 1
        frames[frames.count - 1].height = height
      }
    }
  }

  private mutating func followReferences(
    _ frames: inout [Frame], _ next: inout Int, _ height: inout UInt16, in bytes: RawSpan
  ) throws(PropertyListError) {
    while let frame = frames.last {
      let references = frame.node.kind == .dictionary ? 2 * frame.node.count : frame.node.count
      next = frame.next
      height = frame.height
      var descends = false
      while next < references {
        let child = try layout.reference(at: frame.node.offset + next * layout.referenceWidth, in: bytes)
        switch states[child] {
        case .string, .otherScalar, .told: next += 1
        case .done:
          height = max(height, heights[child] + 1)
          next += 1
        case .container, .open, .defective:
          frames[frames.count - 1].next = next
          frames[frames.count - 1].height = height
          try visit(child, &frames, in: bytes)
          descends = true
        }
        if descends { break }
      }
      guard !descends else { continue }
      // The containers around this one plus the levels in this one.
      guard frames.count - 1 + Int(height) <= depthLimit || hasReportedDepth else { throw nestedTooDeeply() }
      states[frame.object] = .done
      // Too many levels are reported once, so they must not count for the outer containers, too.
      heights[frame.object] = hasReportedDepth ? 1 : height
      frames.removeLast()
    }
  }

  private mutating func nestedTooDeeply() -> PropertyListError {
    hasReportedDepth = true
    return ParsingLimits.nestedTooDeeply(limit: depthLimit)
  }

  /// Reports a defect. Throws it if the log is full, or if the check cannot continue.
  private mutating func report(
    _ error: PropertyListError, _ frames: [Frame], in bytes: RawSpan
  ) throws(PropertyListError) {
    guard !isOver else { throw error }
    isOver = error.kind == .limitExceeded
    let defect = located(error, frames, in: bytes)
    // If keys cannot be read, two defects can have the same description, which is reported only once.
    if defect != defects.defects.last { try defects.report(defect) }
    if isOver { throw error }
  }

  /// Checks an object that is the root or a child of the innermost container. If the object is a container, it becomes
  /// the innermost one, so that its children are checked next.
  private mutating func visit(_ index: Int, _ frames: inout [Frame], in bytes: RawSpan) throws(PropertyListError) {
    switch states[index] {
    case .string, .otherScalar, .done, .told: return
    case .defective:
      states[index] = .told
      let node = try layout.node(at: index, in: bytes)
      _ = try NodeContent.string(node, in: bytes)
    case .open:
      throw PropertyListError(
        .circularReference, "a container that contains itself", byteOffset: try layout.offset(of: index, in: bytes))
    case .container:
      guard frames.count < depthLimit else {
        if hasReportedDepth {
          frames[frames.count - 1].next += 1
          return
        }
        throw nestedTooDeeply()
      }
      let node = try layout.node(at: index, in: bytes)
      guard budget.spend(node.count) else { throw ParsingLimits.overlap }
      states[index] = .open
      if node.kind == .dictionary { try checkKeys(node, frames, in: bytes) }
      frames.append(Frame(object: index, node: node, next: node.kind == .dictionary ? node.count : 0, height: 1))
    }
  }

  private mutating func checkKeys(_ node: FlatNode, _ frames: [Frame], in bytes: RawSpan) throws(PropertyListError) {
    let width = layout.referenceWidth
    let known = knownKeys[node.count & 63]
    // Large files consist of lists of similar dictionaries. This one has the same keys as one that was found valid
    // before.
    if known.kind == .dictionary, known.count == node.count,
      bytes.equalBytes(known.offset, node.offset, count: node.count * width)
    {
      return
    }
    if keyNumbers.isEmpty { keyNumbers = Array(repeating: 0, count: layout.objectCount) }
    keyIndex.beginDictionary()
    let defectCount = defects.defects.count
    for entry in 0..<node.count {
      do { try checkKey(entry, of: node, in: bytes) } catch { try report(error, frames, in: bytes) }
    }
    if defects.defects.count == defectCount { knownKeys[node.count & 63] = node }
  }

  @inline(__always)
  private mutating func checkKey(_ entry: Int, of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) {
    let offset = node.offset + entry * layout.referenceWidth
    let reference = try layout.reference(at: offset, in: bytes)
    if keyNumbers[reference] == 0 {
      // An invalid key is reported only at its first use.
      keyNumbers[reference] = Self.noKey
      if states[reference] == .told { return }
      if states[reference] == .defective { states[reference] = .told }
      keyNumbers[reference] = UInt32(try keyNumber(of: reference, in: bytes) + 1)
    }
    guard keyNumbers[reference] != Self.noKey else { return }
    guard keyIndex.insert(Int(keyNumbers[reference]) - 1) else {
      let key = try NodeContent.string(layout.node(at: reference, in: bytes), in: bytes)
      throw PropertyListError(.duplicateKey, "duplicate key \(key.quoted)", byteOffset: offset)
    }
  }

  private static let noKey = UInt32.max

  private mutating func keyNumber(of object: Int, in bytes: RawSpan) throws(PropertyListError) -> Int {
    let key = try layout.node(at: object, in: bytes)
    guard key.kind == .string else {
      throw .malformed("a dictionary key is not a string", at: try layout.offset(of: object, in: bytes))
    }
    guard budget.spend(key.length) else { throw ParsingLimits.overlap }
    if key.encoding == .ascii, states[object] == .string { return keyIndex.number(of: bytes.extracting(key.range)) }
    var text: [UInt8] = []
    try NodeContent.appendText(key, in: bytes, to: &text)
    return keyIndex.number(of: text.rawBytes)
  }

  /// Returns the error with the path of the value that it is about.
  private mutating func located(_ error: PropertyListError, _ frames: [Frame], in bytes: RawSpan) -> PropertyListError {
    var error = error
    var path = PropertyListKeyPath()
    for frame in frames {
      if frame.node.kind == .array {
        // If the container as a whole has too many levels, the error does not belong to a child.
        guard frame.next < frame.node.count else { break }
        path.components.append(.index(frame.next))
      } else if frame.next >= frame.node.count {
        let position = frame.node.offset + (frame.next - frame.node.count) * layout.referenceWidth
        guard frame.next < 2 * frame.node.count, let reference = try? layout.reference(at: position, in: bytes),
          let key = pathKey(reference, in: bytes)
        else { break }
        path.components.append(.key(key))
      }
    }
    error.keyPath = path
    return error
  }

  /// Returns the text of a key. It is cached, so that all paths share it.
  private mutating func pathKey(_ object: Int, in bytes: RawSpan) -> String? {
    if let key = pathKeys[object] { return key }
    guard let node = try? layout.node(at: object, in: bytes), node.kind == .string,
      let key = try? NodeContent.string(node, in: bytes)
    else { return nil }
    pathKeys[object] = key
    return key
  }
}

extension PropertyListDocument {
  /// Checks the whole document: every object that can be reached from the root, the text of every string, that the keys
  /// of each dictionary are distinct, that no container contains itself, and the depth.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(upload)
  /// try document.validate()   // throws an error for the first damaged value
  /// ```
  ///
  /// If this function does not throw, you can read every value through ``root`` without errors. Two errors are still
  /// possible. Writing the document or creating a ``PropertyList`` throws if shared references expand too far. Creating
  /// a ``PropertyList`` also throws if two keys of a dictionary are canonically equivalent in Unicode.
  ///
  /// - Throws: ``PropertyListError`` with the key path of the invalid value.
  /// - Complexity: O(*n*) in the length of a binary document; O(1) for text formats, which were checked when they were
  ///   read.
  public func validate() throws(PropertyListError) {
    var defects = DefectLog.first
    validate(&defects)
    if let defect = defects.defects.first { throw defect }
  }

  /// Adds all errors that ``validate()`` can find to a log.
  package func validate(_ defects: inout DefectLog) {
    guard case .binary(let layout) = index else { return }
    BinaryValidator.validate(layout, bytes, limits: options.limits, defects: &defects)
  }
}
