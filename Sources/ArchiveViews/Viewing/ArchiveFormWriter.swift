internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Writes an archive in a form for programs: a dictionary for each object, and `{"$ref": 7}` for further references to
/// it; see `KeyedArchive.jsonData(isIndented:)`. The output is JSON, or a property list whose nested archives are
/// opened.
///
/// It does not recurse, so archives may be nested deeply.
struct ArchiveFormWriter<Output: ArchiveFormOutput & ~Copyable>: ~Copyable {
  private let archive: KeyedArchive
  private var reader: ArchiveReader
  private var objects: RenderedObjects
  private var output: Output
  /// The number of class descriptions with each class name.
  private var classCounts: [String: Int] = [:]
  private var frames: [Frame] = []
  /// True if the frames form a path from the top of the archive to the current value.
  private var isBelowTop = false

  private struct Frame {
    let kind: Kind
    let node: FlatNode
    let shape: DictionaryShape
    /// The UID of the object that this frame writes or, for a frame of an inline value, of the object that contains the
    /// value. Nil for the top of the archive, and for inline values in it.
    let uid: UInt32?
    /// The nesting level of ``node`` among the arrays and dictionaries of its object, from 1; 0 for the object itself.
    var inlineDepth = 0
    /// The number of `{"$object": …}` dictionaries that contain ``node``, and end when it ends.
    var wrappers = 0
    var next = 0

    enum Kind {
      /// The keys and values of an instance, a class description or the top, except the entry at this position.
      case fields(without: Int?)
      case entries
      case elements
    }
  }

  init(_ archive: KeyedArchive, to output: consuming Output) throws(KeyedArchiveError) {
    self.archive = archive
    reader = ArchiveReader(forAllOf: archive)
    objects = try RenderedObjects(archive, &reader)
    self.output = output
  }

  /// Returns the output, which contains everything that was written.
  consuming func takeOutput() -> Output { output }

  /// Writes only the archived contents: the value of the key `root` if it is the only top-level key and its value is
  /// not an array or a dictionary, or else the top. Objects that are nested too deeply follow in the same dictionary,
  /// under `$deep`.
  mutating func writeContents() throws(KeyedArchiveError) {
    do {
      _ = try classDescriptions()
      isBelowTop = true
      if let root = try archive.soleRoot() {
        try write(root, inlineDepth: 0, uid: nil)
      } else {
        try begin(.fields(without: nil), archive.topNode.flat, uid: nil)
      }
      try writeFrames()
      isBelowTop = false
      try writePostponed()
    } catch {
      throw located(error)
    }
  }

  mutating func writeArchive() throws(KeyedArchiveError) {
    do {
      let classes = try classDescriptions()
      output.beginDictionary()
      output.key("$archiver")
      try write(text: archive.archiver)
      output.key("$version")
      output.integer(.init(ArchiveLayout.version))
      output.key("$top")
      isBelowTop = true
      try begin(.fields(without: nil), archive.topNode.flat, uid: nil)
      try writeFrames()
      isBelowTop = false
      output.key("$classes")
      output.beginArray()
      for uid in classes { try writeMarked(uid) }
      output.endArray()
      try writePostponed()
      try writeUnreachable()
      try writeOtherParts()
      output.endDictionary()
    } catch {
      throw located(error)
    }
  }

  private mutating func classDescriptions() throws(KeyedArchiveError) -> [UInt32] {
    var classes: [UInt32] = []
    for uid in 0..<UInt32(clamping: archive.objects.count) {
      do {
        let node = try reader.object(uid)
        guard node.kind == .dictionary, try reader.kind(ofDictionary: node) == .classDescription else { continue }
      } catch {
        throw error.at(PropertyList.UID(uid))
      }
      classes.append(uid)
      objects.meet(uid)
      if let name = try reader.classDescription(uid)?.name { classCounts[name, default: 0] += 1 }
    }
    return classes
  }

  private mutating func writePostponed() throws(KeyedArchiveError) {
    guard let first = objects.nextPostponed() else { return }
    output.key("$deep")
    output.beginArray()
    try writeMarked(first)
    while let uid = objects.nextPostponed() { try writeMarked(uid) }
    output.endArray()
  }

  private mutating func writeUnreachable() throws(KeyedArchiveError) {
    var isFirst = true
    for uid in 0..<UInt32(clamping: archive.objects.count) where !objects.isMet(uid) {
      if archive.document.isNullObject(try reader.object(uid)) { continue }
      if isFirst {
        output.key("$unreachable")
        output.beginArray()
        isFirst = false
      }
      objects.meet(uid)
      try writeMarked(uid)
      while let uid = objects.nextPostponed() { try writeMarked(uid) }
    }
    if !isFirst { output.endArray() }
  }

