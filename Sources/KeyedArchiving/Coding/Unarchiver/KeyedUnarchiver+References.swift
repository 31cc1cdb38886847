@_spi(Archives) internal import PropertyLists

/// Functions that decode the values and objects that references lead to.
extension KeyedUnarchiver {
  // The room on the stack limits how deeply objects can be nested. So the functions between one type's `init(coder:)`
  // and the next have small frames, and code that is not needed at every level is in functions that are never inlined.

  /// Returns the value at a reference. Decodes it, unless it was decoded before and kept.
  func value<T: SecureCoding>(_ type: T.Type, at reference: ArchivedReference) throws -> T {
    let frame = try frame(of: type, at: reference)
    guard let uid = frame.uid else {
      try weigh(1)
      return try contents(of: type, frame)
    }
    var beginning = table.beginValue(uid, unlessKept: true)
    if beginning == .kept {
      if let kept = table.kept(type, uid) {
        try weigh(kept.weight)
        try note(height: kept.height)
        return kept.value
      }
      beginning = table.beginValue(uid, unlessKept: false)
    }
    guard beginning == .begun else { throw circular(uid, frame.classRecord) }
    let (weightAround, deepestAround) = (weight, deepest)
    weight = 1
    deepest = depth
    let value: T
    do {
      try spend(frame.node.size)
      value = try contents(of: type, frame)
    } catch {
      table.endValue(uid)
      weight = weightAround
      deepest = deepestAround
      throw error
    }
    _ = table.endValue(uid, value, weight: weight, height: deepest &- depth)
    deepest = max(deepest, deepestAround)
    try weigh(weightAround)
    return value
  }

  /// Decodes the value at a reference as a type that contains only numbers and bytes. Such a value cannot contain
  /// itself, so this is not checked. It is not kept for later references, because decoding it again is as fast as a
  /// lookup.
  @inline(__always)
  func leaf<T: SecureCoding>(_ type: T.Type, at reference: ArchivedReference) throws -> T {
    // Calls at the top of the archive do not use up the budget, because a program may decode the same value any number
    // of times.
    let before = budget
    defer { if outer.isEmpty { budget = before } }
    let frame = try frame(of: type, at: reference)
    try spend(frame.node.size)
    try weigh(1)
    return try contents(of: type, frame)
  }

  /// Returns the class instance at a reference. Decodes it at the first reference to it.
  func object<T: SecureCoding & AnyObject>(_ type: T.Type, at reference: ArchivedReference) throws -> T {
    let frame = try frame(of: type, at: reference)
    guard let uid = frame.uid else {
      try weigh(1)
      return try contents(of: type, frame)
    }
    if let known = table.object(uid) { return try knownObject(known, type, uid, frame.classRecord) }
    try spend(frame.node.size)
    guard table.beginObject(uid) else { throw circular(uid, frame.classRecord) }
    let (weightAround, deepestAround) = (weight, deepest)
    weight = 1
    deepest = depth
    defer {
      weight = weightAround &+ 1
      deepest = max(deepest, deepestAround)
    }
    do {
      let made = try contents(of: type, frame)
      try weighObject()
      _ = table.finishObject(uid, made, height: deepest &- depth)
      return made
    } catch {
      _ = table.abandonObject(uid)
      throw error
    }
  }

  @inline(never)
  private func knownObject<T>(
    _ known: AnyObject, _ type: T.Type, _ uid: UInt32, _ record: ReadClasses.Record?
  ) throws -> T {
    // The archived class matches the type, but an earlier call may have decoded the object as another type with the
    // same class name.
    guard let known = known as? T else {
      throw failure(
        .classNotAllowed, "the object was already decoded as \(Swift.type(of: known)), and cannot also be \(type)", uid,
        record)
    }
    try weigh(1)
    try note(height: table.height(uid))
    return known
  }

