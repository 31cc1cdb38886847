/// The references of all objects of an archive, side by side.
struct ReferenceTable {
  private var targets: [UInt32] = []
  /// Where the references of the top end, then those of each object.
  private var ends: [Int] = []

  init(objectCount: Int) { ends.reserveCapacity(objectCount + 1) }

  /// Adds a reference of the source that is at hand: first the top, then object by object.
  mutating func add(_ target: UInt32) { targets.append(target) }

  /// The references from now on are those of the next source.
  mutating func endSource() { ends.append(targets.count) }

  /// What the top-level keys lead to.
  var ofTop: ArraySlice<UInt32> { targets[..<(ends.first ?? 0)] }

  /// What an object refers to.
  func of(_ uid: UInt32) -> ArraySlice<UInt32> { targets[ends[Int(uid)]..<ends[Int(uid) + 1]] }
}
