@_spi(Archives) public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

extension KeyedArchive {
  /// Finds all defects and peculiarities of the archive.
  ///
  /// ```swift
  /// for finding in archive.check() where finding.severity == .error { print(finding) }
  /// // object 12, friends[3]: the UID 99 is outside the object table, which has 20 objects
  /// ```
  ///
  /// - Returns: an empty array for an archive in the form of Apple's archiver. Otherwise the findings about the archive
  ///   as a whole, then those about each object in the order of the object table.
  /// - Complexity: O(*n*) in the size of the archive. If objects of a binary file overlap or expand too much, the check
  ///   ends early, with a finding that says so.
  public func check() -> [Finding] { Self.check(document) }

  /// Checks a property list that should be a keyed archive. If it is not a keyed archive, the findings contain the
  /// reasons.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// let isReadable = KeyedArchive.check(document).allSatisfy { $0.severity != .error }
  /// ```
  ///
  /// - Complexity: that of ``check()``.
  public static func check(_ document: PropertyListDocument) -> [Finding] {
    var checker = ArchiveChecker(document)
    return checker.check()
  }
}

/// Finds all defects and peculiarities of an archive; see `KeyedArchive.check(_:)`.
///
/// It visits the object table twice, first to classify the objects, then to check their contents. Then it checks the
/// references that it has found. It does not recurse, so archives may be nested deeply.
struct ArchiveChecker {
  let document: PropertyListDocument
  private let parts: ArchiveParts
  var reader: ArchiveReader
  var findings: [KeyedArchive.Finding] = []

  private(set) var roles: [Role]
  /// For each object, the UID that its `$class` refers to; ``none`` if it has no `$class` with a UID.
  private(set) var classUIDs: [UInt32]
  private var classes: [UInt32: ClassInfo] = [:]
  var references: ReferenceTable
  /// The long strings that have been read without an error.
  private var readableTexts: Set<FlatNode> = []

  enum Role: UInt8 {
    case null, native, instance, classDescription, dictionary, invalid, unreadable
  }

  struct ClassInfo {
    let name: String
    let layout: FoundationLayout?
  }

  static var none: UInt32 { .max }

  init(_ document: PropertyListDocument) {
    self.document = document
    parts = ArchiveParts(document)
    let objects = parts.objects ?? .container(.array, offset: 0, count: 0)
    let count = min(objects.count, Int(UInt32.max))
    reader = ArchiveReader(forAllOf: objects, in: document)
    roles = Array(repeating: .unreadable, count: count)
    classUIDs = Array(repeating: Self.none, count: count)
    references = ReferenceTable(objectCount: count)
  }

  mutating func check() -> [KeyedArchive.Finding] {
    do {
      try checkParts()
      try classifyObjects()
      try checkClassDescriptions()
      if let top = parts.top { try look(into: top, uid: nil, keys: keys(of: top, uid: nil, at: [.key("$top")])) }
      references.endSource()
      try checkObjects()
      if parts.objects != nil, parts.top != nil { try checkReachability() }
      try checkCircles()
    } catch {
      findings.append(KeyedArchive.Finding(.limitExceeded, error.message))
    }
    // The findings are sorted by object. Those about one object stay in the order they were found.
    let order = findings.indices.sorted { first, second in
      let (left, right) = (sortKey(of: findings[first]), sortKey(of: findings[second]))
      return left == right ? first < second : left < right
    }
    return order.map { findings[$0] }
  }

  private func sortKey(of finding: KeyedArchive.Finding) -> Int {
    finding.kind == .limitExceeded ? .max : finding.uid.map { Int($0.value) } ?? -1
  }

  /// Adds a finding. Its memory, some hundred bytes, is subtracted from the budget, because objects that overlap could
  /// otherwise cause any number of findings.
  mutating func report(
    _ kind: KeyedArchive.Finding.Kind, _ message: String, uid: UInt32?, path: [PropertyListKeyPath.Component] = []
  ) throws(KeyedArchiveError) {
    try reader.spend(128 + 8 * path.count)
    findings.append(KeyedArchive.Finding(kind, message, uid: uid, path: PropertyListKeyPath(path)))
  }

  mutating func report(
    _ error: KeyedArchiveError, uid: UInt32?, path: [PropertyListKeyPath.Component] = []
  ) throws(KeyedArchiveError) {
    try reader.tolerate(error)
    try report(.unreadableValue, error.message, uid: uid, path: path)
  }

  private mutating func checkParts() throws(KeyedArchiveError) {
    for finding in parts.findings { try report(finding.kind, finding.error.message, uid: nil) }
    if let archiver = parts.archiver, archiver != ArchiveLayout.archiverName {
      try report(
        .otherArchiver,
        "the archiver is \(archiver.quoted); Apple's readers accept only \(ArchiveLayout.archiverName.quoted)",
        uid: nil)
    }
    guard let objects = parts.objects else { return }
    guard objects.count > 0 else { return try report(.firstObject, "the object table is empty", uid: nil) }
    do {
      let first = try reader.object(0)
      guard first.kind != .string || !document.has("$null", as: first) else { return }
      try report(.firstObject, "the first object is \(first.kindName), not the string $null", uid: 0)
    } catch {
      // An error is reported later, when all objects are checked.
      try reader.tolerate(error)
    }
  }

