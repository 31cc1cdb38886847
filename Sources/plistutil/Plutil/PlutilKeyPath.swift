import PropertyLists

/// A key path as Apple's tool spells it: parts between dots, of which `\.` is one in a part; everything else, a
/// backslash too, stands for itself. A part that digits make an index of is a key where it meets a dictionary.
struct PlutilKeyPath: Hashable, Sendable {
  /// As it was given.
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

  /// Whether a part is empty, which is no key path to Apple's tool.
  private var hasEmptyPart: Bool { parts.contains("") }

  var quoted: String { text.printable() }

  /// The value that the path leads to.
  func value(in root: PropertyListDocument.Node) throws(PlutilError) -> PropertyListDocument.Node {
    let missing = PlutilError(
      "Could not extract value, error: No value at that key path or invalid key path: \(quoted)")
    guard !hasEmptyPart else { throw missing }
    var node = root
    for component in path.components {
      // Apple's tool does not count from the end.
      guard node.kind != .array || component.arrayIndex != nil else { throw missing }
      do { node = try node.descendant(at: PropertyListKeyPath([component])) } catch {
        throw error.kind == .noSuchValue ? missing : PlutilError(error)
      }
    }
    return node
  }

  /// How a value is put at a path.
  enum Insertion: Sendable {
    /// Where there is none, or before an element of an array.
    case new
    /// Also instead of the one that is there.
    case replacing
    /// Behind the elements of the array that is there.
    case appending
  }

  func remove(from root: inout PropertyList) throws(PlutilError) {
    let missing = PlutilError("No value to remove at key path \(quoted)")
    guard !hasEmptyPart, let last = path.components.last, let container = try? container(in: root),
      container.kind != .array || last.arrayIndex != nil
    else { throw missing }
    do { try root.remove(at: path) } catch { throw missing }
  }

  /// - Throws: ``PlutilError``, and what the library throws.
  func insert(_ value: PropertyList, _ insertion: Insertion, into root: inout PropertyList) throws {
    guard !hasEmptyPart, let last = path.components.last else { throw PlutilError("Key path not found \(quoted)") }
    let existing = try checked(last, in: container(in: root), insertion)
    switch insertion {
    case .appending: try root.append(value, at: path)
    case .replacing where existing != nil: try root.replace(value, at: path)
    case .new, .replacing: try root.insert(value, at: path)
    }
  }

  /// The value that the last part is to be looked up in.
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

  /// The value at the last part that is there already, once it is known that another may be put there.
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
      // Behind the last element there is room for a new one.
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
    // A number is an index, if only one that no array has.
    if let number = Int(component.text) { throw outOfBounds(number) }
    throw PlutilError("Unable to index into array with key path \(quoted)")
  }

  private func outOfBounds(_ index: Int) -> PlutilError {
    PlutilError("Index \(index) out of bounds in array at key path \(quoted)")
  }
}
