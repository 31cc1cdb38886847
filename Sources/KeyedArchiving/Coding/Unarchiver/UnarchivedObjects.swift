@_spi(Archives) internal import PropertyLists

/// The objects and values that have been decoded from an archive. Objects are kept by UID, and values if they are
/// needed again.
///
/// Most values have one reference, so a value is kept only when it is decoded for the second time. A value is decoded
/// at most twice, however many references lead to it.
struct UnarchivedObjects: ~Copyable {
  private var states = PagedArray<State>(repeating: [])
  private var objects = PagedArray<AnyObject?>(repeating: nil)
  private var values = PagedArray<Kept?>(repeating: nil)
  /// The number of the current list of additional types. A value is kept for the list that it was decoded with.
  var scope = 0
  /// The number of levels of values in each finished object, itself included.
  private var heights = PagedArray<UInt16>(repeating: 1)
  /// Long strings and data, by their node in the document.
  private var texts: [FlatNode: Any] = [:]
  /// The number of decodings in progress for an object and a type that is only `Decodable`.
  private var decodables: [ValueKey: Int] = [:]

  /// The objects that are published but not finished, with the number of entries in ``finished`` at that time.
  private var published: [UInt32: Int] = [:]
  /// The objects and values that were finished while any object was published. A value has its type and scope.
  private var finished: [(uid: UInt32, value: (type: ObjectIdentifier, scope: Int)?)] = []

  private struct State: OptionSet {
    let rawValue: UInt8
    static let inProgress = State(rawValue: 1)
    /// Being decoded as a value, inside of the same value.
    static let inProgressAgain = State(rawValue: 2)
    static let decodedBefore = State(rawValue: 4)
    static let kept = State(rawValue: 8)
  }

  /// A kept value, with its weight and height including shared parts.
  private class Kept {
    let type: ObjectIdentifier
    let scope: Int
    let weight: Int
    let height: Int
    /// Another value that was decoded from the same object, with another type or scope.
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

  /// The object and the type of a value. An object may be decoded as several types, such as `[Int]` and `[Double]`.
  private struct ValueKey: Hashable {
    let uid: UInt32
    let type: ObjectIdentifier
  }

  /// Begins to decode an object. Returns false if it is being decoded already.
  @inline(__always)
  mutating func beginObject(_ uid: UInt32) -> Bool {
    guard !states[Int(uid)].contains(.inProgress) else { return false }
    states[Int(uid)].insert(.inProgress)
    return true
  }

  /// Removes an object whose decoding failed, and everything that was finished since it was published, because it may
  /// refer to the object. Returns the values that the caller must release.
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
    /// The object was decoded before, as this type or another, and was kept. No decoding has begun.
    case kept
    /// The value is already being decoded twice.
    case circular
  }

  /// Begins to decode a value.
  ///
  /// An object inside a value may refer back to the value, or to an equal one that was merged with it when the archive
  /// was made. The value is then decoded a second time, and all objects on the way are found published. A circle that
  /// consists only of values comes to the same value a third time, which is an error.
  ///
  /// - Parameter unlessKept: true to begin only if no value is kept for the object.
  @inline(__always)
  mutating func beginValue(_ uid: UInt32, unlessKept: Bool) -> Beginning {
    let state = states[Int(uid)]
    if unlessKept, state.contains(.kept) { return .kept }
    if state.contains(.inProgressAgain) { return .circular }
    states[Int(uid)] = state.union(state.contains(.inProgress) ? .inProgressAgain : .inProgress)
    return .begun
  }

  /// Ends a decoding that ``beginValue(_:unlessKept:)`` has begun, without keeping a value.
  mutating func endValue(_ uid: UInt32) {
    states[Int(uid)].remove(states[Int(uid)].contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
  }

  /// Ends a decoding that ``beginValue(_:unlessKept:)`` has begun, and keeps the value. See
  /// ``keep(_:_:weight:height:)``.
  @inline(__always)
  mutating func endValue<T>(_ uid: UInt32, _ value: T, weight: Int, height: Int) -> AnyObject? {
    var state = states[Int(uid)]
    state.remove(state.contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
    states[Int(uid)] = state
    return keep(uid, value, weight: weight, height: height)
  }

  /// Keeps a value that has been decoded for the second time. Returns the value that it replaces, for the caller to
  /// release.
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

  /// Does the same as ``beginValue(_:unlessKept:)`` for a type that is only `Decodable`, which may decode the object as
  /// another type.
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

  /// Returns the kept value of an object and a type, or nil if there is none.
  @inline(__always)
  func kept<T>(_ type: T.Type, _ uid: UInt32) -> (value: T, weight: Int, height: Int)? {
    guard states[Int(uid)].contains(.kept) else { return nil }
    var kept = values[Int(uid)]
    while let current = kept {
      if current.type == ObjectIdentifier(T.self), current.scope == scope {
        // Safe: only a kept value of this type has the type's identifier.
        return (unsafe unsafeDowncast(current, to: KeptValue<T>.self).value, current.weight, current.height)
      }
      kept = current.next
    }
    return nil
  }

  /// Records that an object has been decoded. Returns true if it had been decoded before.
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

  /// The number of levels of values in an object, including its own. A reference back to an object that is still being
  /// decoded counts as one level.
  func height(_ uid: UInt32) -> Int { Int(heights[Int(uid)]) }

  /// Publishes an object. Returns the object that it replaces, for the caller to release.
  mutating func publish(_ object: AnyObject, as uid: UInt32) -> AnyObject? {
    let former = objects[Int(uid)]
    objects[Int(uid)] = object
    if states[Int(uid)].contains(.inProgress), published[uid] == nil { published[uid] = finished.count }
    return former
  }

  @inline(__always)
  mutating func finishObject(_ uid: UInt32, _ object: AnyObject, height: Int) -> AnyObject? {
    // No thread has room for more levels than this type can count.
    if height > 1 { heights[Int(uid)] = UInt16(clamping: height) }
    states[Int(uid)].remove(.inProgress)
    if !published.isEmpty {
      published[uid] = nil
      if published.isEmpty { finished = [] } else { finished.append((uid, nil)) }
    }
    return publish(object, as: uid)
  }
}

/// An array of any length that first has one value for all elements. It takes memory only near the elements that have
/// changed.
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
