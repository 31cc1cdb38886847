import OrderedCollections
import PropertyLists

/// A property list in memory that commands change one after the other.
///
/// A change does not move other entries of a dictionary, and moves only few other elements of an array. So the time for
/// *n* commands is proportional to *n*. A container is opened, that is, split into its children, when a value in it
/// changes.
final class BuddyTree {
  private var content: Content

  private enum Content {
    case value(PropertyList)
    case dictionary(BuddyEntries)
    case array(BuddyElements)
  }

  init(_ value: PropertyList) { content = .value(value) }

  var kind: PropertyList.Kind {
    switch content {
    case .value(let value): value.kind
    case .dictionary: .dictionary
    case .array: .array
    }
  }

  /// The number of elements of an array, or of entries of a dictionary; 0 for every other kind.
  var count: Int {
    switch content {
    case .value(.dictionary(let entries)): entries.count
    case .value(.array(let elements)): elements.count
    case .value: 0
    case .dictionary(let entries): entries.count
    case .array(let elements): elements.count
    }
  }

  /// The value with all changes.
  ///
  /// - Complexity: O(*n*) in the size of the opened containers.
  var value: PropertyList {
    switch content {
    case .value(let value): value
    case .dictionary(let entries):
      .dictionary(OrderedDictionary(uniqueKeysWithValues: entries.all.map { ($0, $1.value) }))
    case .array(let elements): .array(elements.all.map(\.value))
    }
  }

  /// Returns the child of a dictionary or an array; nil if it does not exist.
  func child(_ component: PropertyListKeyPath.Component) -> BuddyTree? {
    switch content {
    case .value(let value):
      switch value.kind {
      case .dictionary: value[component.text].map(BuddyTree.init)
      case .array: index(component).flatMap { value[$0] }.map(BuddyTree.init)
      default: nil
      }
    case .dictionary(let entries): entries[component.text]
    case .array(let elements): index(component).flatMap { $0 < elements.count ? elements[$0] : nil }
    }
  }

  private func index(_ component: PropertyListKeyPath.Component) -> Int? {
    if case .index(let index) = component { index } else { component.arrayIndex }
  }

  /// Returns the value at a path.
  ///
  /// - Throws: `noSuchValue`.
  func descendant(at path: PropertyListKeyPath) throws(PropertyListError) -> BuddyTree {
    var node = self
    for component in path.components {
      guard let child = node.child(component) else { throw Self.noSuchValue(path) }
      node = child
    }
    return node
  }

  private static func noSuchValue(_ path: PropertyListKeyPath) -> PropertyListError {
    PropertyListError(.noSuchValue, "there is nothing at this path", keyPath: path)
  }

  // A change that throws has no effect.

  /// Changes one value, like ``PropertyList/apply(_:)``.
  func apply(_ edit: PropertyListEdit) throws(PropertyListError) {
    switch edit {
    case .replace(let value, let path):
      try value.checkDepth(below: path)
      try opened(path).content = .value(value)
    case .insert(let value, let path):
      guard let last = path.components.last else {
        throw PropertyListError(.valueExists, "the root is there already", keyPath: path)
      }
      try value.checkDepth(below: path)
      let container = try opened(PropertyListKeyPath(path.components.dropLast()))
      guard container.open(), container.insert(value, at: last) else {
        throw PropertyListError(.noSuchValue, "a value cannot be inserted at this path", keyPath: path)
      }
    case .remove(let path):
      guard let last = path.components.last else {
        throw PropertyListError(.noSuchValue, "the root is in no container", keyPath: path)
      }
      let container = try opened(PropertyListKeyPath(path.components.dropLast()))
      guard container.open(), container.remove(last) else { throw Self.noSuchValue(path) }
    case .set, .append:
      var value = value
      try value.apply(edit)
      content = .value(value)
    }
  }

  /// Merges a value into the container at a path. Existing values are kept.
  ///
  /// - Parameters:
  ///   - new: A value of the kind of the container; for an array, it may also be a scalar.
  ///   - isRecursive: True to also merge two containers of the same kind that the dictionaries have under the same key.
  /// - Returns: The keys that existed already.
  func merge(
    _ new: PropertyList, at path: PropertyListKeyPath, isRecursive: Bool
  ) throws(PropertyListError) -> [String] {
    var skippedKeys: [String] = []
    try opened(path).merge(new, isRecursive, &skippedKeys)
    return skippedKeys
  }

  private func merge(_ new: PropertyList, _ isRecursive: Bool, _ skippedKeys: inout [String]) {
    guard open() else { return }
    switch (content, new) {
    case (.dictionary(let entries), .dictionary(let others)):
      for (key, value) in others {
        guard let existing = entries[key] else {
          entries.append(key, BuddyTree(value))
          continue
        }
        guard isRecursive, value.kind == existing.kind, value.kind.isContainer else {
          skippedKeys.append(key)
          continue
        }
        existing.merge(value, isRecursive, &skippedKeys)
      }
    case (.array(let elements), .array(let others)):
      for value in others { elements.insert(BuddyTree(value), at: elements.count) }
    case (.array(let elements), _): elements.insert(BuddyTree(new), at: elements.count)
    default: break
    }
  }

  /// Returns the value at a path, after splitting the containers that lead to it into their children.
  private func opened(_ path: PropertyListKeyPath) throws(PropertyListError) -> BuddyTree {
    var node = self
    for component in path.components {
      guard node.open(), let child = node.child(component) else { throw Self.noSuchValue(path) }
      node = child
    }
    return node
  }

  /// Splits a container into its children, which can then be changed. Returns false for a value that is not a
  /// container.
  private func open() -> Bool {
    guard case .value(let value) = content else { return true }
    switch value {
    case .dictionary(let entries): content = .dictionary(BuddyEntries(entries))
    case .array(let elements): content = .array(BuddyElements(elements))
    default: return false
    }
    return true
  }

  private func insert(_ value: PropertyList, at component: PropertyListKeyPath.Component) -> Bool {
    switch content {
    case .value: return false
    case .dictionary(let entries):
      guard entries[component.text] == nil else { return false }
      entries.append(component.text, BuddyTree(value))
    case .array(let elements):
      guard let index = index(component), index <= elements.count else { return false }
      elements.insert(BuddyTree(value), at: index)
    }
    return true
  }

  private func remove(_ component: PropertyListKeyPath.Component) -> Bool {
    switch content {
    case .value: return false
    case .dictionary(let entries): return entries.remove(component.text)
    case .array(let elements):
      guard let index = index(component), index < elements.count else { return false }
      elements.remove(at: index)
      return true
    }
  }
}