  private mutating func classifyObjects() throws(KeyedArchiveError) {
    for uid in roles.indices {
      do { try classify(UInt32(uid)) } catch { try report(error, uid: UInt32(uid)) }
    }
    // If the `$class` of an object refers to a dictionary, the dictionary must be a class description.
    for target in classUIDs where target < roles.count && roles[Int(target)] == .dictionary {
      roles[Int(target)] = .classDescription
    }
  }

  private mutating func classify(_ uid: UInt32) throws(KeyedArchiveError) {
    let node = try reader.object(uid)
    switch node.kind {
    case .string where document.isNullObject(node): roles[Int(uid)] = .null
    case .string, .data, .boolean, .integer, .unsignedInteger, .real, .float, .date: roles[Int(uid)] = .native
    case .array, .uid, .null: roles[Int(uid)] = .invalid
    case .dictionary:
      let keys = try keys(of: node).keys
      if let position = keys.firstIndex(of: "$class") {
        roles[Int(uid)] = .instance
        do {
          let reference = try reader.value(ofEntry: position, of: node)
          if reference.kind == .uid { classUIDs[Int(uid)] = reference.uid }
        } catch {
          try reader.tolerate(error)
        }
      } else {
        let isClass = keys.contains { $0 == "$classname" || $0 == "$classes" || $0 == "$classhints" }
        roles[Int(uid)] = isClass ? .classDescription : .dictionary
      }
    }
  }

  /// Returns the class of an object. Returns nil if its `$class` does not refer to a class description.
  func classInfo(of uid: UInt32) -> ClassInfo? { classes[classUIDs[Int(uid)]] }

  private mutating func checkClassDescriptions() throws(KeyedArchiveError) {
    var described: [String: UInt32] = [:]
    for uid in roles.indices where roles[uid] == .classDescription {
      let uid = UInt32(uid)
      guard let name = try checkClassDescription(uid) else { continue }
      classes[uid] = ClassInfo(name: name, layout: FoundationLayout(className: name))
      if let first = described[name] {
        try report(.classDescribedTwice, "the class \(name.quoted) is also described by object \(first)", uid: uid)
      } else {
        described[name] = uid
      }
    }
  }

  private mutating func checkObjects() throws(KeyedArchiveError) {
    for uid in roles.indices {
      if roles[uid] != .unreadable, roles[uid] != .null { try checkObject(UInt32(uid)) }
      references.endSource()
    }
  }

  private mutating func checkObject(_ uid: UInt32) throws(KeyedArchiveError) {
    let node = try reader.object(uid)
    switch roles[Int(uid)] {
    case .null, .unreadable: break
    case .native:
      do { try checkText(node) } catch { try report(error, uid: uid) }
    case .invalid:
      try report(.invalidObject, "\(node.kindName) cannot be an object of an archive", uid: uid)
      if node.kind == .uid { try addReference(to: node.uid, uid: uid, path: []) }
      if node.kind == .array { try look(into: node, uid: uid, keys: []) }
    case .dictionary:
      try report(.missingClass, "the object has no $class", uid: uid)
      try look(into: node, uid: uid, keys: keys(of: node, uid: uid, at: []))
    case .classDescription: try look(into: node, uid: uid, keys: keys(of: node, uid: uid, at: []))
    case .instance:
      let keys = try keys(of: node, uid: uid, at: [])
      try checkClass(of: node, uid, keys)
      try look(into: node, uid: uid, keys: keys)
      if let info = classInfo(of: uid), let layout = info.layout {
        try checkContents(of: node, uid, keys, className: info.name, layout)
      }
    }
  }

  private mutating func checkClass(of node: FlatNode, _ uid: UInt32, _ keys: [String]) throws(KeyedArchiveError) {
    guard let position = keys.firstIndex(of: "$class") else { return }
    let path = [PropertyListKeyPath.Component.key("$class")]
    let reference: FlatNode
    do { reference = try reader.value(ofEntry: position, of: node) } catch {
      return try report(error, uid: uid, path: path)
    }
    guard reference.kind == .uid else {
      return try report(.invalidClass, "expected a UID as $class, found \(reference.kindName)", uid: uid, path: path)
    }
    guard reference.uid < roles.count else { return try reportDangling(reference.uid, uid: uid, path: path) }
    if roles[Int(reference.uid)] != .classDescription {
      try report(.invalidClass, "object \(reference.uid) is not a class description", uid: uid, path: path)
    }
  }

  private mutating func reportDangling(
    _ target: UInt32, uid: UInt32?, path: [PropertyListKeyPath.Component]
  ) throws(KeyedArchiveError) {
    // Without an object table, no UID is valid. Only the missing table is reported.
    guard parts.objects != nil else { return }
    try report(
      .danglingReference,
      "the UID \(target) is outside the object table, which has \(roles.count) objects", uid: uid, path: path)
  }

