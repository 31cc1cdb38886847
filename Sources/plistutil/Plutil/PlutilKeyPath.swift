import PropertyLists

/// A key path in the syntax of Apple's tool: components between dots. `\.` is a dot in a component, and every other
/// character, including a backslash, is literal. Digits are an index in an array, and a key in a dictionary.
struct PlutilKeyPath: Hashable, Sendable {
  /// The text of the argument.
  let text: String
  private let parts: [String]

  init(_ text: String) throws(PlutilError) {
    try PlutilError.refuseBytes(text)
    self.text = text
    var parts = [String.UnicodeScalarView()]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == ".", !isEscaped {
        parts.append(String.UnicodeScalarView())
      } else {
        if scalar == "." { parts[parts.count - 1].removeLast() }
        parts[parts.count - 1].append(scalar)
      }
      isEscaped = scalar == "\\"
    }
    self.parts = parts.map { String($0) }
  }

  private var path: PropertyListKeyPath { PropertyListKeyPath(parts.map { PropertyListKeyPath.Component($0) }) }

  /// True if a component is empty, which Apple's tool does not accept.
  private var hasEmptyPart: Bool { parts.contains("") }

  var quoted: String { text.printable() }

  /// Returns the value at the path.
  func value(in root: PropertyListDocument.Node) throws(PlutilError) -> PropertyListDocument.Node {
    let missing = PlutilError(
      "Could not extract value, error: No value at that key path or invalid key path: \(quoted)")
    guard !hasEmptyPart else { throw missing }
    var node = root
    for component in path.components {
      // Apple's tool has no negative indices.
      guard node.kind != .array || component.arrayIndex != nil else { throw missing }
      do { node = try node.descendant(at: PropertyListKeyPath([component])) } catch {
        throw error.kind == .noSuchValue ? missing : PlutilError(error)
      }
    }
    return node
  }

  /// The kinds of insertion.
  enum Insertion: Sendable {
    /// Adds a new key, or inserts before an element of an array.
    case new
    /// Replaces an existing value, or inserts a new one.
    case replacing
    /// Appends to an existing array.
    case appending
  }

  func remove(from root: inout PropertyList) throws(PlutilError) {
    let missing = PlutilError("No value to remove at key path \(quoted)")
    guard !hasEmptyPart, let last = path.components.last, let container = try? container(in: root),
      container.kind != .array || last.arrayIndex != nil
    else { throw missing }
    do { try root.remove(at: path) } catch { throw missing }
  }

  /// Inserts a value at the path.
  ///
  /// - Throws: ``PlutilError``, and errors of the library.
  func insert(_ value: PropertyList, _ insertion: Insertion, into root: inout PropertyList) throws {
    guard !hasEmptyPart, let last = path.components.last else { throw PlutilError("Key path not found \(quoted)") }
    let existing = try checked(last, in: container(in: root), insertion)
    switch insertion {
    case .appending: try root.append(value, at: path)
    case .replacing where existing != nil: try root.replace(value, at: path)
    case .new, .replacing: try root.insert(value, at: path)
    }
  }

  /// Returns the container that the path without its last component leads to.
  private func container(in root: PropertyList) throws(PlutilError) -> PropertyList {
    var value = root
    for component in path.components.dropLast() {
      switch value {
      case .dictionary(let entries):
        guard let next = entries[component.text] else { throw PlutilError("Key path not found \(quoted)") }
        value = next
      case .array(let elements):
        let index = try index(component)
        guard index < elements.count else { throw outOfBounds(index) }
        value = elements[index]
      default: throw PlutilError("Unable to insert value at key path \(quoted)")
      }
    }
    return value
  }

  /// Returns the existing value at the last component; nil if it is missing. Throws if a value cannot be inserted
  /// there.
  private func checked(
    _ last: PropertyListKeyPath.Component, in container: PropertyList, _ insertion: Insertion
  ) throws(PlutilError) -> PropertyList? {
    let existing: PropertyList?
    switch container {
    case .dictionary(let entries):
      existing = entries[last.text]
      if insertion == .new, existing != nil { throw PlutilError("Value already exists at key path \(quoted)") }
      if insertion == .appending, existing == nil { throw PlutilError("Key path not found \(quoted)") }
    case .array(let elements):
      let index = try index(last)
      // The index after the last element is valid for a new element.
      guard index < elements.count || (index == elements.count && insertion != .appending) else {
        throw outOfBounds(index)
      }
      existing = index < elements.count ? elements[index] : nil
    default: throw PlutilError("Unable to insert value at key path \(quoted)")
    }
    if insertion == .appending, existing?.kind != .array {
      throw PlutilError("Appending to a non-array at key path \(quoted)")
    }
    return existing
  }

  private func index(_ component: PropertyListKeyPath.Component) throws(PlutilError) -> Int {
    if let index = component.arrayIndex { return index }
    // Any integer is an index, even if it is out of range.
    if let number = Int(component.text) { throw outOfBounds(number) }
    throw PlutilError("Unable to index into array with key path \(quoted)")
  }

  private func outOfBounds(_ index: Int) -> PlutilError {
    PlutilError("Index \(index) out of bounds in array at key path \(quoted)")
  }
}
