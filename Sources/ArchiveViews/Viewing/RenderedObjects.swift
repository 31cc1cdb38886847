internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Decides how a view of an archive shows each reference. Each object is shown in full only once, so the output grows
/// in proportion to the input. Only short strings, data, numbers and dates are repeated at each reference.
struct RenderedObjects {
  /// The number of references to each object. Numbers above 2 are stored as 2.
  private var referenceCounts: [UInt8]
  private var isMet: [Bool]
  private var postponed: [UInt32] = []
  private var postponedStart = 0

  /// The number of levels of objects that are shown at their first reference. An object at a deeper level is shown
  /// after all others. Otherwise, indentation would make the output grow with the square of the depth. Also, few JSON
  /// readers accept more than 500 levels.
  static var greatestLevel: Int { 64 }

  /// The greatest length, in bytes, of strings and data that are repeated at each reference.
  static var shortNative: Int { 64 }

  /// The form of a reference in the output.
  enum Encounter {
    case nothing
    /// The object itself.
    ///
    /// - Parameter isMarked: true if its UID must be shown too, because there are more references to it.
    case inFull(FlatNode, isMarked: Bool)
    /// The UID of the object, which is shown in full elsewhere.
    case byReference
    /// A note that the UID is beyond the end of the object table.
    case outside
    case unreadable(KeyedArchiveError)
  }

  /// Counts the references to each object. Throws `KeyedArchiveError.Kind.limitExceeded` if objects overlap too much.
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
        // The view shows the error when it comes to the value.
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

  /// Returns true if an object was shown, or will be shown by ``nextPostponed()``.
  func isMet(_ uid: UInt32) -> Bool { isMet[Int(uid)] }

  mutating func meet(_ uid: UInt32) { isMet[Int(uid)] = true }

  /// Returns the UID of the next object that was not shown at its reference because it was too deep. Returns nil if all
  /// objects were shown.
  mutating func nextPostponed() -> UInt32? {
    guard postponedStart < postponed.count else { return nil }
    defer { postponedStart += 1 }
    return postponed[postponedStart]
  }
}

extension FlatNode {
  /// The text of a Boolean, a number or a date, for people.
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
