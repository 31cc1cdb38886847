/// What has been decoded of an archive: objects, of which there is one for each UID, and values that are needed again.
///
/// A value is not kept the first time it is decoded, because most are referred to once; the second time it is. So a value is
/// decoded twice at most, however many references lead to it, and nothing is kept for most.
struct UnarchivedObjects {
  private var states = PagedArray<State>(repeating: [])
  private var objects = PagedArray<AnyObject?>(repeating: nil)
  private var values: [ValueKey: Any] = [:]

  private struct State: OptionSet {
    let rawValue: UInt8
    static let inProgress = State(rawValue: 1)
    /// Being decoded as a value, within the same.
    static let inProgressAgain = State(rawValue: 2)
    static let decodedBefore = State(rawValue: 4)
    static let kept = State(rawValue: 8)
  }

  /// The same object of an archive may be decoded as values of several types, such as an array as `[Int]` and as `[Double]`.
  private struct ValueKey: Hashable {
    let uid: UInt32
    let type: ObjectIdentifier
  }

  /// Begins to decode an object, of which there is one.
  ///
  /// - Returns: false if it is being decoded already.
  @inline(__always)
  mutating func beginObject(_ uid: UInt32) -> Bool {
    guard !states[Int(uid)].contains(.inProgress) else { return false }
    states[Int(uid)].insert(.inProgress)
    return true
  }

  /// Decoding has failed; what was published of it is void.
  mutating func abandonObject(_ uid: UInt32) {
    states[Int(uid)].remove(.inProgress)
    objects[Int(uid)] = nil
  }

  /// What comes of beginning to decode a value.
  enum Beginning<T> {
    /// It was decoded before, and kept.
    case kept(T)
    case begun
    /// It is being decoded twice already.
    case circular
  }

  /// Begins to decode a value, unless it is kept.
  ///
  /// An object that a value contains may lead back to the value, or to one that was equal when the archive was made. The
  /// value is decoded a second time then, and finds all objects on the way published. A circle of nothing but values
  /// comes around a third time.
  @inline(__always)
  mutating func beginValue<T>(_ type: T.Type, _ uid: UInt32) -> Beginning<T> {
    let state = states[Int(uid)]
    if state.contains(.kept), let value = value(type, uid) { return .kept(value) }
    if state.contains(.inProgressAgain) { return .circular }
    states[Int(uid)] = state.union(state.contains(.inProgress) ? .inProgressAgain : .inProgress)
    return .begun
  }

  /// Ends what ``beginValue(_:_:)`` has begun with an error, or with something that is not to be kept.
  mutating func endValue(_ uid: UInt32) {
    states[Int(uid)].remove(states[Int(uid)].contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
  }

  /// Ends what ``beginValue(_:_:)`` has begun, with a value, which is kept if it is one that was decoded before.
  @inline(__always)
  mutating func endValue<T>(_ uid: UInt32, _ value: T) {
    var state = states[Int(uid)]
    state.remove(state.contains(.inProgressAgain) ? .inProgressAgain : .inProgress)
    states[Int(uid)] = state
    keep(uid, value)
  }

  /// Keeps a value if it is one that was decoded before.
  @inline(__always)
  mutating func keep<T>(_ uid: UInt32, _ value: T) {
    guard states[Int(uid)].contains(.decodedBefore) else {
      states[Int(uid)].insert(.decodedBefore)
      return
    }
    states[Int(uid)].insert(.kept)
    values[ValueKey(uid: uid, type: ObjectIdentifier(T.self))] = value
  }

  /// A value that is kept.
  func value<T>(_ type: T.Type, _ uid: UInt32) -> T? {
    guard states[Int(uid)].contains(.kept) else { return nil }
    return values[ValueKey(uid: uid, type: ObjectIdentifier(type))] as? T
  }

  @inline(__always)
  func object(_ uid: UInt32) -> AnyObject? { objects[Int(uid)] }

  mutating func publish(_ object: AnyObject, as uid: UInt32) { objects[Int(uid)] = object }

  @inline(__always)
  mutating func finishObject(_ uid: UInt32, _ object: AnyObject) {
    states[Int(uid)].remove(.inProgress)
    objects[Int(uid)] = object
  }
}

/// An array of any length, all of one value at first, that takes memory only near the places that were changed.
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
