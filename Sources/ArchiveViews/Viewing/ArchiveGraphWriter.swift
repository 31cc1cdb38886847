public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

/// Writes the graph of an archive for Graphviz; see `KeyedArchive.graph(of:depth:)`.
///
/// It visits the objects depth first, so that a reference to an object that is not finished is recognized as the end of
/// a cycle. It does not recurse.
struct ArchiveGraphWriter {
  private let archive: KeyedArchive
  private var reader: ArchiveReader
  private var output: [UInt8] = []
  private var states: [State]
  private var shown: Set<UInt32>?
  private var isBelowTop = true

  private enum State: UInt8 {
    case unknown
    /// The object was begun, but not all of its references have been followed.
    case open
    case finished
  }

  /// An object, or the top, whose references are being written.
  private struct Frame {
    let name: String
    let uid: UInt32?
    let box: ObjectBox
    var next = 0
  }

  init(_ archive: KeyedArchive) {
    self.archive = archive
    reader = ArchiveReader(forAllOf: archive)
    states = Array(repeating: .unknown, count: archive.objects.count)
  }

  var text: String { String(decoding: output, as: UTF8.self) }

  /// Writes the graph from `object` on, or from the top if that is nil. Throws `KeyedArchiveError.Kind.limitExceeded`,
  /// or the error of `object` if that cannot be read.
  mutating func write(_ object: PropertyList.UID?, depth: Int?) throws(KeyedArchiveError) {
    if let object { _ = try reader.object(object.value) }
    if let depth { shown = try objects(from: object?.value, depth: depth) }
    line("digraph archive {")
    line("  graph [rankdir=LR];")
    line("  node [shape=box, fontname=\"Helvetica\"];")
    if let object {
      try writeAll(from: frame(object.value))
    } else {
      let top = try ObjectBox(nil, of: archive, &reader)
      write(top, named: "top", title: "top", attributes: ", shape=ellipse")
      try writeAll(from: Frame(name: "top", uid: nil, box: top))
      if shown == nil { try writeUnreachable() }
    }
    line("}")
  }

  /// Returns the UIDs of the objects that are at most `depth` references away from an object, or from the top.
  private mutating func objects(from start: UInt32?, depth: Int) throws(KeyedArchiveError) -> Set<UInt32> {
    var found: Set<UInt32> = []
    var next: [UInt32] = []
    if let start {
      found = [start]
      next = [start]
    } else {
      next = try targets(ObjectBox(nil, of: archive, &reader), &found)
    }
    var distance = 0
    while distance < depth, !next.isEmpty {
      var further: [UInt32] = []
      for uid in next where uid < states.count { further += try targets(ObjectBox(uid, of: archive, &reader), &found) }
      next = further
      distance += 1
    }
    return found
  }

  private func targets(_ box: ObjectBox, _ found: inout Set<UInt32>) -> [UInt32] {
    box.references.map(\.target).filter { found.insert($0).inserted }
  }

  /// Writes boxes for the unreachable objects, except for class descriptions and for short objects, which are shown as
  /// text in the boxes that refer to them.
  private mutating func writeUnreachable() throws(KeyedArchiveError) {
    isBelowTop = false
    for uid in 0..<UInt32(clamping: states.count) where states[Int(uid)] == .unknown {
      do {
        let node = try reader.object(uid)
        if archive.document.isNullObject(node) || RenderedObjects.isShort(node) { continue }
        if node.kind == .dictionary, try reader.kind(ofDictionary: node) == .classDescription { continue }
      } catch {
        try reader.tolerate(error)
      }
      try writeAll(from: frame(uid))
    }
  }

  private mutating func frame(_ uid: UInt32) throws(KeyedArchiveError) -> Frame {
    states[Int(uid)] = .open
    let box = try ObjectBox(uid, of: archive, &reader)
    let title = "#\(uid) \(box.title)"
    write(box, named: "o\(uid)", title: title, attributes: isBelowTop ? "" : ", style=dashed")
    return Frame(name: "o\(uid)", uid: uid, box: box)
  }

