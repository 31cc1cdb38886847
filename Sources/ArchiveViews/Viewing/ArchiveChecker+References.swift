internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Finds unreachable objects, and reference cycles that no reader can decode.
extension ArchiveChecker {
  mutating func checkReachability() throws(KeyedArchiveError) {
    var isReached = [Bool](repeating: false, count: roles.count)
    var waiting: [UInt32] = Array(references.ofTop)
    while let uid = waiting.popLast() {
      guard !isReached[Int(uid)] else { continue }
      isReached[Int(uid)] = true
      waiting.append(contentsOf: references.of(uid))
      let classUID = classUIDs[Int(uid)]
      if classUID < roles.count { waiting.append(classUID) }
    }
    for uid in roles.indices where !isReached[uid] && roles[uid] != .null {
      let isClass = roles[uid] == .classDescription
      try report(
        .unreachableObject,
        isClass
          ? "no object that a top-level key leads to has this class" : "no top-level key leads to this object",
        uid: UInt32(uid))
    }
  }

  /// Reports immutable collections that contain themselves, directly or through other immutable collections. They are
  /// the strongly connected components of the graph of these collections and their references to each other (Tarjan
  /// 1972).
  mutating func checkCircles() throws(KeyedArchiveError) {
    let isImmutable = roles.indices.map { uid in
      guard roles[uid] == .instance, let layout = classInfo(of: UInt32(uid))?.layout else { return false }
      return layout.isCollection && !layout.isMutable
    }
    guard isImmutable.contains(true) else { return }
    var search = CircleSearch(references, isImmutable)
    for uid in roles.indices where isImmutable[uid] {
      for circle in search.circles(from: UInt32(uid)) {
        guard let first = circle.min() else { continue }
        let others = circle.filter { $0 != first }.sorted()
        let way = others.prefix(5).map { "#\($0)" }.joined(separator: ", ") + (others.count > 5 ? ", …" : "")
        try report(
          .circularCollection,
          "the immutable collection contains itself" + (others.isEmpty ? "" : ", through \(way)"), uid: first)
      }
    }
  }
}

/// The references of all objects of an archive, in one array.
struct ReferenceTable {
  private var targets: [UInt32] = []
  /// The end of the references of each source in ``targets``: the first element is the index after the last reference
  /// of the top, and the next elements are the same for each object in order.
  private var ends: [Int] = []

  init(objectCount: Int) { ends.reserveCapacity(objectCount + 1) }

  /// Adds a reference of the current source. The first source is the top of the archive, followed by each object in
  /// order.
  mutating func add(_ target: UInt32) { targets.append(target) }

  /// Ends the references of the current source. The next object becomes the current source.
  mutating func endSource() { ends.append(targets.count) }

  var ofTop: ArraySlice<UInt32> { targets[..<(ends.first ?? 0)] }

  func of(_ uid: UInt32) -> ArraySlice<UInt32> { targets[ends[Int(uid)]..<ends[Int(uid) + 1]] }
}

/// A search for reference cycles among some of the objects, with Tarjan's algorithm.
private struct CircleSearch {
  private let references: ReferenceTable
  private let isIncluded: [Bool]
  /// For each object, its position in the order of visits, from 1; 0 if it was not visited.
  private var order: [UInt32]
  /// For each visited object, the ``order`` of the earliest visited object that is known to be in the same cycle.
  private var low: [UInt32]
  private var isOpen: [Bool]
  private var open: [UInt32] = []
  private var count: UInt32 = 0
  /// The objects from the start of the search to the current one, each with the index of its next reference to follow.
  private var path: [(uid: UInt32, next: Int)] = []

  init(_ references: ReferenceTable, _ isIncluded: [Bool]) {
    self.references = references
    self.isIncluded = isIncluded
    order = Array(repeating: 0, count: isIncluded.count)
    low = order
    isOpen = Array(repeating: false, count: isIncluded.count)
  }

  private mutating func enter(_ uid: UInt32) {
    count += 1
    order[Int(uid)] = count
    low[Int(uid)] = count
    isOpen[Int(uid)] = true
    open.append(uid)
    path.append((uid, 0))
  }

  /// Searches from an object on. Returns the cycles that were not found before, each as the UIDs of its objects.
  mutating func circles(from start: UInt32) -> [[UInt32]] {
    guard order[Int(start)] == 0 else { return [] }
    var circles: [[UInt32]] = []
    enter(start)
    while let (uid, next) = path.last {
      let targets = references.of(uid)
      if next < targets.count {
        path[path.count - 1].next += 1
        let target = targets[targets.startIndex + next]
        guard isIncluded[Int(target)] else { continue }
        if order[Int(target)] == 0 {
          enter(target)
        } else if isOpen[Int(target)] {
          low[Int(uid)] = min(low[Int(uid)], order[Int(target)])
        }
        continue
      }
      path.removeLast()
      if let parent = path.last?.uid { low[Int(parent)] = min(low[Int(parent)], low[Int(uid)]) }
      guard low[Int(uid)] == order[Int(uid)] else { continue }
      var component: [UInt32] = []
      while let member = open.popLast() {
        isOpen[Int(member)] = false
        component.append(member)
        if member == uid { break }
      }
      if component.count > 1 || references.of(uid).contains(uid) { circles.append(component) }
    }
    return circles
  }
}
