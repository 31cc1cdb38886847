@_spi(Archives) internal import PropertyLists

/// What has been decoded of an archive: objects, of which there is one for each UID, and values that are needed again.
///
/// A value is not kept the first time it is decoded, because most are referred to once; the second time it is. So a
/// value is decoded twice at most, however many references lead to it, and nothing is kept for most.
struct UnarchivedObjects: ~Copyable {
  private var states = PagedArray<State>(repeating: [])
  private var objects = PagedArray<AnyObject?>(repeating: nil)
  private var values = PagedArray<Kept?>(repeating: nil)
  /// The number of the list of additional types that counts now. A value is kept for the list that it was decoded with.
  var scope = 0
  /// The number of levels of values in each finished object, itself included.
  private var heights = PagedArray<UInt16>(repeating: 1)
  /// Long texts and data, by where they stand in the document.
  private var texts: [FlatNode: Any] = [:]
  /// How many times an object is being decoded as a type that is only `Decodable`.
  private var decodables: [ValueKey: Int] = [:]

  /// Objects that are published but not finished, and how much was finished before.
  private var published: [UInt32: Int] = [:]
  /// The objects and values that were finished while any object was published. Values come with their type and scope.
  private var finished: [(uid: UInt32, value: (type: ObjectIdentifier, scope: Int)?)] = []

  private struct State: OptionSet {
    let rawValue: UInt8
    static let inProgress = State(rawValue: 1)
    /// Being decoded as a value, within the same.
    static let inProgressAgain = State(rawValue: 2)
    static let decodedBefore = State(rawValue: 4)
    static let kept = State(rawValue: 8)
  }

  /// A value that is kept, and how large and how deep it is with all that it shares.
  private class Kept {
    let type: ObjectIdentifier
    let scope: Int
    let weight: Int
    let height: Int
    /// What the same object was decoded as besides.
    var next: Kept?

    init(_ type: ObjectIdentifier, _ scope: Int, _ weight: Int, _ height: Int, _ next: Kept?) {
      self.type = type
      self.scope = scope
      self.weight = weight
      self.height = height
      self.next = next
    }
  }

  private final class KeptValue<Value>: Kept {
    let value: Value

    init(_ value: Value, _ scope: Int, _ weight: Int, _ height: Int, _ next: Kept?) {
      self.value = value
      super.init(ObjectIdentifier(Value.self), scope, weight, height, next)
    }
  }

  /// An object may be decoded as values of several types, such as `[Int]` and `[Double]`.
  private struct ValueKey: Hashable {
    let uid: UInt32
    let type: ObjectIdentifier
  }

  /// Begins to decode an object; false if it is being decoded already.
  @inline(__always)
  mutating func beginObject(_ uid: UInt32) -> Bool {
    guard !states[Int(uid)].contains(.inProgress) else { return false }
    states[Int(uid)].insert(.inProgress)
    return true
  }

  /// Forgets an object whose decoding failed, and all that was finished since it was published, which may refer to it.
  /// Returns what the caller has to release.
  mutating func abandonObject(_ uid: UInt32) -> [Any] {
    states[Int(uid)].remove(.inProgress)
    guard let start = published.removeValue(forKey: uid) else { return [] }
    var void: [Any] = []
    if let object = objects[Int(uid)] { void.append(object) }
    objects[Int(uid)] = nil
    for entry in finished[start...] {
      if let value = entry.value {
        if let kept = removeKept(value.type, value.scope, entry.uid) { void.append(kept) }
      } else if let object = objects[Int(entry.uid)] {
        void.append(object)
        objects[Int(entry.uid)] = nil
      }
    }
    finished.removeLast(finished.count - start)
    return void
  }

  enum Beginning {
    case begun
    /// It was decoded before, as this type or as another, and kept. Nothing has begun.
    case kept
    /// It is being decoded twice already.
    case circular
  }

  /// Begins to decode a value.
  ///
  /// An object that a value contains may lead back to the value, or to one that was equal when the archive was made.
  /// The value is decoded a second time then, and finds all objects on the way published. A circle of nothing but
  /// values comes around a third time.
  ///
  /// - Parameter unlessKept: whether to begin only if nothing is kept.
  @inline(__always)
  mutating func beginValue(_ uid: UInt32, unlessKept: Bool) -> Beginning {
    let state = states[Int(uid)]
    if unlessKept, state.contains(.kept) { return .kept }
    if state.contains(.inProgressAgain) { return .circular }
    states[Int(uid)] = state.union(state.contains(.inProgress) ? .inProgressAgain : .inProgress)
    return .begun
  }