  private mutating func writeAll(from first: Frame) throws(KeyedArchiveError) {
    var frames = [first]
    while let frame = frames.last {
      guard frame.next < frame.box.references.count else {
        if let uid = frame.uid { states[Int(uid)] = .finished }
        frames.removeLast()
        continue
      }
      frames[frames.count - 1].next += 1
      let (label, target) = frame.box.references[frame.next]
      guard target < states.count else {
        line("  o\(target) [label=\"#\(target) outside the object table\", color=red];")
        arrow(frame.name, target, label, ", color=red")
        continue
      }
      if let shown, !shown.contains(target) { continue }
      switch states[Int(target)] {
      case .unknown:
        arrow(frame.name, target, label, "")
        frames.append(try self.frame(target))
      case .open: arrow(frame.name, target, label, ", style=dashed, color=red, constraint=false")
      case .finished: arrow(frame.name, target, label, ", color=blue")
      }
    }
  }

  private mutating func write(_ box: ObjectBox, named name: String, title: String, attributes: String) {
    var label = Self.escaped(title) + "\\l"
    for line in box.lines { label += Self.escaped(line) + "\\l" }
    if box.omittedCount > 0 { label += "… \(box.omittedCount) more\\l" }
    if let shown, box.references.contains(where: { !shown.contains($0.target) }) { label += "…\\l" }
    line("  \(name) [label=\"\(label)\"\(attributes)];")
  }

  private mutating func arrow(_ source: String, _ target: UInt32, _ label: String, _ attributes: String) {
    line("  \(source) -> o\(target) [label=\"\(Self.escaped(label))\"\(attributes)];")
  }

  private mutating func line(_ text: String) {
    output.append(contentsOf: text.utf8)
    output.append(UInt8(ascii: "\n"))
  }

  /// Escapes text for a quoted string of Graphviz.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.printable().unicodeScalars {
      if scalar == "\"" || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}

extension KeyedArchive {
  /// Returns the objects of the archive and their references as a graph for Graphviz (`dot -Tsvg`).
  ///
  /// ```
  /// digraph archive {
  ///   top -> o1 [label="root"];
  ///   o1 [label="#1 Person\lname: \"Ada\"\l"];
  ///   o1 -> o3 [label="friends"];
  ///   o3 [label="#3 NSArray\l"];
  ///   o3 -> o1 [label="[0]", style=dashed, color=red, constraint=false];
  /// }
  /// ```
  ///
  /// | in the archive | in the graph |
  /// |---|---|
  /// | an object | a box with its UID, its class and its numbers, dates, short strings and short data |
  /// | a reference | an arrow with the key, or with the index or key in one of Foundation's collections |
  /// | a reference to an object that was reached before | a blue arrow |
  /// | a reference back to an object that leads to this one | a red dashed arrow, the end of a cycle |
  /// | a reference beyond the object table | a red arrow to a box that says so |
  /// | an object that no top-level key leads to | a box with a dashed border |
  ///
  /// A box shows up to 24 values, with up to 60 characters each, and the number of further values. The graph contains
  /// all objects and all references.
  ///
  /// ```swift
  /// try Data(archive.graph().utf8).write(to: url)
  /// ```
  ///
  /// - Parameters:
  ///   - object: the object to begin with. The graph shows only this object and the objects that it leads to. Nil to
  ///     begin at the top.
  ///   - depth: the greatest number of references from `object`, or the top, to a shown object. A box that refers to
  ///     objects beyond it shows `…`. Nil to show all objects.
  /// - Returns: text in the language of Graphviz. The last line ends with a newline.
  /// - Throws: `KeyedArchiveError` if the first object cannot be read; `KeyedArchiveError.Kind.limitExceeded` if
  ///   objects of a binary file overlap too much.
  /// - Complexity: O(*n*) in the size of the archive. The function does not recurse.
  public func graph(of object: PropertyList.UID? = nil, depth: Int? = nil) throws(KeyedArchiveError) -> String {
    var writer = ArchiveGraphWriter(self)
    try writer.write(object, depth: depth)
    return writer.text
  }
}
