private import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// The part of a document that one edit needs: the containers along its path, before and after the edit. Placeholders
/// replace all other containers, so that the edit uses memory only for the path.
struct EditOutline {
  let old: PropertyList
  let new: PropertyList
  let standIns: StandIns

  /// Finds the part of a document that an edit needs.
  ///
  /// - Returns: Nil if a container along the path has two keys that are canonically equivalent, which a tree cannot
  ///   represent.
  /// - Throws: The errors of ``PropertyList/apply(_:)``.
  /// - Complexity: O(*n*) in the number of children of the containers along the path, and in the size of a container
  ///   that is replaced by another one of its kind.
  init?(_ document: PropertyListDocument, _ edit: PropertyListEdit) throws(PropertyListError) {
    var standIns = StandIns(document.format)
    var way: [(container: PropertyListDocument.Node, position: Int)] = []
    var last = document.root
    while way.count < edit.path.components.count,
      let (position, child) = try last.child(of: edit.path.components[way.count])
    {
      way.append((last, position))
      last = child
    }
    var value: PropertyList
    switch edit {
    case _ where way.count < edit.path.components.count, .append:
      guard let shallow = try standIns.shallow(last) else { return nil }
      value = shallow
    case .replace(let new, _), .set(let new, _):
      // If both values are containers of the same kind, all of the old one is needed to find the differences.
      // Otherwise, an empty container can replace an old container.
      value =
        switch (last.kind, new.kind) {
        case (.array, .array), (.dictionary, .dictionary): try PropertyList(last)
        case (.array, _): []
        case (.dictionary, _): [:]
        default: try PropertyList(last)
        }
    case .insert, .remove: value = try standIns.standIn(for: last)
    }
    while let (container, position) = way.popLast() {
      guard let shallow = try standIns.shallow(container, replacing: position, by: value) else { return nil }
      value = shallow
    }
    old = value
    try value.apply(edit)
    new = value
    self.standIns = standIns
  }
}

/// Placeholders for containers that are not examined: unique integers, or strings of their digits in OpenStep. The
/// first one is random, so that no file can contain them on purpose.
struct StandIns {
  private let format: PropertyListFormat
  /// The first placeholder. It has 14 digits, which Swift stores inline as a string.
  private let first = Int.random(in: 10_000_000_000_000..<90_000_000_000_000)
  private var count = 0

  fileprivate init(_ format: PropertyListFormat) { self.format = format }

  /// Returns the number of a placeholder, or nil for any other value.
  func number(of value: PropertyList) -> Int? {
    let number: Int?
    switch value {
    case .integer(let integer) where format != .openStep: number = Int(exactly: integer)
    case .string(let digits) where format == .openStep && digits.utf8.count == 14: number = Int(digits)
    default: number = nil
    }
    return number.flatMap { first..<first + count ~= $0 ? $0 : nil }
  }

  /// Appends the number that replaces a container, as text in the document's format: an `<integer>` element in XML,
  /// only the digits in other formats.
  func append(_ number: Int, to text: inout ByteBuffer) {
    if format == .xml { text.append("<integer>") }
    text.append(decimal: UInt(number))
    if format == .xml { text.append("</integer>") }
  }

  /// Returns a scalar unchanged, and a new placeholder for a container.
  fileprivate mutating func standIn(for node: PropertyListDocument.Node) throws(PropertyListError) -> PropertyList {
    guard node.flat.kind.isContainer else { return try PropertyList(node) }
    defer { count += 1 }
    return format == .openStep ? .string(String(first + count)) : .integer(PropertyList.Integer(first + count))
  }

  /// Returns a container whose child containers are replaced by placeholders, or any other value unchanged. Returns nil
  /// if two keys are canonically equivalent.
  fileprivate mutating func shallow(
    _ node: PropertyListDocument.Node, replacing position: Int = -1, by value: PropertyList = .null
  ) throws(PropertyListError) -> PropertyList? {
    switch node.flat.kind {
    case .array:
      var elements: [PropertyList] = []
      elements.reserveCapacity(node.count)
      for index in 0..<node.count {
        elements.append(index == position ? value : try standIn(for: node.child(at: index)))
      }
      return .array(elements)
    case .dictionary:
      var entries = OrderedDictionary<String, PropertyList>(minimumCapacity: node.count)
      for index in 0..<node.count {
        let (key, child) = try node.entry(at: index)
        guard entries.updateValue(index == position ? value : try standIn(for: child), forKey: key) == nil else {
          return nil
        }
      }
      return .dictionary(entries)
    default: return try PropertyList(node)
    }
  }
}

extension PropertyListDocument.Node {
  /// Returns the child that a component of a path leads to, and its position, or nil if not found.
  fileprivate func child(
    of component: PropertyListKeyPath.Component
  ) throws(PropertyListError) -> (position: Int, child: PropertyListDocument.Node)? {
    switch flat.kind {
    case .array:
      guard let index = component.arrayIndex(in: count), index < count else { return nil }
      return (index, try child(at: index))
    case .dictionary:
      let text = component.text
      for position in 0..<count {
        let (key, value) = try entry(at: position)
        if key == text { return (position, value) }
      }
      return nil
    default: return nil
    }
  }
}
