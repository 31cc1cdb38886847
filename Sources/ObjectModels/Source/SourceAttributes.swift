internal import OrderedCollections
internal import PropertyLists

/// The attributes of an XML element. Reading an attribute removes it from ``rest``.
struct SourceAttributes {
  private(set) var rest: OrderedDictionary<String, String>
  private let element: XMLTree.Element
  private let tree: XMLTree

  init(_ element: XMLTree.Element, _ tree: XMLTree) {
    self.element = element
    self.tree = tree
    rest = element.attributes
    // The name of an entity is read by functions that do not remove it.
    if element.name == "entity" { rest["name"] = nil }
  }

  func value(_ name: String) -> String? { element.attributes[name] }

  func required(_ name: String) throws(PropertyListError) -> String {
    guard let value = element.attributes[name] else {
      throw tree.error("<\(element.name.printable(limit: 80))> needs the attribute \(name.quoted)", at: element)
    }
    return value
  }

  mutating func take(_ name: String) -> String? { rest.removeValue(forKey: name) }

  /// Reads the text of an attribute. Returns nil also for empty text, which some versions of Xcode write for a missing
  /// value.
  mutating func text(_ name: String) -> String? { take(name).flatMap { $0.isEmpty ? nil : $0 } }

  mutating func remove(_ name: String) { rest[name] = nil }

  mutating func truth(_ name: String) throws(PropertyListError) -> Bool {
    switch take(name) {
    case "YES", "true", "1": return true
    case "NO", "false", "0", nil: return false
    case let value?: throw tree.error("\(name) must be YES or NO, not \(value.quoted)", at: element)
    }
  }

  mutating func count(_ name: String) throws(PropertyListError) -> Int? {
    guard let text = take(name) else { return nil }
    guard let number = Int(text) else {
      throw tree.error("\(name) must be an integer, not \(text.quoted)", at: element)
    }
    return number
  }
}