  /// The text that replaces a key that cannot be read.
  private static var unreadableKey: String { "\u{FFFD}" }

  /// Returns the keys of a dictionary, and reports their defects.
  private mutating func keys(
    of node: FlatNode, uid: UInt32?, at path: [PropertyListKeyPath.Component]
  ) throws(KeyedArchiveError) -> [String] {
    let (keys, problems) = try keys(of: node)
    for problem in problems {
      if problem.kind == .duplicateKey {
        try report(.duplicateKey, problem.message, uid: uid, path: path)
      } else {
        try report(problem, uid: uid, path: path)
      }
    }
    return keys
  }

  /// Returns the keys of a dictionary, and the errors in them.
  private mutating func keys(
    of node: FlatNode
  ) throws(KeyedArchiveError) -> (keys: [String], problems: [KeyedArchiveError]) {
    do { return (try reader.shape(of: node).keys, []) } catch { try reader.tolerate(error) }
    // Each key is read by itself, to find all errors.
    var keys: [String] = []
    var problems: [KeyedArchiveError] = []
    var distinct: Set<String> = []
    for entry in 0..<node.count {
      do {
        let key = try reader.key(ofEntry: entry, of: node)
        keys.append(key)
        if !distinct.insert(key).inserted {
          try reader.spend(64)
          problems.append(KeyedArchiveError(.duplicateKey, "duplicate key \(key.quoted)"))
        }
      } catch {
        try reader.tolerate(error)
        keys.append(Self.unreadableKey)
        problems.append(error)
      }
    }
    return (keys, problems)
  }

  /// An array or a dictionary whose contents are being checked.
  private struct Frame {
    let node: FlatNode
    let keys: [String]
    var next = 0
  }

  /// Checks all values of an object or of the top of the archive, including nested values.
  private mutating func look(into node: FlatNode, uid: UInt32?, keys: [String]) throws(KeyedArchiveError) {
    var frames = [Frame(node: node, keys: keys)]
    while let frame = frames.last {
      guard frame.next < frame.node.count else {
        frames.removeLast()
        continue
      }
      frames[frames.count - 1].next += 1
      // The `$class` of an object is not a part of its contents, and is checked separately.
      if frames.count == 1, uid != nil, frame.node.kind == .dictionary, frame.keys[frame.next] == "$class" { continue }
      do {
        let child = try reader.child(frame.next, of: frame.node)
        switch child.kind {
        case .uid: try addReference(to: child.uid, uid: uid, path: Self.path(frames, uid: uid))
        case .string: try checkText(child)
        case .array, .dictionary:
          if child.count > 0 { frames.append(try self.frame(of: child, in: frames, uid: uid)) }
        case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .data: break
        }
      } catch {
        try report(error, uid: uid, path: Self.path(frames, uid: uid))
      }
    }
  }

  private mutating func frame(of child: FlatNode, in frames: [Frame], uid: UInt32?) throws(KeyedArchiveError) -> Frame {
    try reader.checkNesting(of: child, in: frames.lazy.map(\.node), depth: frames.count)
    guard child.kind == .dictionary else { return Frame(node: child, keys: []) }
    let path = Self.path(frames, uid: uid)
    let keys = try keys(of: child, uid: uid, at: path)
    if keys.contains("$class") {
      try report(.inlineObject, "a dictionary outside the object table has a $class", uid: uid, path: path)
    }
    return Frame(node: child, keys: keys)
  }

  /// Returns the path to the value that is being checked.
  private static func path(_ frames: [Frame], uid: UInt32?) -> [PropertyListKeyPath.Component] {
    var path: [PropertyListKeyPath.Component] = uid == nil ? [.key("$top")] : []
    for (depth, frame) in frames.enumerated() where frame.next > 0 {
      if frame.node.kind == .array {
        path.append(.index(frame.next - 1))
      } else {
        let key = frame.keys[frame.next - 1]
        path.append(.key(depth == 0 ? ArchiveKey.unescaped(key) : key))
      }
    }
    return path
  }

  private mutating func addReference(
    to target: UInt32, uid: UInt32?, path: @autoclosure () -> [PropertyListKeyPath.Component]
  ) throws(KeyedArchiveError) {
    guard target < roles.count else { return try reportDangling(target, uid: uid, path: path()) }
    // A reference takes 8 bytes in memory, but may take only one byte in the file.
    try reader.spend(8)
    references.add(target)
    if roles[Int(target)] == .classDescription {
      try report(
        .referenceToClass, "expected an object, found a class description at the UID \(target)", uid: uid,
        path: path())
    }
  }

  /// Reads a string, unless it was read before. Throws if it cannot be read.
  private mutating func checkText(_ node: FlatNode) throws(KeyedArchiveError) {
    // Strings of the other formats were checked when the document was read.
    guard node.kind == .string, document.format == .binary else { return }
    let isLong = node.length > 64
    if isLong, readableTexts.contains(node) { return }
    _ = try reader.text(of: node)
    if isLong { readableTexts.insert(node) }
  }
}
