internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// What a rendering of an archive shows for a reference, so that every object is shown in full once, near
/// the first reference to it, and the output grows in proportion to the input.
struct RenderedObjects {
  /// How many references lead to each object; 2 for all that are more.
  private var referenceCounts: [UInt8]
  private var isMet: [Bool]
  private var postponed: [UInt32] = []
  private var postponedStart = 0

  /// Objects that are referred to deeper than this are shown behind the others. Indentation would make the output grow
  /// with the square of the depth, and few readers of JSON take more than 500 levels.
  static var greatestLevel: Int { 64 }

  /// Strings and data up to this many bytes are shown at each reference to them, as numbers are.
  static var shortNative: Int { 64 }

  /// What is shown for a reference.
  enum Encounter {
    case nothing
    /// The object itself.
    ///
    /// - Parameter isMarked: whether there are further references to it, which need its UID.
    case inFull(FlatNode, isMarked: Bool)
    /// Its UID: it is in full elsewhere.
    case byReference
    /// That there is no such object in the table.
    case outside
    case unreadable(KeyedArchiveError)
  }

  /// - Throws: `KeyedArchiveError.Kind.limitExceeded`.
  init(_ archive: KeyedArchive, _ reader: inout ArchiveReader) throws(KeyedArchiveError) {
    let count = archive.objects.count
    referenceCounts = Array(repeating: 0, count: count)
    isMet = Array(repeating: false, count: count)
    try addReferences(ReferenceWalk(archive.topNode.flat, classPosition: nil), &reader)
    for uid in 0..<UInt32(clamping: count) {
      do {
        if let walk = try ReferenceWalk(of: uid, &reader) { try addReferences(walk, &reader) }
      } catch {
        try reader.tolerate(error)
      }
    }
  }

  private mutating func addReferences(
    _ walk: consuming ReferenceWalk, _ reader: inout ArchiveReader
  ) throws(KeyedArchiveError) {
    while true {
      do {
        guard let uid = try walk.next(&reader) else { return }
        guard uid < referenceCounts.count else { continue }
        referenceCounts[Int(uid)] = min(referenceCounts[Int(uid)] + 1, 2)
      } catch {
        // What cannot be read is a matter for whoever shows it.
        try reader.tolerate(error)
      }
    }
  }

  mutating func encounter(
    _ uid: UInt32, level: Int, _ reader: inout ArchiveReader
  ) throws(KeyedArchiveError) -> Encounter {
    guard uid < isMet.count else { return .outside }
    let wasMet = isMet[Int(uid)]
    isMet[Int(uid)] = true
    let node: FlatNode
    do { node = try reader.object(uid) } catch {
      try reader.tolerate(error)
      return .unreadable(error)
    }
    if reader.document.isNullObject(node) { return .nothing }
    if Self.isShort(node) { return .inFull(node, isMarked: false) }
    if wasMet { return .byReference }
    if level >= Self.greatestLevel {
      postponed.append(uid)
      return .byReference
    }
    return .inFull(node, isMarked: isShared(uid))
  }

  static func isShort(_ node: FlatNode) -> Bool {
    switch node.kind {
    case .boolean, .integer, .unsignedInteger, .real, .float, .date: true
    case .string, .data: node.length <= shortNative
    case .null, .uid, .array, .dictionary: false
    }
  }

  func isShared(_ uid: UInt32) -> Bool { referenceCounts[Int(uid)] > 1 }

  /// Whether an object was shown, or is going to be.
  func isMet(_ uid: UInt32) -> Bool { isMet[Int(uid)] }

  mutating func meet(_ uid: UInt32) { isMet[Int(uid)] = true }

  /// Returns the next object that was too deep to be shown for a reference.
  mutating func nextPostponed() -> UInt32? {
    guard postponedStart < postponed.count else { return nil }
    defer { postponedStart += 1 }
    return postponed[postponedStart]
  }
}

extension FlatNode {
  /// A truth value, a number or a date, as people read it.
  var plainText: String {
    switch kind {
    case .boolean: boolean ? "true" : "false"
    case .integer, .unsignedInteger: integer.description
    case .real: real.description
    case .float: float.description
    case .date: PropertyList.date(Date(timeIntervalSinceReferenceDate: real)).debugDescription
    case .null, .uid, .string, .data, .array, .dictionary: "null"
    }
  }
}
