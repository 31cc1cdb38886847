@_spi(Archives) internal import PropertyLists

/// The classes of an archive that is being read, and the types that their objects may be decoded as.
struct ReadClasses {
  private(set) var additionalTypes: [any SecureCoding.Type] = []
  /// The number of each list of additional types that has been set. A kept value is stored with the number of the list
  /// that was set when it was decoded.
  private var scopes: [[ObjectIdentifier]: Int] = [[]: 0]
  private var records: [UInt32: Record] = [:]
  /// A cache of recently used class descriptions. The lowest bits of a UID determine its slot.
  private var recent = [(uid: UInt32, record: Record)?](repeating: nil, count: 16)
  private var mapped: [String: any SecureCoding.Type] = [:]

  final class Record {
    let archivedClass: ArchivedClass
    /// The name of the class, then the names of its hints, each in the form of ``ClassName/normalized(_:)``.
    let names: [String]
    /// The types that are known to match one of ``names``.
    ///
    /// Unchecked exclusivity is safe for both arrays: no code outside of this package runs during an access.
    @exclusivity(unchecked) private var admitted: [ObjectIdentifier] = []
    /// The types that are known not to match.
    @exclusivity(unchecked) private var refused: [ObjectIdentifier] = []

    var name: String { archivedClass.name }

    fileprivate init(_ archivedClass: ArchivedClass) {
      self.archivedClass = archivedClass
      names = ([archivedClass.name] + archivedClass.hints).map(ClassName.normalized)
    }

    /// Returns true if the class matches the type, and false if it does not. Returns nil if this has not been checked
    /// yet.
    @inline(__always)
    func answer(_ type: any SecureCoding.Type) -> Bool? {
      let identity = ObjectIdentifier(type)
      for known in unsafe admitted where known == identity { return true }
      for known in unsafe refused where known == identity { return false }
      return nil
    }

    func remember(_ type: any SecureCoding.Type, isAdmitted: Bool) {
      let identity = ObjectIdentifier(type)
      if isAdmitted { unsafe admitted.append(identity) } else { unsafe refused.append(identity) }
    }
  }

  /// Sets the additional types, and returns the number of this list. Calls with the same types return the same number.
  mutating func setAdditionalTypes(_ types: [any SecureCoding.Type]) -> Int {
    // `ArchivedValue` is left out, because decoding it would only try the types of this list again.
    additionalTypes = types.filter { $0.archivedClass != .anyObject }
    let list = additionalTypes.map { ObjectIdentifier($0) }
    let scope = scopes[list] ?? scopes.count
    scopes[list] = scope
    return scope
  }

  mutating func setType(_ type: (any SecureCoding.Type)?, forName name: String) {
    mapped[ClassName.normalized(name)] = type
    records = [:]
    recent = recent.map { _ in nil }
  }

  /// Returns true if objects of the class with this name are decoded as opaque objects. The hints of a class do not
  /// matter.
  func isOpaque(_ name: String) -> Bool { mapped[ClassName.normalized(name)] is any AnyClassCoding.Type }

  var opaqueNames: [String] { mapped.filter { $0.value is any AnyClassCoding.Type }.map(\.key) }

  func type(forName name: String) -> (any SecureCoding.Type)? { mapped[ClassName.normalized(name)] }

  /// Returns the index in ``Record/names`` of the first name that matches the type: 0 for the name of the class, 1 or
  /// more for a hint. Returns nil if no name matches.
  func match(_ type: any SecureCoding.Type, _ archivedClass: ArchivedClass, _ record: Record) -> Int? {
    if type is any AnyClassCoding.Type { return isOpaque(record.name) ? 0 : nil }
    let hasOwnName = !archivedClass.isInherited(by: type)
    return record.names.firstIndex { name in
      if let target = mapped[name] { return ObjectIdentifier(target) == ObjectIdentifier(type) }
      return hasOwnName && ClassName.normalized(archivedClass.name) == name
        || hasOwnName && archivedClass.aliases.contains { ClassName.normalized($0) == name }
    }
  }

  @inline(__always)
  mutating func record(_ uid: UInt32) -> Record? {
    let slot = Int(uid & 15)
    if let (known, record) = recent[slot], known == uid { return record }
    guard let record = records[uid] else { return nil }
    recent[slot] = (uid, record)
    return record
  }

