internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Writes an archive as text for people; see `KeyedArchive.tree()`.
///
/// It does not recurse, so archives may be nested deeply.
struct ArchiveTreeWriter {
  let archive: KeyedArchive
  var reader: ArchiveReader
  var objects: RenderedObjects
  /// The UIDs of the class descriptions whose names were shown with an instance.
  private var usedClasses: Set<UInt32> = []
  private var output: [UInt8] = []
  var level = 0
  var frames: [Frame] = []
  /// The greatest level of the lines that are shown. `…` replaces deeper lines.
  private let greatestLevel: Int

  /// An object or a container whose contents are being written, on separate lines.
  struct Frame {
    var kind: Kind
    let node: FlatNode
    let closing: StaticString?
    let level: Int
    /// The nesting level of ``node`` among the arrays and dictionaries of its object, from 1; 0 for the object itself.
    var inlineDepth = 0
    var next = 0

    enum Kind {
      /// The keys and values of an instance or of the top, except the entries at these positions.
      case fields(without: [Int])
      /// The keys and values of a dictionary that is not an object.
      case entries
      case elements
      /// The keys of an `NSDictionary`, which are in one array, and its values, which are in another. `isValueDue` is
      /// true after a key with several lines.
      case pairs(values: FlatNode, isValueDue: Bool)
    }
  }

  /// Creates a writer that shows `depth` levels below the first, or all if that is nil.
  init(_ archive: KeyedArchive, depth: Int? = nil) throws(KeyedArchiveError) {
    self.archive = archive
    greatestLevel = depth ?? .max
    reader = ArchiveReader(forAllOf: archive)
    objects = try RenderedObjects(archive, &reader)
  }

  var text: String { String(decoding: output, as: UTF8.self) }

  mutating func writeArchive() throws(KeyedArchiveError) {
    frames = [Frame(kind: .fields(without: []), node: archive.topNode.flat, closing: nil, level: 0)]
    try writeFrames()
    try writePostponed(level: 0)
    // If parts are left out, objects that were not shown may still be reachable.
    guard greatestLevel == .max else { return }
    var isFirst = true
    for uid in 0..<UInt32(clamping: archive.objects.count) where !objects.isMet(uid) && !usedClasses.contains(uid) {
      if let node = try? reader.object(uid), archive.document.isNullObject(node) { continue }
      if isFirst {
        try beginLine(0)
        write("(not reachable from a top-level key:)")
        isFirst = false
      }
      objects.meet(uid)
      try writeMarked(uid, level: 1)
      try writePostponed(level: 1)
    }
  }

  /// Writes a value, or an object with its UID, and everything that it leads to.
  mutating func writePart(_ node: FlatNode, object: PropertyList.UID?) throws(KeyedArchiveError) {
    if let object, object.value < archive.objects.count {
      objects.meet(object.value)
      try writeMarked(object.value, level: 0)
    } else {
      do { try write(node, inlineDepth: 0) } catch { try writeUnreadable(error) }
      try writeFrames()
    }
    try writePostponed(level: 0)
  }

  private mutating func writePostponed(level: Int) throws(KeyedArchiveError) {
    while let uid = objects.nextPostponed() { try writeMarked(uid, level: level) }
  }

  private mutating func writeMarked(_ uid: UInt32, level: Int) throws(KeyedArchiveError) {
    try beginLine(level)
    write("#\(uid) ")
    do {
      let node = try reader.object(uid)
      if node.kind == .uid {
        write("UID ")
        try writeReference(node.uid)
      } else {
        try writeObject(node)
      }
    } catch {
      try writeUnreadable(error)
    }
    try writeFrames()
  }

  mutating func write(_ text: String) { output.append(contentsOf: text.utf8) }

  private mutating func beginLine(_ level: Int) throws(KeyedArchiveError) {
    try reader.spend(1 + level)
    self.level = level
    if !output.isEmpty { output.append(UInt8(ascii: "\n")) }
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }

  /// Writes a key or the name of a class, without quotation marks if it has only letters, digits and a few other
  /// characters.
  private mutating func write(name: String) throws(KeyedArchiveError) {
    try reader.spend(name.utf8.count)
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "._$-".unicodeScalars.contains(scalar)
    }
    write(isPlain && !name.isEmpty ? name : name.quotedInFull)
  }

  private mutating func writeUnreadable(_ error: KeyedArchiveError) throws(KeyedArchiveError) {
    try reader.tolerate(error)
    write("<unreadable: \(error.message.printable())>")
  }

  private mutating func writeFrames() throws(KeyedArchiveError) {
    while let frame = frames.last {
      guard frame.next < frame.node.count else {
        frames.removeLast()
        if let closing = frame.closing {
          try beginLine(frame.level - 1)
          write("\(closing)")
        }
        continue
      }
      do { try writeNext(of: frame) } catch { try writeUnreadable(error) }
    }
  }

  private mutating func writeNext(of frame: Frame) throws(KeyedArchiveError) {
    if case .pairs(let values, let isValueDue) = frame.kind {
      return try writePair(of: frame, values, isValueDue: isValueDue)
    }
    frames[frames.count - 1].next += 1
    var isField = false
    if case .fields(let positions) = frame.kind {
      if positions.contains(frame.next) { return }
      isField = true
    }
    try beginLine(frame.level)
    if frame.node.kind == .dictionary {
      if let key = try key(of: frame) {
        if isField { try write(name: ArchiveKey.unescaped(key)) } else { write(key.quotedInFull) }
      }
      write(": ")
    }
    try write(reader.child(frame.next, of: frame.node), inlineDepth: frame.inlineDepth)
  }

  private mutating func writePair(of frame: Frame, _ values: FlatNode, isValueDue: Bool) throws(KeyedArchiveError) {
    let current = frames.count - 1
    try beginLine(frame.level)
    if isValueDue {
      write("value: ")
    } else {
      let start = output.count
      do { try write(reader.element(frame.next, of: frame.node), inlineDepth: frame.inlineDepth) } catch {
        try writeUnreadable(error)
      }
      if frames.count - 1 > current {
        // The key has several lines.
        output.insert(contentsOf: "key: ".utf8, at: start)
        frames[current].kind = .pairs(values: values, isValueDue: true)
        return
      }
      write(": ")
    }
    frames[current].kind = .pairs(values: values, isValueDue: false)
    frames[current].next += 1
    try write(reader.element(frame.next, of: values), inlineDepth: frame.inlineDepth)
  }

  /// Returns the key of the next entry. If the key cannot be read, writes the error and returns nil.
  private mutating func key(of frame: Frame) throws(KeyedArchiveError) -> String? {
    do { return try reader.key(ofEntry: frame.next, of: frame.node) } catch {
      try writeUnreadable(error)
      return nil
    }
  }

  private mutating func write(_ node: FlatNode, inlineDepth: Int) throws(KeyedArchiveError) {
    switch node.kind {
    case .uid: try writeReference(node.uid)
    case .array: try begin(.elements, node, "[", "]", inlineDepth: inlineDepth + 1)
    case .dictionary: try begin(.entries, node, "{", "}", inlineDepth: inlineDepth + 1)
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data: try write(scalar: node)
    }
  }

  mutating func begin(
    _ kind: Frame.Kind, _ node: FlatNode, _ opening: StaticString, _ closing: StaticString, inlineDepth: Int
  ) throws(KeyedArchiveError) {
    let depth = inlineDepth - 1
    try reader.checkNesting(of: node, in: frames.suffix(depth).lazy.map(\.node), depth: depth)
    write("\(opening)")
    guard node.count > 0 else { return write("\(closing)") }
    guard level < greatestLevel else { return write("… \(node.count)\(closing)") }
    frames.append(Frame(kind: kind, node: node, closing: closing, level: level + 1, inlineDepth: inlineDepth))
  }

  mutating func write(scalar node: FlatNode) throws(KeyedArchiveError) {
    switch node.kind {
    case .string: write(try reader.text(of: node).quotedInFull)
    case .data: write(PropertyList.data(try reader.data(of: node)).debugDescription)
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .uid, .array, .dictionary:
      write(node.plainText)
    }
  }

  private mutating func writeReference(_ uid: UInt32) throws(KeyedArchiveError) {
    var uid = uid
    while true {
      switch try objects.encounter(uid, level: level, &reader) {
      case .nothing: return write("nil")
      case .byReference: return write("→ #\(uid)")
      case .outside: return write("→ #\(uid) (outside the object table)")
      case .unreadable(let error):
        write("#\(uid) ")
        return try writeUnreadable(error)
      case .inFull(let node, let isMarked):
        if isMarked { write("#\(uid) ") }
        guard node.kind == .uid else { return try writeObject(node) }
        try reader.spend(4)
        write("UID ")
        uid = node.uid
      }
    }
  }

  private mutating func writeObject(_ node: FlatNode) throws(KeyedArchiveError) {
    switch node.kind {
    case .array:
      write("array ")
      try begin(.elements, node, "[", "]", inlineDepth: 1)
    case .dictionary:
      let positions = try keyPositions(of: node)
      if let position = positions.classReference {
        try writeInstance(node, classPosition: position)
      } else if let position = positions.className {
        write("class ")
        let name = try reader.value(ofEntry: position, of: node)
        if name.kind == .string { try write(name: reader.text(of: name)) } else { try write(name, inlineDepth: 0) }
      } else {
        write("dictionary ")
        try begin(.entries, node, "{", "}", inlineDepth: 1)
      }
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .uid, .string, .data:
      try write(scalar: node)
    }
  }

  /// Returns the positions of `$class` or `$classname` in a dictionary. If a key cannot be read, returns no positions,
  /// so that the object is shown as a dictionary.
  private mutating func keyPositions(of node: FlatNode) throws(KeyedArchiveError) -> ArchiveReader.KeyPositions {
    do { return try reader.keyPositions(of: node) } catch {
      try reader.tolerate(error)
      return ArchiveReader.KeyPositions()
    }
  }

  private mutating func writeInstance(_ node: FlatNode, classPosition: Int) throws(KeyedArchiveError) {
    let description = try reader.classDescription(ofInstance: node, classPosition: classPosition)
    guard let description else {
      // There is no class name to show, so the `$class` is shown like any other key.
      write("?")
      return beginFields(of: node, without: [])
    }
    usedClasses.insert(description.uid.value)
    if try writeNaturally(node, description.name, classPosition: classPosition) { return }
    try write(name: description.name)
    beginFields(of: node, without: [classPosition])
  }

  /// Begins to write the keys and values of an instance, except the entries at some positions.
  mutating func beginFields(of node: FlatNode, without positions: [Int]) {
    guard node.count > positions.count else { return }
    guard level < greatestLevel else { return write(" …") }
    frames.append(Frame(kind: .fields(without: positions), node: node, closing: nil, level: level + 1))
  }
}

extension StringProtocol {
  /// The text in quotation marks, with Swift's escapes. Unlike `quoted`, nothing is left out.
  var quotedInFull: String {
    var escaped = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped.printable() + "\""
  }
}
