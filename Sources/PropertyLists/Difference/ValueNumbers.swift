internal import OrderedCollections

/// Numbers for values: equal values have the same number, so that comparing two takes no time, however large they are.
struct ValueNumbers {
  private let ignoresKeyOrder: Bool
  private var numbers: [Content: Int] = [:]
  private var values: [Numbered] = []

  /// What makes a value equal to another, with the numbers of its children in place of them.
  private enum Content: Hashable {
    case scalar(PropertyList)
    case array([Int])
    case dictionary([String], [Int])
  }

  private struct Numbered {
    /// The first value that got this number.
    let value: PropertyList
    /// The numbers of its children, in their order.
    let children: [Int]
  }

  init(ignoresKeyOrder: Bool) { self.ignoresKeyOrder = ignoresKeyOrder }

  /// The numbers of the elements of an array or the entries of a dictionary.
  func children(of number: Int) -> [Int] { values[number].children }

  /// The numbers of the entries of a dictionary, by their keys.
  func child(_ key: String, of number: Int) -> Int? {
    guard case .dictionary(let entries) = values[number].value, let position = entries.index(forKey: key) else {
      return nil
    }
    return values[number].children[position]
  }

  /// The number of a value. The stack is its own, so that the depth of a value costs no stack of the thread.
  mutating func number(_ root: PropertyList) -> Int {
    var finished: [Int] = []
    var open: [Frame] = []
    var value = root
    while true {
      if let children = Self.children(value) {
        open.append(Frame(container: value, children: children, start: finished.count))
      } else {
        finished.append(enter(.scalar(value), value, []))
      }
      while let frame = open.last, frame.next == frame.children.count {
        open.removeLast()
        let children = Array(finished[frame.start...])
        finished.removeLast(children.count)
        finished.append(enter(content(frame.container, children), frame.container, children))
      }
      guard let last = open.indices.last else { return finished.first ?? 0 }
      value = open[last].children[open[last].next]
      open[last].next += 1
    }
  }

  private struct Frame {
    let container: PropertyList
    let children: [PropertyList]
    /// Where the numbers of its children begin.
    let start: Int
    var next = 0
  }

  private static func children(_ value: PropertyList) -> [PropertyList]? {
    switch value {
    case .array(let elements): elements
    case .dictionary(let entries): entries.values.elements
    default: nil
    }
  }

  private func content(_ container: PropertyList, _ children: [Int]) -> Content {
    guard case .dictionary(let entries) = container else { return .array(children) }
    let keys = entries.keys.elements
    guard ignoresKeyOrder else { return .dictionary(keys, children) }
    let order = keys.indices.sorted { keys[$0] < keys[$1] }
    return .dictionary(order.map { keys[$0] }, order.map { children[$0] })
  }

  private mutating func enter(_ content: Content, _ value: PropertyList, _ children: [Int]) -> Int {
    if let number = numbers[content] { return number }
    numbers[content] = values.count
    values.append(Numbered(value: value, children: children))
    return values.count - 1
  }
}