  /// Reads the class description with a UID.
  ///
  /// - Parameter budget: the number of bytes that may still be read. The bytes of names are subtracted, because names
  ///   in a binary file can overlap, and many UIDs can lead to one description.
  mutating func read(
    _ uid: UInt32, _ node: FlatNode, in document: PropertyListDocument, budget: inout WorkBudget
  ) throws(PropertyListError) -> Record {
    guard node.kind == .dictionary else {
      throw PropertyListError(.malformed, "object \(uid) is not a class description")
    }
    var name: String?
    var classes: [String]?
    var hints: [String] = []
    // A class description has at most three keys. At most 64 are read, so that a damaged file cannot cause much work.
    for entry in 0..<min(node.count, 64) {
      let value = try document.value(ofEntry: entry, of: node)
      switch try text(of: document.keyNode(ofEntry: entry, of: node), in: document, budget: &budget) {
      case "$classname" where value.kind == .string: name = try text(of: value, in: document, budget: &budget)
      case "$classname": throw PropertyListError(.malformed, "the $classname of object \(uid) is not a string")
      case "$classes": classes = try names(value, uid, in: document, budget: &budget)
      case "$classhints": hints = try names(value, uid, in: document, budget: &budget)
      default: break
      }
    }
    guard let name else {
      throw PropertyListError(.malformed, "object \(uid) has no $classname, so it is not a class description")
    }
    // The `$classes` of a normal archive begin with the name of the class. If the class was renamed when it was
    // archived, they begin with its new name, or are missing. Anything else is a defect, unless the program maps the
    // name to a type.
    if let classes, classes.first != name, mapped[ClassName.normalized(name)] == nil {
      throw PropertyListError(
        .malformed,
        "object \(uid) describes the class \(name.quoted), but its $classes begin with "
          + (classes.first?.quoted ?? "nothing"))
    }
    let ancestors = (classes ?? []).drop { $0 != name }.dropFirst()
    let record = Record(ArchivedClass(name, ancestors: Array(ancestors), hints: hints))
    records[uid] = record
    recent[Int(uid & 15)] = (uid, record)
    return record
  }

  private func text(
    of node: FlatNode, in document: PropertyListDocument, budget: inout WorkBudget
  ) throws(PropertyListError) -> String {
    // Each name is read, normalized and compared, so it counts several times.
    guard budget.spend(1 + 4 * node.length) else {
      throw PropertyListError(
        .limitExceeded,
        "the decoded contents take more than \(budget.limit) bytes; see expandedSize of ParsingLimits")
    }
    return try document.text(of: node)
  }

  private func names(
    _ node: FlatNode, _ uid: UInt32, in document: PropertyListDocument, budget: inout WorkBudget
  ) throws(PropertyListError) -> [String] {
    guard node.kind == .array, node.count <= 256 else {
      throw PropertyListError(.malformed, "the class names of object \(uid) are not an array of at most 256 strings")
    }
    var names: [String] = []
    for position in 0..<node.count {
      let name = try document.element(position, of: node)
      guard name.kind == .string else {
        throw PropertyListError(.malformed, "a class name of object \(uid) is not a string")
      }
      names.append(try text(of: name, in: document, budget: &budget))
    }
    return names
  }
}

/// The state of an unarchiver for opaque objects.
struct OpaqueObjects {
  var source: OpaqueSource?
  /// The sizes of the objects that have been checked, by UID. The size of an object is the number of values in it, plus
  /// one for each 64 bytes of strings and data. All objects that a checked object leads to have been checked too.
  var sizes: [UInt32: Int] = [:]
  /// The reader that checks all opaque objects. Using only one limits the total work.
  var reader: ArchiveReader?
  /// True if the unarchiver reads the contents of an opaque object. These are not checked again, because they were
  /// checked when the object was decoded.
  var isWithin = false
}

/// The archive that contains opaque objects, and the names of the classes that may be opaque.
final class OpaqueSource: Sendable {
  let archive: KeyedArchive
  let classNames: [String]

  init(_ archive: KeyedArchive, classNames: [String]) {
    self.archive = archive
    self.classNames = classNames
  }
}
