/// A path from the root of a property list to a value in it.
///
/// ```swift
/// let path = try PropertyListKeyPath("items.0.name")
/// let name = try document.root.descendant(at: path).string
/// ```
///
/// ``Syntax`` describes the text form of a path.
public struct PropertyListKeyPath: Hashable, Sendable {
  /// One step of a path.
  ///
  /// A container decides how a step is used: ``index(_:)`` of 7 is the key `7` in a dictionary, and the key `7` is an
  /// index in an array. Therefore the two are equal. In an array, the key `-1` is the last element, `-2` the one before
  /// it, and so on.
  ///
  /// ```swift
  /// let path = PropertyListKeyPath([.key("invoices"), .index(0), .key("total")])   // invoices.0.total
  /// ```
  public enum Component: Sendable {
    /// A key of a dictionary.
    case key(String)
    /// An index of an array, from 0.
    case index(Int)
  }

  /// The steps, beginning at the root.
  public var components: [Component]

  /// Creates a path from its steps. Without steps, it is the path of the root.
  public init(_ components: [Component] = []) { self.components = components }

  /// Returns this path with one more step, which leads to an element or entry of the value at this path.
  ///
  /// ```swift
  /// let invoices = try PropertyListKeyPath("invoices")
  /// let first = invoices.appending(.index(0))   // invoices.0
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of steps.
  public func appending(_ component: Component) -> PropertyListKeyPath { PropertyListKeyPath(components + [component]) }
}

extension PropertyListKeyPath.Component {
  /// Creates an index if `text` is a nonnegative integer in decimal digits without leading zeros, else a key: `7` is an
  /// index, `07` and `-1` are keys.
  public init(_ text: String) {
    if let index = Self.integer(text), index >= 0 { self = .index(index) } else { self = .key(text) }
  }

  /// The step as a dictionary key.
  public var text: String {
    switch self {
    case .key(let key): key
    case .index(let index): String(index)
    }
  }

  /// The step as an array index, or nil if it is not one. A key is an index if it has only digits; leading zeros are
  /// allowed.
  public var arrayIndex: Int? {
    switch self {
    case .index(let index): index >= 0 ? index : nil
    case .key(let key): key.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(key) : nil
    }
  }

  /// Returns the step as an index into an array of `count` elements: ``arrayIndex``, or for a negative key, the index
  /// counted from the end (`-1` is the last element). The result may be beyond the end. Returns nil if the step is not
  /// an index.
  package func arrayIndex(in count: Int) -> Int? {
    if let index = arrayIndex { return index }
    let text = text.utf8
    guard text.first == UInt8(ascii: "-"), text.count > 1,
      text.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let distance = Int(self.text), distance < 0, distance >= -count
    else { return nil }
    return count + distance
  }

  /// Returns the integer whose shortest decimal form is `text`, or nil for other text, such as `007` or `+7`.
  private static func integer(_ text: String) -> Int? {
    let utf8 = text.utf8
    // The longest form has a sign and 19 digits.
    guard utf8.count <= 20, let first = utf8.first, first == UInt8(ascii: "-") || first < UInt8(ascii: ":"),
      let integer = Int(text), String(integer).utf8.elementsEqual(utf8)
    else { return nil }
    return integer
  }
}

extension PropertyListKeyPath.Component: Hashable {
  /// Returns true if both have the same text.
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