  /// Writes the entries of the property list that do not belong to a keyed archive.
  private mutating func writeOtherParts() throws(KeyedArchiveError) {
    let root = archive.document.flatRoot
    let keys = try reader.shape(of: root).keys
    for (entry, key) in keys.enumerated() where !["$archiver", "$version", "$top", "$objects"].contains(key) {
      try write(key: ArchiveKey.escaped(key))
      try write(reader.value(ofEntry: entry, of: root), inlineDepth: 0, uid: nil)
      try writeFrames()
    }
  }

  private mutating func writeMarked(_ uid: UInt32) throws(KeyedArchiveError) {
    do { try writeObject(uid, try reader.object(uid), isMarked: true) } catch { throw error.at(PropertyList.UID(uid)) }
    try writeFrames()
  }

  /// Returns the error with the object that is being written and, if ``isBelowTop`` is true, the path from the top.
  private func located(_ error: KeyedArchiveError) -> KeyedArchiveError {
    var error = error
    if error.uid == nil { error.uid = frames.last?.uid.map { PropertyList.UID($0) } }
    guard isBelowTop, error.path == nil else { return error }
    error.path = PropertyListKeyPath(
      frames.filter { $0.next > 0 }.map { frame in
        switch frame.kind {
        case .elements: .index(frame.next - 1)
        case .entries: .key(frame.shape.keys[frame.next - 1])
        case .fields: .key(ArchiveKey.unescaped(frame.shape.keys[frame.next - 1]))
        }
      })
    return error
  }
}

/// Writes the keys and values of objects and containers.
extension ArchiveFormWriter where Output: ~Copyable {
  /// Returns the key to write for an archived key. A key with one `$` that no archiver writes gets a point after it, so
  /// that it cannot be confused with keys such as `$ref`.
  private static func fieldKey(_ key: String) -> String {
    guard key.utf8.first == ArchiveKey.dollar, !key.utf8.starts(with: "$$".utf8), !ArchiveKey.isNumber(key) else {
      return key
    }
    return "$." + key.dropFirst()
  }

  private mutating func write(key: String) throws(KeyedArchiveError) {
    try reader.spend(1 + output.depth + key.utf8.count)
    output.key(key)
  }

  private mutating func writeFrames() throws(KeyedArchiveError) {
    while let frame = frames.last {
      let position = frame.next
      guard position < frame.node.count else {
        frames.removeLast()
        if case .elements = frame.kind { output.endArray() } else { output.endDictionary() }
        for _ in 0..<frame.wrappers { output.endDictionary() }
        continue
      }
      frames[frames.count - 1].next += 1
      if case .fields(let skipped) = frame.kind, position == skipped { continue }
      let value = try reader.child(position, of: frame.node)
      switch frame.kind {
      case .fields: try write(key: fieldKey(frame.shape.keys[position], of: frame))
      case .entries: try write(key: ArchiveKey.escaped(frame.shape.keys[position]))
      case .elements: try reader.spend(output.depth)
      }
      try write(value, inlineDepth: frame.inlineDepth, uid: frame.uid)
    }
  }

  private func fieldKey(_ key: String, of frame: Frame) -> String {
    switch key {
    case "$class" where frame.uid != nil: "$invalidclass"
    case "$classname", "$classes", "$classhints":
      frame.uid != nil && frame.shape.classPosition == nil ? key : Self.fieldKey(key)
    default: Self.fieldKey(key)
    }
  }

  private mutating func write(_ node: FlatNode, inlineDepth: Int, uid: UInt32?) throws(KeyedArchiveError) {
    switch node.kind {
    case .uid: try writeReference(node.uid)
    case .array: try begin(.elements, node, inlineDepth: inlineDepth + 1, uid: uid)
    case .dictionary: try begin(.entries, node, inlineDepth: inlineDepth + 1, uid: uid)
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data: try write(scalar: node)
    }
  }