  /// Decodes the value or object at a reference, as the type in `types` that matches its class.
  func anyValue(of types: [any SecureCoding.Type], at reference: ArchivedReference) throws -> any SecureCoding {
    let node = reference.node
    let object = try resolve(node)
    if isNull(node, object) { throw failure(.valueNotFound, "expected one of \(Self.list(types)), found nil") }
    return try unarchive(try type(of: object, behind: node, among: types), reference)
  }

  func unarchive<T: SecureCoding>(_ type: T.Type, _ reference: ArchivedReference) throws -> any SecureCoding {
    try T._unarchive(reference, by: self)
  }

  func type(
    of object: FlatNode, behind node: FlatNode, among types: [any SecureCoding.Type]
  ) throws -> any SecureCoding.Type {
    if object.kind == .dictionary {
      let (record, _) = try classRecord(of: object, behind: node)
      if let type = types.first(where: { admits($0, record) }) {
        // A type with the name of the class itself is preferred to a type with the name of a hint.
        if record.archivedClass.hints.isEmpty { return type }
        return types.lazy.filter { self.admits($0, record) }
          .map { ($0, self.classes.match($0, $0.archivedClass, record) ?? .max) }
          .min { $0.1 < $1.1 }?.0 ?? type
      }
      throw failure(
        .classNotAllowed, "expected one of \(Self.list(types)), found an object of class \(record.name.quoted)",
        node.uid, record)
    }
    let kind = Self.nativeKind(object)
    if let type = types.first(where: { !kind.isDisjoint(with: $0.archivedClass.natives) }) { return type }
    throw failure(.typeMismatch, "expected one of \(Self.list(types)), found \(object.kindName)", at: node)
  }

  private static func list(_ types: [any SecureCoding.Type]) -> String {
    types.prefix(5).map { "\($0)" }.joined(separator: ", ") + (types.count > 5 ? ", …" : "")
  }
}

extension FlatNode {
  /// The number of elements of a container, or of bytes of a string or data. 0 for other kinds.
  @inline(__always)
  fileprivate var size: Int {
    switch kind {
    case .array, .dictionary: count
    case .string, .data: length
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .uid: 0
    }
  }
}

/// Functions that check if objects can be decoded as the expected types, and that create errors.
extension KeyedUnarchiver {
  /// Returns a frame for decoding the object that a reference leads to. Throws if the object's class or kind does not
  /// match the type.
  @inline(never)
  private func frame(of type: any SecureCoding.Type, at reference: ArchivedReference) throws -> Frame {
    let node = reference.node
    let object = try resolve(node)
    if isNull(node, object) { throw nothing(insteadOf: type) }
    let uid = node.kind == .uid ? node.uid : nil
    guard object.kind == .dictionary else {
      guard !type.archivedClass.natives.isDisjoint(with: Self.nativeKind(object)) else {
        throw failure(.typeMismatch, "expected \(type), found \(object.kindName)", at: node)
      }
      return Frame(node: object, shape: noKeys, uid: uid)
    }
    let (record, shape) = try classRecord(of: object, behind: node)
    guard admits(type, record) else { throw notAdmitted(type, record, node.uid) }
    return Frame(node: object, shape: shape, uid: uid, classRecord: record)
  }

  @inline(never)
  private func notAdmitted(_ type: any SecureCoding.Type, _ record: ReadClasses.Record, _ uid: UInt32) -> any Error {
    var message = "expected \(type), found an object of class \(record.name.quoted)"
    if type.archivedClass.isInherited(by: type) {
      message += "; \(type) has the class name of its superclass and must override archivedClass"
    }
    return failure(.classNotAllowed, message, uid, record)
  }

  @inline(__always)
  private func admits(_ type: any SecureCoding.Type, _ record: ReadClasses.Record) -> Bool {
    if let answer = record.answer(type) { return answer }
    let isAdmitted = classes.match(type, type.archivedClass, record) != nil
    record.remember(type, isAdmitted: isAdmitted)
    return isAdmitted
  }

