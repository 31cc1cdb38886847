internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Writes the form of an archive that programs read; see ``KeyedArchive/jsonData(isIndented:)``.
///
/// It keeps its own stack, so that the depth of an archive costs no stack of the thread.
struct ArchiveJSONWriter: ~Copyable {
  private let archive: KeyedArchive
  private var reader: ArchiveReader
  private var objects: RenderedObjects
  private var json: JSONWriter
  private let isIndented: Bool
  /// How many classes have each name.
  private var classCounts: [String: Int] = [:]
  private var frames: [Frame] = []
  /// Whether the frames lead from the top of the archive to the current value.
  private var isBelowTop = false

  private struct Frame {
    let kind: Kind
    let node: FlatNode
    let shape: DictionaryShape
    /// The object that it is, or is a part of.
    let uid: UInt32?
    /// How many arrays and dictionaries of the same object it is within, itself included.
    var inlineDepth = 0
    /// How many objects of JSON around it end with it.
    var wrappers = 0
    var next = 0

    enum Kind {
      /// An instance, a class description or the top, but for the entry at this position.
      case fields(without: Int?)
      case entries
      case elements
    }
  }

  init(_ archive: KeyedArchive, isIndented: Bool) throws(KeyedArchiveError) {
    self.archive = archive
    reader = ArchiveReader(forAllOf: archive)
    objects = try RenderedObjects(archive, &reader)
    json = JSONWriter(PropertyListWritingOptions(isCompact: !isIndented))
    self.isIndented = isIndented
  }

  /// The text ends with the end of a line if it is indented.
  consuming func finish() -> Data { isIndented ? json.finish() : json.finishFragment() }

  mutating func writeArchive() throws(KeyedArchiveError) {
    do throws(KeyedArchiveError) {
      let classes = try classDescriptions()
      json.beginDictionary(count: 0)
      json.key("$archiver")
      try write(text: archive.archiver)
      json.key("$version")
      json.number(ArchiveLayout.version.description)
      json.key("$top")
      isBelowTop = true
      try begin(.fields(without: nil), archive.topNode.flat, uid: nil)
      try writeFrames()
      isBelowTop = false
      json.key("$classes")
      json.beginArray(count: 0)
      for uid in classes { try writeMarked(uid) }
      json.endArray()
      try writePostponed()
      try writeUnreachable()
      try writeOtherParts()
      json.endDictionary()
    } catch {
      throw located(error)
    }
  }

