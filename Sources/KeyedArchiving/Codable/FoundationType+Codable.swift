@_spi(Archives) internal import PropertyLists

/// Converts values of full Foundation to types of this package and back, by encoding and decoding them as `Codable`.
extension FoundationType {
  private var counterpart: any SecureCoding.Type {
    switch self {
    case .indexSet: Archived.IndexSet.self
    case .personNameComponents: Archived.PersonNameComponents.self
    case .range: Archived.Range.self
    }
  }

  /// Converts a value of full Foundation to the type of this package that is archived instead of it.
  func counterpart(of value: some Encodable) throws -> any SecureCoding {
    let encoded = try PropertyListEncoder().encodeToPropertyList(value)
    switch self {
    case .indexSet:
      let ranges = try (encoded["indexes"]?.array ?? []).map { range in
        try Archived.Range(location: integer(range["location"]), length: integer(range["length"]))
      }
      if let set = Archived.IndexSet(ranges: ranges.compactMap(\.range)) { return set }
    case .personNameComponents:
      var name = Archived.PersonNameComponents()
      for (key, part) in Archived.PersonNameComponents.parts { name[keyPath: part] = encoded[key]?.string }
      return name
    case .range:
      if let numbers = encoded.array, numbers.count == 2 {
        return try Archived.Range(location: integer(numbers[0]), length: integer(numbers[1]))
      }
    }
    throw unknownForm
  }

  private func integer(_ value: PropertyList?) throws -> Int {
    guard let integer = value?.integer.flatMap({ Int(exactly: $0) }) else { throw unknownForm }
    return integer
  }

  private var unknownForm: KeyedArchiveError {
    KeyedArchiveError(.invalidValue, "a Foundation value encodes itself in an unknown form")
  }

  /// Decodes a value of full Foundation from the current object.
  func decode<T: Decodable>(_ type: T.Type, by coder: KeyedUnarchiver) throws -> T {
    let encoded: PropertyList
    switch self {
    case .indexSet:
      let ranges = try Archived.IndexSet(coder: coder).ranges.map { range -> PropertyList in
        ["location": .integer(.init(range.lowerBound)), "length": .integer(.init(range.count))]
      }
      encoded = ["indexes": .array(ranges)]
    case .personNameComponents:
      let name = try Archived.PersonNameComponents(coder: coder)
      var parts: PropertyList = [:]
      for (key, part) in Archived.PersonNameComponents.parts {
        if let text = name[keyPath: part] { parts.dictionary?[key] = .string(text) }
      }
      encoded = parts
    case .range:
      let range = try Archived.Range(coder: coder)
      encoded = [.integer(.init(range.location)), .integer(.init(range.length))]
    }
    return try PropertyListDecoder().decode(type, from: encoded)
  }

  /// Decodes a value of full Foundation at a reference.
  func decode<T: Decodable>(_ type: T.Type, at reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> T {
    let object = try coder.resolve(reference.node)
    if coder.isNull(reference.node, object) { throw coder.failure(.valueNotFound, "expected \(type), found nil") }
    _ = try coder.type(of: object, behind: reference.node, among: [counterpart])
    try coder.spend(object.count)
    return try coder.inside(object, uid: reference.node.uid) { try decode(type, by: coder) }
  }
}