  func classRecord(of object: FlatNode, behind node: FlatNode) throws -> (ReadClasses.Record, DictionaryShape) {
    guard node.kind == .uid else {
      throw failure(.malformed, "expected an object, found a dictionary outside the object table")
    }
    let shape = try shape(of: object)
    guard let position = shape.classPosition else { throw failure(.malformed, "the object has no $class", at: node) }
    do throws(PropertyListError) {
      let reference = try document.value(ofEntry: position, of: object)
      guard reference.kind == .uid else { throw PropertyListError(.malformed, "the $class is not a UID") }
      if let record = classes.record(reference.uid) { return (record, shape) }
      guard reference.uid < objects.count else {
        throw PropertyListError(
          .malformed, "the $class UID \(reference.uid) is outside the object table, which has \(objects.count) objects")
      }
      let description = try document.element(Int(reference.uid), of: objects)
      return (try classes.read(reference.uid, description, in: document, budget: &budget), shape)
    } catch {
      throw failure(error.kind == .limitExceeded ? .limitExceeded : .malformed, error.message, at: node)
    }
  }

  static func nativeKind(_ node: FlatNode) -> NativeKinds {
    switch node.kind {
    case .string: .string
    case .data: .data
    case .integer, .unsignedInteger: .integer
    case .real, .float: .real
    case .boolean: .boolean
    case .date: .date
    case .null, .uid, .array, .dictionary: []
    }
  }

  /// Returns an error with the path to the value that is being decoded, and the UID and class of its object.
  ///
  /// Use it in types that check what they decode:
  ///
  /// ```swift
  /// guard percent <= 100 else { throw coder.failure(.invalidContents, "\(percent) percent") }
  /// ```
  @inline(never)
  public func failure(_ kind: KeyedArchiveError.Kind, _ message: String) -> KeyedArchiveError {
    KeyedArchiveError(
      kind, message, trail: trail, uid: current.uid.map { PropertyList.UID($0) }, className: current.classRecord?.name)
  }

  /// Throws ``KeyedArchiveError/Kind/invalidContents``, with the message `finding`, if `isValid` is false.
  @inline(__always)
  func require(_ isValid: Bool, _ finding: @autoclosure () -> String) throws {
    if !isValid { throw failure(.invalidContents, finding()) }
  }

  /// Returns the result of an expression that reads the property list. If it throws, adds the current position in the
  /// archive to the error.
  @inline(__always)
  func read<T>(_ body: @autoclosure () throws(PropertyListError) -> T) throws -> T {
    do { return try body() } catch { throw failure(error) }
  }

  /// Returns the result of an expression. If it throws an error without a position, adds the current position in the
  /// archive.
  @inline(__always)
  func located<T>(_ body: @autoclosure () throws(KeyedArchiveError) -> T) throws -> T {
    do { return try body() } catch { throw failure(error.kind, error.message) }
  }

  @inline(never)
  func failure(_ error: PropertyListError) -> any Error { failure(.propertyList(error), error.description) }

  /// Returns an error about an object whose decoding has not begun.
  @inline(never)
  func failure(
    _ kind: KeyedArchiveError.Kind, _ message: String, _ uid: UInt32, _ record: ReadClasses.Record?
  ) -> KeyedArchiveError {
    var error = failure(kind, message)
    error.uid = PropertyList.UID(uid)
    error.className = record?.name
    return error
  }

  @inline(never)
  func failure(_ kind: KeyedArchiveError.Kind, _ message: String, at node: FlatNode) -> KeyedArchiveError {
    node.kind == .uid ? failure(kind, message, node.uid, nil) : failure(kind, message)
  }

  @inline(never)
  func nothing(insteadOf type: any SecureCoding.Type) -> any Error {
    failure(.valueNotFound, "expected \(type), found nil")
  }

  @inline(never)
  private func circular(_ uid: UInt32, _ record: ReadClasses.Record?) -> any Error {
    failure(
      .circularReference, "the object is a part of itself, and was not published while it was decoded", uid,
      record)
  }
}
