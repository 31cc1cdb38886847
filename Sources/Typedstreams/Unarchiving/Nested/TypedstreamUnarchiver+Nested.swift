internal import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Decodes values from data that contains an archive.
extension TypedstreamUnarchiver {
  /// Decodes the next value of the stream, which must be data with a keyed archive or a property list. Call this for a
  /// type that conforms to `SecureCoding`, but not to ``TypedstreamDecodable``.
  ///
  /// ```swift
  /// let settings = try unarchiver.decode(Settings.self)   // the stream has an NSData with a keyed archive
  /// ```
  ///
  /// In a keyed archive, the value of the key `root` is decoded, or the value of its only key.
  ///
  /// - Throws: The errors of ``decode(_:)-(T.Type)``. ``TypedstreamError/archiveError`` has the error of the nested
  ///   archive.
  @_disfavoredOverload
  public func decode<T: SecureCoding>(_ type: T.Type = T.self) throws -> T { try decodeNext(type) }

  /// Decodes the next value as any type. The type's conformances decide how it is decoded.
  func decodeNext<T>(_ type: T.Type) throws -> T {
    let value: T
    if let type = type as? any TypedstreamDecodable.Type {
      guard let known = try decode(type, nextPosition()) as? T else {
        throw failureHere(.typeMismatch, "expected \(T.self), found a value of another type")
      }
      value = known
    } else {
      value = try nested(type, at: nextPosition())
    }
    advance()
    return value
  }

  /// If the value at a position is data that begins like an archive, returns the range of its bytes. Returns nil for
  /// any other value.
  func nestedRange(at position: TypedstreamPosition) -> Range<Int>? {
    var node = tables.nodes[position.node]
    if node.kind == .object || node.kind == .reference {
      let name = tables.className(Int(tables.slots[node.slot].classSlot))
      guard name == "NSData" || name == "NSMutableData", mapped[name] == nil else { return nil }
      let object = Int(tables.slots[node.slot].content)
      var cursor = TypedstreamCursor(object + 1..<tables.nodes[object].end, in: tables)
      cursor.advance(tables)
      guard let bytes = cursor.next else { return nil }
      node = tables.nodes[bytes]
    }
    guard node.kind == .data else { return nil }
    let bytes = tables.bytes
    return ArchiveFormat(bytes.rawBytes.extracting(node.range)) == nil ? nil : node.range
  }

  /// Decodes the root value of the archive in the data at a position.
  func nested<T>(_ type: T.Type, at position: TypedstreamPosition) throws -> T {
    try nested("\(type)", at: position) { try $0.decode(type) }
  }

  /// Decodes the root value of the archive in the data at a position, as the first type in `types` that matches it.
  func nested(
    of types: [any TypedstreamDecodable.Type], at position: TypedstreamPosition
  ) throws -> any TypedstreamDecodable {
    try nested(Self.list(types), at: position) { try $0.decode(of: types) }
  }

  /// Decodes the root object of the archive in the data at a position. All references to the data give the same object.
  func nestedObject<T: AnyObject>(_ type: T.Type, at position: TypedstreamPosition) throws -> T {
    let node = tables.nodes[position.node]
    let isObject = node.kind == .object || node.kind == .reference
    if isObject, let known = try known(type, node.slot) { return known }
    guard isObject else { return try nested(type, at: position) }
    let object = try measured(node.slot) { try nested(type, at: position) }
    publish(object, as: node.slot)
    return object
  }

  private func nested<T>(
    _ name: @autoclosure () -> String, at position: TypedstreamPosition, _ decode: (OpenedArchive) throws -> T
  ) throws -> T {
    guard let range = nestedRange(at: position) else {
      let node = tables.nodes[position.node]
      throw failure(
        node.kind == .null ? .valueNotFound : .typeMismatch,
        "expected data with an archive of \(name()), found \(node.kind == .null ? "nil" : description(of: node))",
        at: position)
    }
    // Opening an archive takes as much work as decoding many values.
    try spend(values: 64 + range.count / ParsingLimits.bytesPerValue)
    return try inside {
      let surroundings = OpenedArchive.Surroundings(
        limits: limits, valueLimit: budget.remaining, levels: levels, additionalTypes: additionalTypes, classes: mapped,
        keepsUnknownObjects: keepsUnknownObjects)
      do {
        let opened = try OpenedArchive(Data(tables.bytes[range]), surroundings)
        let result = Result { try decode(opened) }
        try spend(values: opened.spent)
        let value = try result.get()
        try note(height: opened.height)
        return value
      } catch let error as KeyedArchiveError {
        throw located(error, range, position)
      } catch let error as TypedstreamError where !isOurs(error) {
        throw located(error, range, position)
      }
    }
  }

  /// Returns true if the error says that the budget of this stream is used up. Such an error already has a position in
  /// this stream.
  private func isOurs(_ error: TypedstreamError) -> Bool { error.kind == .limitExceeded && budget.remaining == 0 }

  private func located(_ error: KeyedArchiveError, _ range: Range<Int>, _ position: TypedstreamPosition)
    -> TypedstreamError
  {
    var located = failure(
      TypedstreamError.Kind(error.kind), "in the archive in the data at byte \(range.lowerBound): \(error)",
      at: position)
    located.archiveError = error
    if located.byteOffset != nil { located.byteOffset = range.lowerBound }
    return located
  }

  private func located(_ error: TypedstreamError, _ range: Range<Int>, _ position: TypedstreamPosition)
    -> TypedstreamError
  {
    var located = failure(
      error.kind, "in the typedstream in the data at byte \(range.lowerBound): \(error)", at: position)
    located.archiveError = error.archiveError
    if located.byteOffset != nil { located.byteOffset = range.lowerBound }
    return located
  }
}

extension TypedstreamGroups {
  /// Decodes the next value, which must be data with a keyed archive or a property list. Call this for a type that
  /// conforms to `SecureCoding`, but not to ``TypedstreamDecodable``.
  ///
  /// - Throws: The errors of ``TypedstreamUnarchiver/decode(_:)-x2hu``.
  @_disfavoredOverload
  public mutating func decode<T: SecureCoding>(_ type: T.Type = T.self) throws -> T {
    let value = try unarchiver.nested(type, at: nextPosition())
    cursor.advance(unarchiver.tables)
    return value
  }
}

extension TypedstreamError.Kind {
  /// Converts the error kind of a nested archive to one of the surrounding stream.
  init(_ kind: KeyedArchiveError.Kind) {
    self =
      switch kind {
      case .propertyList(let error):
        switch error.kind {
        case .limitExceeded: .limitExceeded
        case .nestedTooDeeply: .nestedTooDeeply
        default: .malformed
        }
      case .notAnArchive, .malformed, .duplicateKey: .malformed
      case .valueNotFound: .valueNotFound
      case .classNotAllowed: .classNotAllowed
      case .typeMismatch: .typeMismatch
      case .numberOutOfRange: .numberOutOfRange
      case .invalidContents, .unavailable: .invalidContents
      case .circularReference: .circularReference
      case .nestedTooDeeply: .nestedTooDeeply
      case .limitExceeded: .limitExceeded
      case .invalidValue, .finished: .invalidValue
      }
  }
}