  /// Begins a dictionary or an array, whose contents `writeFrames()` writes.
  private mutating func begin(
    _ kind: Frame.Kind, _ node: FlatNode, inlineDepth: Int = 0, uid: UInt32?, wrappers: Int = 0
  ) throws(KeyedArchiveError) {
    let outer = inlineDepth - 1
    if outer >= 0 { try reader.checkNesting(of: node, in: frames.suffix(outer).lazy.map(\.node), depth: outer) }
    let shape = node.kind == .dictionary ? try reader.shape(of: node) : DictionaryShape()
    if node.kind == .dictionary { output.beginDictionary() } else { output.beginArray() }
    frames.append(Frame(kind: kind, node: node, shape: shape, uid: uid, inlineDepth: inlineDepth, wrappers: wrappers))
  }

  private mutating func write(text: String) throws(KeyedArchiveError) {
    try reader.spend(text.utf8.count)
    output.string(text)
  }

  private mutating func write(scalar node: FlatNode) throws(KeyedArchiveError) {
    switch node.kind {
    case .string: output.string(try reader.text(of: node))
    case .boolean: output.boolean(node.boolean)
    case .integer, .unsignedInteger: output.integer(node.integer)
    case .real: output.real(node.real)
    case .float: output.float(node.float)
    case .data: output.data(try reader.data(of: node))
    case .date: output.date(node.real)
    case .null, .uid, .array, .dictionary: output.null()
    }
  }

  private mutating func write(_ tag: String, _ uid: UInt32) {
    output.beginDictionary()
    output.key(tag)
    output.integer(PropertyList.Integer(UInt64(uid)))
    output.endDictionary()
  }

  private mutating func writeReference(_ uid: UInt32) throws(KeyedArchiveError) {
    switch try objects.encounter(uid, level: output.depth, &reader) {
    case .nothing: output.null()
    case .byReference: write("$ref", uid)
    case .outside: write("$dangling", uid)
    case .unreadable(let error): throw error.at(PropertyList.UID(uid))
    case .inFull(let node, let isMarked): try writeObject(uid, node, isMarked: isMarked)
    }
  }

  private mutating func writeObject(_ uid: UInt32, _ node: FlatNode, isMarked: Bool) throws(KeyedArchiveError) {
    switch node.kind {
    case .dictionary:
      let positions = try reader.keyPositions(of: node)
      if let position = positions.classReference {
        try writeInstance(uid, node, classPosition: position, isMarked: isMarked)
      } else if positions.className != nil {
        try begin(.fields(without: nil), node, uid: uid)
        writeUID(uid)
      } else {
        beginObjectWrapper(uid, isMarked: isMarked)
        try begin(.entries, node, inlineDepth: 1, uid: uid, wrappers: 1)
      }
    case .array:
      beginObjectWrapper(uid, isMarked: isMarked)
      try begin(.elements, node, inlineDepth: 1, uid: uid, wrappers: 1)
    case .uid:
      // The object is a UID itself. The empty frame ends the `$object` dictionary after the object that the UID refers
      // to. If that is a UID too, this function is called again. Each UID is one level, so the limit for levels also
      // limits this recursion.
      beginObjectWrapper(uid, isMarked: isMarked)
      frames.append(Frame(kind: .fields(without: nil), node: .null, shape: DictionaryShape(), uid: uid))
      try writeReference(node.uid)
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data:
      if isMarked { beginObjectWrapper(uid, isMarked: true) }
      try write(scalar: node)
      if isMarked { output.endDictionary() }
    }
  }

  private mutating func beginObjectWrapper(_ uid: UInt32, isMarked: Bool) {
    output.beginDictionary()
    if isMarked { writeUID(uid) }
    output.key("$object")
  }

  private mutating func writeUID(_ uid: UInt32) {
    output.key("$uid")
    output.integer(PropertyList.Integer(UInt64(uid)))
  }

  private mutating func writeInstance(
    _ uid: UInt32, _ node: FlatNode, classPosition: Int, isMarked: Bool
  ) throws(KeyedArchiveError) {
    let description = try reader.classDescription(ofInstance: node, classPosition: classPosition)
    try begin(.fields(without: description == nil ? nil : classPosition), node, uid: uid)
    if let description {
      output.key("$class")
      try write(text: description.name)
      if classCounts[description.name, default: 0] > 1 {
        output.key("$classuid")
        output.integer(PropertyList.Integer(UInt64(description.uid.value)))
      }
    }
    if isMarked { writeUID(uid) }
    guard FoundationLayout(className: description?.name ?? "")?.form == .date,
      let position = frames.last?.shape.keys.firstIndex(of: "NS.time")
    else { return }
    let time = try reader.value(ofEntry: position, of: node)
    if time.kind == .real, let text = DateText.text(time.real) {
      output.key("$date")
      output.string(text)
    }
  }
}