  private mutating func classDescriptions() throws(KeyedArchiveError) -> [UInt32] {
    var classes: [UInt32] = []
    for uid in 0..<UInt32(clamping: archive.objects.count) {
      do throws(KeyedArchiveError) {
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
    json.key("$deep")
    json.beginArray(count: 0)
    try writeMarked(first)
    while let uid = objects.nextPostponed() { try writeMarked(uid) }
    json.endArray()
  }

  private mutating func writeUnreachable() throws(KeyedArchiveError) {
    var isFirst = true
    for uid in 0..<UInt32(clamping: archive.objects.count) where !objects.isMet(uid) {
      if archive.document.isNullObject(try reader.object(uid)) { continue }
      if isFirst {
        json.key("$unreachable")
        json.beginArray(count: 0)
        isFirst = false
      }
      objects.meet(uid)
      try writeMarked(uid)
      while let uid = objects.nextPostponed() { try writeMarked(uid) }
    }
    if !isFirst { json.endArray() }
  }

  /// What the property list has beside the parts of an archive.
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
    do throws(KeyedArchiveError) {
      try writeObject(uid, try reader.object(uid), isMarked: true)
    } catch {
      throw error.at(PropertyList.UID(uid))
    }
    try writeFrames()
  }

  /// The error with the object that it is about, and with the way from the top to the value if it leads there.
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

/// Keys.
extension ArchiveJSONWriter {
  /// A key of an object, as it stands in the archive, as a key that is taken for no other.
  private static func fieldKey(_ key: String) -> String {
    guard key.utf8.first == ArchiveKey.dollar, !key.utf8.starts(with: "$$".utf8), !ArchiveKey.isNumber(key) else {
      return key
    }
    return "$." + key.dropFirst()
  }

  private mutating func write(key: String) throws(KeyedArchiveError) {
    try reader.spend(1 + json.depth + key.utf8.count)
    json.key(key)
  }

  private mutating func writeFrames() throws(KeyedArchiveError) {
    while let frame = frames.last {
      let position = frame.next
      guard position < frame.node.count else {
        frames.removeLast()
        if case .elements = frame.kind { json.endArray() } else { json.endDictionary() }
        for _ in 0..<frame.wrappers { json.endDictionary() }
        continue
      }
      frames[frames.count - 1].next += 1
      if case .fields(let skipped) = frame.kind, position == skipped { continue }
      let value = try reader.child(position, of: frame.node)
      switch frame.kind {
      case .fields: try write(key: fieldKey(frame.shape.keys[position], of: frame))
      case .entries: try write(key: ArchiveKey.escaped(frame.shape.keys[position]))
      case .elements: try reader.spend(json.depth)
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
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data:
      try write(scalar: node)
    }
  }

  /// - Parameter inlineDepth: 0 for the fields of an object and for the top; 1 for an array or dictionary that is an
  ///   object itself; one more for each that is around it in the same object.
  private mutating func begin(
    _ kind: Frame.Kind, _ node: FlatNode, inlineDepth: Int = 0, uid: UInt32?, wrappers: Int = 0
  ) throws(KeyedArchiveError) {
    let outer = inlineDepth - 1
    if outer >= 0 { try reader.checkNesting(of: node, in: frames.suffix(outer).lazy.map(\.node), depth: outer) }
    let shape = node.kind == .dictionary ? try reader.shape(of: node) : DictionaryShape()
    if node.kind == .dictionary { json.beginDictionary(count: 0) } else { json.beginArray(count: 0) }
    frames.append(
      Frame(kind: kind, node: node, shape: shape, uid: uid, inlineDepth: inlineDepth, wrappers: wrappers))
  }

  private mutating func write(text: String) throws(KeyedArchiveError) {
    try reader.spend(text.utf8.count)
    json.string(text)
  }

  private mutating func write(scalar node: FlatNode) throws(KeyedArchiveError) {
    switch node.kind {
    case .string: json.string(try reader.text(of: node))
    case .boolean: json.boolean(node.boolean)
    case .integer, .unsignedInteger: json.integer(node.integer)
    case .real where node.real.isFinite: json.number(node.real.description)
    case .real: writeTagged("$real") { $0.string(node.real.debugDescription) }
    case .float where node.float.isFinite: writeTagged("$float") { $0.number(node.float.description) }
    case .float: writeTagged("$float") { $0.string(node.float.debugDescription) }
    case .data:
      let data = try reader.data(of: node)
      writeTagged("$data") { $0.string(data.base64EncodedString()) }
    case .date: writeDate(node.real)
    case .null, .uid, .array, .dictionary: json.null()
    }
  }

  private mutating func writeTagged(_ tag: String, _ value: (inout JSONWriter) -> Void) {
    json.beginDictionary(count: 0)
    json.key(tag)
    value(&json)
    json.endDictionary()
  }

  private mutating func writeDate(_ seconds: Double) {
    json.beginDictionary(count: 0)
    json.key("$date")
    if let text = DateText.text(seconds) { json.string(text) } else { json.null() }
    json.key("$seconds")
    if seconds.isFinite { json.number(seconds.description) } else { json.string(seconds.debugDescription) }
    json.endDictionary()
  }

  private mutating func writeReference(_ uid: UInt32) throws(KeyedArchiveError) {
    switch try objects.encounter(uid, level: json.depth, &reader) {
    case .nothing: json.null()
    case .byReference: writeTagged("$ref") { $0.number(uid.description) }
    case .outside: writeTagged("$dangling") { $0.number(uid.description) }
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
      // The frame ends the object behind what the UID leads to. Each UID is one level, so there is an end to recursion.
      beginObjectWrapper(uid, isMarked: isMarked)
      frames.append(Frame(kind: .fields(without: nil), node: .null, shape: DictionaryShape(), uid: uid))
      try writeReference(node.uid)
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data:
      if isMarked { beginObjectWrapper(uid, isMarked: true) }
      try write(scalar: node)
      if isMarked { json.endDictionary() }
    }
  }

  private mutating func beginObjectWrapper(_ uid: UInt32, isMarked: Bool) {
    json.beginDictionary(count: 0)
    if isMarked { writeUID(uid) }
    json.key("$object")
  }

  private mutating func writeUID(_ uid: UInt32) {
    json.key("$uid")
    json.number(uid.description)
  }

  private mutating func writeInstance(
    _ uid: UInt32, _ node: FlatNode, classPosition: Int, isMarked: Bool
  ) throws(KeyedArchiveError) {
    let description = try reader.classDescription(ofInstance: node, classPosition: classPosition)
    try begin(.fields(without: description == nil ? nil : classPosition), node, uid: uid)
    if let description {
      json.key("$class")
      try write(text: description.name)
      if classCounts[description.name, default: 0] > 1 {
        json.key("$classuid")
        json.number(description.uid.value.description)
      }
    }
    if isMarked { writeUID(uid) }
    guard FoundationLayout(className: description?.name ?? "")?.form == .date,
      let position = frames.last?.shape.keys.firstIndex(of: "NS.time")
    else { return }
    let time = try reader.value(ofEntry: position, of: node)
    if time.kind == .real, let text = DateText.text(time.real) {
      json.key("$date")
      json.string(text)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func string(_ text: String) { string(text.utf8Span.rawBytes) }
  fileprivate mutating func key(_ text: String) { key(text.utf8Span.rawBytes) }
}
