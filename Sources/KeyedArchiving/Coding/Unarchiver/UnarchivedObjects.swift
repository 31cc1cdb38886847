@_spi(Archives) internal import PropertyLists

/// The class instances and values that have been decoded from an archive. Instances are kept by UID, and values if they
/// are likely to be needed again.
///
/// Most values have one reference, so a value is kept only after it was decoded for the second time. No value is
/// decoded more than twice, however many references lead to it.
struct UnarchivedObjects: ~Copyable {
  private var states = PagedArray<State>(repeating: [])
  private var objects = PagedArray<AnyObject?>(repeating: nil)
  private var values = PagedArray<Kept?>(repeating: nil)
  /// The number of the current list of ``KeyedUnarchiver/additionalTypes``. A kept value is returned only while the
  /// same list is set.
  var scope = 0
  /// The number of nested levels of values in each decoded object, including its own.
  private var heights = PagedArray<UInt16>(repeating: 1)
  /// The decoded long strings and data, by their node in the document.
  private var texts: [FlatNode: Any] = [:]
  /// For types that are `Decodable` but not ``SecureCoding``: for each object and type, the number of nested levels
  /// that are currently decoding the object as this type.
  private var decodables: [ValueKey: Int] = [:]

  /// The objects that have been published but not completely decoded, by UID. The value is the number of entries that
  /// ``finished`` had when the object was published.
  private var published: [UInt32: Int] = [:]
  /// The objects that were completely decoded while ``published`` was not empty, and the values that were kept during
  /// this time. For a kept value, `value` contains its type and scope; for an object, it is nil.
  private var finished: [(uid: UInt32, value: (type: ObjectIdentifier, scope: Int)?)] = []

  private struct State: OptionSet {
    let rawValue: UInt8
    static let inProgress = State(rawValue: 1)
    /// The value is being decoded at two levels: it contains itself, and the inner value is being decoded too.
    static let inProgressAgain = State(rawValue: 2)
    static let decodedBefore = State(rawValue: 4)
    static let kept = State(rawValue: 8)
  }

  /// A kept value. Its weight (see ``KeyedUnarchiver/weight``) and height (its number of nested levels) include shared
  /// parts.
  private class Kept {
    let type: ObjectIdentifier
    let scope: Int
    let weight: Int
    let height: Int
    /// The next value in a linked list of all values that were decoded from the same object, each with another type or
    /// scope.
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

  /// A key for an object that is decoded as a type. One object may be decoded as several types, such as `[Int]` and
  /// `[Double]`.
  private struct ValueKey: Hashable {
    let uid: UInt32
    let type: ObjectIdentifier
  }

  /// Records that an object is being decoded. Returns false if it is already being decoded.
  @inline(__always)
  mutating func beginObject(_ uid: UInt32) -> Bool {
    guard !states[Int(uid)].contains(.inProgress) else { return false }
    states[Int(uid)].insert(.inProgress)
    return true
  }

  /// Removes an object whose decoding failed. If it was published, also removes all objects and values that were
  /// decoded since, because they may refer to it. Returns the removed values, for the caller to release.
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
    /// A value was kept when the object was decoded before, as this type or another. The value is not recorded as being
    /// decoded.
    case kept
    /// The value is already being decoded at two levels, one inside the other.
    case circular
  }

  /// Records that a value is being decoded.
  ///
  /// A class instance inside a value may refer back to the value, or to an equal value that the archive stores only
  /// once. The value is then decoded a second time inside itself. The second time, the instance has already been
  /// published, so the recursion ends. A cycle of values without such an instance reaches the same value a third time,
  /// which is an error.
  ///
  /// - Parameter unlessKept: true to return ``Beginning/kept`` if a value is kept for the object.
  @inline(__always)
  mutating func beginValue(_ uid: UInt32, unlessKept: Bool) -> Beginning {
    let state = states[Int(uid)]
    if unlessKept, state.contains(.kept) { return .kept }
    if state.contains(.inProgressAgain) { return .circular }
    states[Int(uid)] = state.union(state.contains(.inProgress) ? .inProgressAgain : .inProgress)
    return .begun
  }

  /// Records that decoding a value has ended, after ``beginValue(_:unlessKept:)``. Does not keep the value.
  mutating func endValue(_ uid: UInt32) {
    states[Int(uid)].remove(states[Int(uid)].contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
  }

  /// Records that decoding a value has ended, after ``beginValue(_:unlessKept:)``. Calls ``keep(_:_:weight:height:)``
  /// and returns its result.
  @inline(__always)
  mutating func endValue<T>(_ uid: UInt32, _ value: T, weight: Int, height: Int) -> AnyObject? {
    var state = states[Int(uid)]
    state.remove(state.contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
    states[Int(uid)] = state
    return keep(uid, value, weight: weight, height: height)
  }

  /// Keeps a value if its object has been decoded before. If another value was kept for the same type and scope, it is
  /// replaced and returned, for the caller to release. Otherwise returns nil.
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

  /// Records that an object is being decoded as a type that is `Decodable` but not ``SecureCoding``. Returns false if
  /// the object is already being decoded as this type at two levels, one inside the other.
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

  /// Returns the value that was kept for an object and a type, or nil if none was kept.
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

  /// Returns the number of nested levels of values in an object, including its own. 1 if the object is still being
  /// decoded.
  func height(_ uid: UInt32) -> Int { Int(heights[Int(uid)]) }

  /// Makes an object available to later references. If another object had this UID before, returns that object, for the
  /// caller to release.
  mutating func publish(_ object: AnyObject, as uid: UInt32) -> AnyObject? {
    let former = objects[Int(uid)]
    objects[Int(uid)] = object
    if states[Int(uid)].contains(.inProgress), published[uid] == nil { published[uid] = finished.count }
    return former
  }

  @inline(__always)
  mutating func finishObject(_ uid: UInt32, _ object: AnyObject, height: Int) -> AnyObject? {
    // No stack has room for more levels than a `UInt16` can count.
    if height > 1 { heights[Int(uid)] = UInt16(clamping: height) }
    states[Int(uid)].remove(.inProgress)
    if !published.isEmpty {
      published[uid] = nil
      if published.isEmpty { finished = [] } else { finished.append((uid, nil)) }
    }
    return publish(object, as: uid)
  }
}

/// An array whose elements all have the same value until they are changed. It has no fixed length. It allocates memory
/// only for pages of 256 elements that contain a changed element.
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
