import FoundationEssentials
import PropertyLists
import ToolSupport

/// The commands that change the property list. Each returns the lines to print. A command that throws changes nothing.
extension BuddyPlist {
  /// Runs a command, and returns the lines to print.
  ///
  /// - Parameter read: reads a file that the command names.
  mutating func perform(
    _ edit: BuddyCommand.Edit, reading read: (String) throws(PropertyListError) -> Data
  ) throws(BuddyError) -> [String] {
    switch edit {
    case .clear(let kind): try clear(kind)
    case .set(let entry, let text): try set(entry, text)
    case .add(let entry, let kind, nil): try add(BuddyValue.empty(kind), at: entry, by: "Add")
    case .add(let entry, let kind, let text?): try add(BuddyValue.value(kind, text), at: entry, by: "Add")
    case .copy(let source, let entry): try copy(source, to: entry)
    case .delete(let entry): try delete(entry)
    case .merge(let file, let entry, let isRecursive):
      try merge(file, into: entry, isRecursive: isRecursive, reading: read)
    case .importFile(let file, let entry): try importFile(file, to: entry, reading: read)
    }
  }

  private mutating func clear(_ kind: PropertyList.Kind) throws(BuddyError) -> [String] {
    let value = try BuddyValue.empty(kind)
    try failing("Clear") { plist throws(PropertyListError) in try plist.update(to: value) }
    change(container: PropertyListKeyPath())
    return ["Initializing Plist..."]
  }

  private mutating func set(_ entry: BuddyEntry, _ text: String) throws(BuddyError) -> [String] {
    let target = try existing(entry, for: "Set")
    guard !target.kind.isContainer else { throw BuddyError("Set: Cannot Perform Set On Containers") }
    let value = try BuddyValue.value(target.kind, text)
    try failing("Set") { plist throws(PropertyListError) in try plist.apply(.replace(value, at: target.path)) }
    return []
  }

  private mutating func copy(_ source: BuddyEntry, to entry: BuddyEntry) throws(BuddyError) -> [String] {
    let target = try existing(source, for: "Copy")
    let value = try failing("Copy") { _ throws(PropertyListError) in try target.value }
    return try add(value, at: entry, by: "Copy")
  }

  private mutating func delete(_ entry: BuddyEntry) throws(BuddyError) -> [String] {
    let missing = Self.missing(entry.text, for: "Delete")
    let steps = entry.steps
    let target = try failing("Delete") { plist throws(PropertyListError) -> BuddyTarget? in
      guard let last = steps.last, let parent = try plist.start(of: entry).descendant(steps.dropLast()) else {
        return nil
      }
      return last.isEmpty && parent.kind == .array ? try parent.lastElement() : try parent.child(last)
    }
    guard let path = target?.path else { throw missing }
    try failing("Delete") { plist throws(PropertyListError) in try plist.apply(.remove(at: path)) }
    return containerFollows(removalAt: path) ? [] : ["Working Container has become Invalid.  Setting to :"]
  }

  /// Adds a new value. Missing dictionaries on the path are created.
  private mutating func add(
    _ value: PropertyList, at entry: BuddyEntry, by command: String
  ) throws(BuddyError) -> [String] {
    let steps = entry.steps
    let (path, depth) = try insertionPath(entry, by: command)
    let new = steps[(depth + 1)...].reversed().reduce(value) { .dictionary([$1: $0]) }
    do { try apply(.insert(new, at: path)) } catch {
      throw BuddyError(Self.refusal(entry, command).message, because: error.line(about: command))
    }
    if case .index? = path.components.last { containerFollows(insertionAt: path) }
    return []
  }

  private static func refusal(_ entry: BuddyEntry, _ command: String) -> BuddyError {
    BuddyError("\(command): Can't Add Entry, \"\(entry.text)\", to Parent")
  }

