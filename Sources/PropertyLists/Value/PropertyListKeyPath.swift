/// The way from the root of a property list to a value in it.
///
/// ```swift
/// let path = try PropertyListKeyPath("items.0.name")
/// let name = try document.root.descendant(at: path).string
/// ```
///
/// ``Syntax`` says how a path is spelled.
public struct PropertyListKeyPath: Hashable, Sendable {
  /// One step down.
  ///
  /// A step is its text, and the container it meets decides what that means: ``index(_:)`` of 7 is the key `7` where it
  /// meets a dictionary, and the key `7` is an index where it meets an array. So the two are equal. Where the key `-1`
  /// meets an array, it is the last element, `-2` the one before it, and so on.
  public enum Component: Sendable {
    /// A key of a dictionary.
    case key(String)
    /// An index of an array, from 0.
    case index(Int)
  }

  /// The steps, from the root on.
  public var components: [Component]

  /// The path of these steps; of none, the root.
  public init(_ components: [Component] = []) { self.components = components }

  /// The path to an element or entry of the value this path leads to.
  ///
  /// - Complexity: O(*n*) in the number of steps.
  public func appending(_ component: Component) -> PropertyListKeyPath { PropertyListKeyPath(components + [component]) }
}

extension PropertyListKeyPath.Component {
  /// An index if `text` is how one is written, else a key.
  public init(_ text: String) {
    if let index = Self.integer(text), index >= 0 { self = .index(index) } else { self = .key(text) }
  }

  /// The step as a key of a dictionary.
  public var text: String {
    switch self {
    case .key(let key): key
    case .index(let index): String(index)
    }
  }

  /// The step as an index of an array: digits and nothing else, zeros in front allowed; nil if it is none.
  public var arrayIndex: Int? {
    switch self {
    case .index(let index): index >= 0 ? index : nil
    case .key(let key): key.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(key) : nil
    }
  }

  /// The step as an index of an array of so many elements: ``arrayIndex``, or counted from the end if it is negative,
  /// where `-1` is the last element. May be beyond the end; nil if it is no index.
  package func arrayIndex(in count: Int) -> Int? {
    if let index = arrayIndex { return index }
    let text = text.utf8
    guard text.first == UInt8(ascii: "-"), text.count > 1,
      text.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let distance = Int(self.text), distance < 0, distance >= -count
    else { return nil }
    return count + distance
  }

  /// The integer that is written exactly so.
  private static func integer(_ text: String) -> Int? {
    let utf8 = text.utf8
    // The longest has a sign and 19 digits.
    guard utf8.count <= 20, let first = utf8.first, first == UInt8(ascii: "-") || first < UInt8(ascii: ":"),
      let integer = Int(text), String(integer).utf8.elementsEqual(utf8)
    else { return nil }
    return integer
  }
}

extension PropertyListKeyPath.Component: Hashable {
  /// Whether both have the same text.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.index(let a), .index(let b)): a == b
    case (.key(let a), .key(let b)): a == b
    case (.index(let index), .key(let key)), (.key(let key), .index(let index)): integer(key) == index
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .index(let index): hasher.combine(index)
    case .key(let key):
      if let index = Self.integer(key) { hasher.combine(index) } else { hasher.combine(key) }
    }
  }
}