  /// Ends what ``beginValue(_:unlessKept:)`` has begun with an error, or with something that is not to be kept.
  mutating func endValue(_ uid: UInt32) {
    states[Int(uid)].remove(states[Int(uid)].contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
  }

  /// Ends what ``beginValue(_:unlessKept:)`` has begun; see ``keep(_:_:weight:height:)``.
  @inline(__always)
  mutating func endValue<T>(_ uid: UInt32, _ value: T, weight: Int, height: Int) -> AnyObject? {
    var state = states[Int(uid)]
    state.remove(state.contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
    states[Int(uid)] = state
    return keep(uid, value, weight: weight, height: height)
  }

  /// Keeps a value that is decoded for the second time. Returns what was kept before, for the caller to release.
  @inline(__always)
  mutating func keep<T>(_ uid: UInt32, _ value: T, weight: Int, height: Int) -> AnyObject? {
    guard noteDecoded(uid) else { return nil }
    states[Int(uid)].insert(.kept)
    if !published.isEmpty { finished.append((uid, (ObjectIdentifier(T.self), scope))) }
    let former = removeKept(ObjectIdentifier(T.self), scope, uid)
    values[Int(uid)] = KeptValue(value, scope, weight, height, values[Int(uid)])
    return former
  }

  private mutating func removeKept(_ type: ObjectIdentifier, _ scope: Int, _ uid: UInt32) -> AnyObject? {
    var before: Kept?
    var kept = values[Int(uid)]
    while let current = kept, current.type != type || current.scope != scope {
      (before, kept) = (current, current.next)
    }
    guard let kept else { return nil }
    if let before { before.next = kept.next } else { values[Int(uid)] = kept.next }
    kept.next = nil
    return kept
  }

  /// As ``beginValue(_:unlessKept:)``, for a type that is only `Decodable`, which may hand the object on to another.
  mutating func beginDecodable(_ type: Any.Type, _ uid: UInt32) -> Bool {
    let key = ValueKey(uid: uid, type: ObjectIdentifier(type))
    guard decodables[key, default: 0] < 2 else { return false }
    decodables[key, default: 0] += 1
    return true
  }

  mutating func endDecodable(_ type: Any.Type, _ uid: UInt32) {
    let key = ValueKey(uid: uid, type: ObjectIdentifier(type))
    let count = decodables[key, default: 0]
    decodables[key] = count > 1 ? count - 1 : nil
  }

  /// What is kept of an object that was decoded as a type.
  @inline(__always)
  func kept<T>(_ type: T.Type, _ uid: UInt32) -> (value: T, weight: Int, height: Int)? {
    guard states[Int(uid)].contains(.kept) else { return nil }
    var kept = values[Int(uid)]
    while let current = kept {
      if current.type == ObjectIdentifier(T.self), current.scope == scope {
        // Sound: only a kept value of a type says that it is of this type.
        return (unsafe unsafeDowncast(current, to: KeptValue<T>.self).value, current.weight, current.height)
      }
      kept = current.next
    }
    return nil
  }

  /// Notes that something has been decoded; true if it had been before.
  @inline(__always)
  mutating func noteDecoded(_ uid: UInt32) -> Bool {
    guard !states[Int(uid)].contains(.decodedBefore) else { return true }
    states[Int(uid)].insert(.decodedBefore)
    return false
  }

  func text<T>(_ type: T.Type, at node: FlatNode) -> T? { texts.isEmpty ? nil : texts[node] as? T }

  mutating func keep<T>(_ text: T, at node: FlatNode) { texts[node] = text }

  @inline(__always)
  func object(_ uid: UInt32) -> AnyObject? { objects[Int(uid)] }

  /// The number of levels of values in an object, itself included. A reference back to an object that is still being
  /// decoded counts as one level.
  func height(_ uid: UInt32) -> Int { Int(heights[Int(uid)]) }

  /// Returns what was published before, for the caller to release.
  mutating func publish(_ object: AnyObject, as uid: UInt32) -> AnyObject? {
    let former = objects[Int(uid)]
    objects[Int(uid)] = object
    if states[Int(uid)].contains(.inProgress), published[uid] == nil { published[uid] = finished.count }
    return former
  }

  @inline(__always)
  mutating func finishObject(_ uid: UInt32, _ object: AnyObject, height: Int) -> AnyObject? {
    // No thread has room for more levels than that.
    if height > 1 { heights[Int(uid)] = UInt16(clamping: height) }
    states[Int(uid)].remove(.inProgress)
    if !published.isEmpty {
      published[uid] = nil
      if published.isEmpty { finished = [] } else { finished.append((uid, nil)) }
    }
    return publish(object, as: uid)
  }
}

/// An array of any length, all of one value at first, that takes memory only near the elements that were changed.
struct PagedArray<Element> {
  private static var pageSize: Int { 256 }

  private let element: Element
  private var pages: [[Element]] = []

  init(repeating element: Element) { self.element = element }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      let page = index / Self.pageSize
      guard page < pages.count, !pages[page].isEmpty else { return element }
      return pages[page][index % Self.pageSize]
    }
    _modify {
      let page = index / Self.pageSize
      if page >= pages.count || pages[page].isEmpty { addPage(page) }
      yield &pages[page][index % Self.pageSize]
    }
  }

  private mutating func addPage(_ page: Int) {
    while pages.count <= page { pages.append([]) }
    pages[page] = [Element](repeating: element, count: Self.pageSize)
  }
}