  /// Returns the path for inserting a new value. If dictionaries on the way to the value are missing, returns the path
  /// of the first missing one. `depth` is the number of keys and indices in `entry.steps` that lead to existing
  /// containers. The result does not contain the container itself, because a second reference to the container would
  /// make the change copy it.
  private mutating func insertionPath(
    _ entry: BuddyEntry, by command: String
  ) throws(BuddyError) -> (path: PropertyListKeyPath, depth: Int) {
    let refusal = Self.refusal(entry, command)
    let steps = entry.steps
    // This is checked before missing dictionaries are created, because these could be nested too deeply.
    guard steps.count < ParsingLimits.greatestDepth else {
      throw BuddyError(refusal.message, because: "containers cannot be nested \(steps.count) deep")
    }
    let (parent, depth) = try failing(command) { plist throws(PropertyListError) -> (BuddyTarget, Int) in
      var parent = try plist.start(of: entry)
      var depth = 0
      while depth < steps.count - 1, let child = try parent.child(steps[depth]) {
        parent = child
        depth += 1
      }
      return (parent, depth)
    }
    guard depth < steps.count else { throw refusal }
    let step: PropertyListKeyPath.Component
    switch parent.kind {
    case .dictionary:
      step = .key(steps[depth])
      let existing = try failing(command) { _ throws(PropertyListError) in try parent.child(steps[depth]) }
      if existing != nil { throw BuddyError("\(command): \"\(entry.text)\" Entry Already Exists") }
    case .array:
      // An index after the end means the end.
      let digits = steps[depth]
      let isIndex = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isIndex else { throw refusal }
      let index = PropertyListKeyPath.Component(digits).arrayIndex ?? .max
      step = .index(min(index, parent.count))
    default:
      guard depth == steps.count - 1 else {
        throw BuddyError("\(command): Entry, \"\(entry.text)\", Incorrectly Specified")
      }
      throw refusal
    }
    return (parent.path.appending(step), depth)
  }

  private mutating func importFile(
    _ file: String, to entry: BuddyEntry, reading read: (String) throws(PropertyListError) -> Data
  ) throws(BuddyError) -> [String] {
    let target = try failing("Import") { plist throws(PropertyListError) in try plist.value(at: entry) }
    if target?.kind.isContainer == true { throw BuddyError("Import: Specified Entry Must Not Be a Container") }
    let unreadable = "Import: Error Reading File: \(file.printable())"
    let data: Data
    do { data = try read(file) } catch { throw BuddyError(unreadable, because: error.line(about: file.printable())) }
    guard let target else { return try add(.data(data), at: entry, by: "Import") }
    let value: PropertyList
    if target.kind == .data {
      value = .data(data)
    } else if let text = String(validating: data, as: UTF8.self) {
      value = try BuddyValue.value(target.kind, text)
    } else {
      let message = "the file is not UTF-8 text, which a value of this type needs"
      throw BuddyError(unreadable, because: "\(file.printable()): error: \(message)")
    }
    try failing("Import") { plist throws(PropertyListError) in try plist.apply(.replace(value, at: target.path)) }
    return []
  }

  private mutating func merge(
    _ file: String, into entry: BuddyEntry?, isRecursive: Bool,
    reading read: (String) throws(PropertyListError) -> Data
  ) throws(BuddyError) -> [String] {
    let target = try failing("Merge") {
      plist throws(PropertyListError) -> (path: PropertyListKeyPath, kind: PropertyList.Kind)? in
      let target: BuddyTarget? = if let entry { try plist.value(at: entry) } else { try plist.start(of: nil) }
      // Does not return the container itself, because with a second reference to it, the change would copy it.
      return target.map { (path: $0.path, kind: $0.kind) }
    }
    guard let target else { throw BuddyError("Merge: \"\(entry?.text ?? "")\" Entry Does Not Exist") }
    guard target.kind.isContainer else { throw BuddyError("Merge: Specified Entry Must Be a Container") }
    let new: PropertyList
    do { new = try PropertyList(BuddyFile.document(read(file), named: file).root) } catch {
      throw BuddyError("Merge: Error Reading File: \(file.printable())", because: error.line(about: file.printable()))
    }
    guard new.kind == target.kind || (target.kind == .array && !new.kind.isContainer) else {
      throw BuddyError(
        "Merge: Can't Add \(BuddyValue.name(of: new.kind)) Entries to \(BuddyValue.name(of: target.kind))")
    }
    return try failing("Merge") { plist throws(PropertyListError) in
      try plist.merge(new, at: target.path, isRecursive: isRecursive).map { "Duplicate Entry Was Skipped: \($0)" }
    }
  }

  /// Returns the value of an entry. Throws if it does not exist.
  private mutating func existing(_ entry: BuddyEntry, for command: String) throws(BuddyError) -> BuddyTarget {
    let target = try failing(command) { plist throws(PropertyListError) in try plist.value(at: entry) }
    guard let target else { throw Self.missing(entry.text, for: command) }
    return target
  }

  /// Returns the error for an entry that does not exist.
  static func missing(_ entry: String, for command: String) -> BuddyError {
    BuddyError("\(command): Entry, \"\(entry)\", Does Not Exist")
  }

  private mutating func failing<Result>(
    _ command: String, _ body: (inout BuddyPlist) throws(PropertyListError) -> Result
  ) throws(BuddyError) -> Result {
    do { return try body(&self) } catch { throw BuddyError(error.line(about: command)) }
  }
}

extension PropertyList.Kind {
  var isContainer: Bool { self == .array || self == .dictionary }
}
