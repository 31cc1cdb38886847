internal import FoundationEssentials
internal import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Copies a value of a property list. In the copy, data that contains a property list or an archive is replaced with
/// its content.
///
/// It does not recurse, so values may be nested deeply.
struct DocumentUnwrapper: ~Copyable {
  private var values = PooledValues()
  private(set) var unwrapper: Unwrapper
  /// The number of property lists so far. Each property list has a number, which identifies its data values in
  /// ``results``.
  private var listCount = 1
  /// The replacement of each data value, and its size. Data with several references is opened only once.
  private var results: [DataKey: (node: FlatNode, size: Int)] = [:]
  /// The size of the output so far: the number of values plus the bytes of keys, strings and data.
  private var made = 0
  private var frames: [Frame] = []

  private struct DataKey: Hashable {
    let list: Int
    let node: FlatNode
  }

  private struct Value {
    var node: FlatNode
    var document: PropertyListDocument
    var list: Int
  }

  private struct Frame {
    let value: Value
    let start: Int
    var next = 0
    /// The data values that ``value`` replaces.
    let data: [DataKey]
    /// The size of the output before ``value`` was begun.
    let made: Int
  }

  init(_ unwrapper: Unwrapper) { self.unwrapper = unwrapper }

  /// Returns the unwrapper, with the rest of its budget and with its counts.
  consuming func takeUnwrapper() -> Unwrapper { unwrapper }

  /// Returns a document whose root is a copy of the value. In the copy, nested property lists and archives replace the
  /// data that contains them.
  mutating func unwrap(_ node: PropertyListDocument.Node) throws(KeyedArchiveError) -> PropertyListDocument {
    try begin(Value(node: node.flat, document: node.document, list: 0))
    return try finish()
  }

  /// Returns a document whose root has the contents of an archive. In the root, nested property lists and archives
  /// replace the data that contains them.
  mutating func unwrap(_ archive: KeyedArchive) throws(KeyedArchiveError) -> PropertyListDocument {
    try append(archive)
    return try finish()
  }

  private mutating func finish() throws(KeyedArchiveError) -> PropertyListDocument {
    while let frame = frames.last {
      if frame.next < frame.value.node.count {
        frames[frames.count - 1].next += 1
        try beginChild(of: frame)
      } else {
        frames.removeLast()
        try close(frame)
      }
    }
    // The root of the file must be a container, so a scalar is put into an array, and taken out after reading.
    var root = values.removeLast()
    let isContainer = root.kind.isContainer
    if !isContainer { root = try values.container(.array, [root]) }
    let options = PropertyListReadingOptions(limits: unwrapper.limits)
    let data = try values.takeFile(root: root)
    let document = try translated(PropertyListDocument(data, format: .binary, options: options))
    if isContainer { return document }
    return try translated(PropertyListDocument(PropertyList(document.root.child(at: 0)), options: options))
  }

  private mutating func beginChild(of frame: Frame) throws(KeyedArchiveError) {
    var child = frame.value
    if child.node.kind == .dictionary {
      let key = try translated(child.document.key(ofEntry: frame.next, of: child.node))
      try spend(1 + key.utf8.count)
      try values.append(key)
      child.node = try translated(child.document.value(ofEntry: frame.next, of: child.node))
    } else {
      child.node = try translated(child.document.element(frame.next, of: child.node))
    }
    try begin(child)
  }

  private mutating func close(_ frame: Frame) throws(KeyedArchiveError) {
    try values.close(frame.value.node.kind, from: frame.start)
    remember(frame.data, frame.made)
  }

  private mutating func spend(_ size: Int) throws(KeyedArchiveError) {
    made += size
    try unwrapper.spend(size)
  }

  /// Stores the value that was finished last in ``results``, as the replacement of these data values. There are several
  /// data values if data contains a property list whose root is data again.
  ///
  /// - Parameter former: The size of the output before the value was begun.
  private mutating func remember(_ data: [DataKey], _ former: Int) {
    guard let node = values.last else { return }
    for key in data { results[key] = (node, made - former) }
  }

  private mutating func begin(_ value: Value) throws(KeyedArchiveError) {
    var value = value
    let former = made
    var data: [DataKey] = []
    // Data may contain a property list whose root is data again.
    while value.document.nestedBegins(value.node) {
      let key = DataKey(list: value.list, node: value.node)
      if let known = results[key] {
        try spend(known.size)
        values.append(known.node)
        return remember(data, former)
      }
      let path = try path()
      guard let content = try unwrapper.open(value.node, in: value.document, at: path) else { break }
      data.append(key)
      try unwrapper.check(depth: frames.count + data.count)
      switch content {
      case .propertyList(let document):
        value = Value(node: document.flatRoot, document: document, list: listCount)
        listCount += 1
      case .archive(let archive):
        try append(archive)
        return remember(data, former)
      }
    }
    try spend(1)
    switch value.node.kind {
    case .string:
      try spend(value.node.length)
      try values.append(translated(value.document.text(of: value.node)))
    case .data:
      try spend(value.node.length)
      try values.append(value.document.data(of: value.node))
    case .array, .dictionary:
      try unwrapper.check(depth: frames.count + data.count)
      frames.append(Frame(value: value, start: values.count, data: data, made: former))
      return
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .uid: values.append(value.node)
    }
    remember(data, former)
  }

  private mutating func append(_ archive: KeyedArchive) throws(KeyedArchiveError) {
    let path = try path()
    var merger = ArchiveMerger(unwrapper, at: path)
    let merged = try merger.merge(archive)
    unwrapper = merger.takeUnwrapper()
    var taken = PooledValues()
    swap(&taken, &values)
    var writer = try ArchiveFormWriter(merged, to: ArchiveNodeOutput(taken))
    try writer.writeContents()
    let output = writer.takeOutput()
    let size = output.size
    values = try output.finish()
    try spend(size)
  }

  /// Returns the path to the value that is being copied.
  private mutating func path() throws(KeyedArchiveError) -> PropertyListKeyPath {
    // The work of building a path is subtracted from the budget, because many data values can be at the end of a long
    // path.
    try unwrapper.spend(frames.count)
    var path = PropertyListKeyPath()
    for frame in frames where frame.next > 0 {
      if frame.value.node.kind == .array {
        path.components.append(.index(frame.next - 1))
      } else {
        let key = try translated(frame.value.document.key(ofEntry: frame.next - 1, of: frame.value.node))
        try unwrapper.spend(key.utf8.count)
        path.components.append(.key(key))
      }
    }
    return path
  }
}
