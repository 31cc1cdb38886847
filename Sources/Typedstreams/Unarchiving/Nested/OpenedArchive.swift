internal import FoundationEssentials
internal import KeyedArchiving
@_spi(Archives) public import PropertyLists

/// An archive of any kind, detected from its first bytes, with its decoder.
enum OpenedArchive {
  case typedstream(TypedstreamUnarchiver)
  /// `key` is the key of the root value.
  case keyedArchive(KeyedUnarchiver, key: String)
  /// `size` is the limit for the expanded size of the property list: see `ParsingLimits.expandedSize`.
  case propertyList(PropertyListDocument, size: Int)

  /// The settings that an archive in data takes over from the archive around it.
  struct Surroundings {
    var limits: ParsingLimits
    /// The number of values that may be decoded. Nil for the number that `limits` allows.
    var valueLimit: Int?
    /// The number of levels of objects around the nested archive.
    var levels = 0
    var additionalTypes: [any (TypedstreamDecodable & SecureCoding).Type] = []
    var classes: [String: any TypedstreamDecodable.Type] = [:]
    var keepsUnknownObjects = false
  }

  /// Opens data that contains an archive of any kind.
  ///
  /// - Throws: ``TypedstreamError`` or `KeyedArchiveError`, also for bytes that are not an archive.
  init(_ data: Data, _ surroundings: Surroundings) throws {
    switch ArchiveFormat(data) {
    case .typedstream:
      self = .typedstream(try Self.typedstream(data, surroundings))
      return
    case .nibArchive: throw KeyedArchiveError(.notAnArchive, "values cannot be decoded from a compiled nib")
    case .binaryPropertyList, .xmlPropertyList, nil: break
    }
    var limits = surroundings.limits
    if let limit = surroundings.valueLimit {
      limits.expandedSize = limit
      limits.expansionRatio = 1
    }
    let document = try translated(PropertyListDocument(data, options: .archive(limits)))
    guard (try? ArchiveLayout(document)) != nil else {
      self = try Self.propertyList(data, limits)
      return
    }
    let coder = try KeyedUnarchiver(document, levelsAround: surroundings.levels)
    coder.additionalTypes = surroundings.additionalTypes
    for (name, type) in surroundings.classes {
      if type is Typedstream.Object.Type {
        coder.setClass(OpaqueObject.self, forClassName: name)
      } else if let type = type as? any SecureCoding.Type {
        coder.setClass(type, forClassName: name)
      }
    }
    self = .keyedArchive(coder, key: try Self.rootKey(of: coder))
  }

  private static func typedstream(_ data: Data, _ surroundings: Surroundings) throws -> TypedstreamUnarchiver {
    let limits = surroundings.limits
    let stream = try Typedstream(data, limits: limits)
    let unarchiver = TypedstreamUnarchiver(
      stream, limits, valueLimit: surroundings.valueLimit ?? limits.effectiveValueCount(inputSize: data.count),
      levelsAround: surroundings.levels)
    unarchiver.additionalTypes = surroundings.additionalTypes
    unarchiver.keepsUnknownObjects = surroundings.keepsUnknownObjects
    for (name, type) in surroundings.classes { unarchiver.setClass(type, forClassName: name) }
    return unarchiver
  }

  /// Opens a property list. The limit for its expanded size counts as the size of the decoded values, because
  /// `PropertyListDecoder` does not count them.
  private static func propertyList(_ data: Data, _ limits: ParsingLimits) throws -> OpenedArchive {
    var limits = limits
    let size = min(256 + 16 * min(data.count, 1 << 40), limits.effectiveExpandedSize(inputSize: data.count))
    limits.expandedSize = size
    limits.expansionRatio = 1
    let options = PropertyListReadingOptions(limits: limits)
    return .propertyList(try translated(PropertyListDocument(data, options: options)), size: size)
  }

  /// Returns the key `root`, or the only key.
  private static func rootKey(of coder: KeyedUnarchiver) throws(KeyedArchiveError) -> String {
    let keys = coder.topLevelKeys
    if keys.contains(KeyedArchiver.rootObjectKey) { return KeyedArchiver.rootObjectKey }
    guard let key = keys.first, keys.count == 1 else {
      throw KeyedArchiveError(
        .valueNotFound, "expected the key \(KeyedArchiver.rootObjectKey), or exactly one key; found \(keys.count) keys")
    }
    return key
  }

  /// The number of levels of the decoded values.
  var height: Int {
    switch self {
    case .typedstream(let unarchiver): unarchiver.height
    case .keyedArchive(let coder, _): coder.deepest
    // An upper bound: the value has at most as many levels as the document, and a level takes at least two bytes.
    case .propertyList(let document, _): min(document.options.limits.effectiveDepth, document.original.count / 2)
    }
  }

  /// The number of values that decoding has counted toward the limits.
  var spent: Int {
    switch self {
    case .typedstream(let unarchiver): unarchiver.budget.spent
    case .keyedArchive(let coder, _): coder.spent
    // An estimate, because most of the size is text.
    case .propertyList(_, let size): size / 4
    }
  }

  /// Decodes the root value of the archive.
  func decode<T>(_ type: T.Type) throws -> T {
    let value: Any?
    switch self {
    case .typedstream(let unarchiver): return try unarchiver.decodeNext(type)
    case .keyedArchive(let coder, let key):
      value = try (type as? any SecureCoding.Type).map { try Self.decode($0, coder, key) }
    case .propertyList(let document, _):
      if type is PropertyList.Type {
        value = try translated(PropertyList(document.root))
      } else {
        value = try (type as? any Decodable.Type).map { try Self.decode($0, document) }
      }
    }
    guard let value = value as? T else { throw refusal("\(type)") }
    return value
  }

  /// Decodes the root value of the archive as the first type in `types` that matches it.
  func decode(of types: [any TypedstreamDecodable.Type]) throws -> any TypedstreamDecodable {
    var value: Any?
    switch self {
    case .typedstream(let unarchiver): return try unarchiver.decode(of: types)
    case .keyedArchive(let coder, let key):
      let types = types.compactMap { $0 as? any SecureCoding.Type }
      if !types.isEmpty { value = try coder.decode(of: types, forKey: key) }
    case .propertyList(let document, _):
      if let type = types.lazy.compactMap({ $0 as? any Decodable.Type }).first {
        value = try Self.decode(type, document)
      }
    }
    guard let value = value as? any TypedstreamDecodable else { throw refusal(TypedstreamUnarchiver.list(types)) }
    return value
  }

  private static func decode<T: SecureCoding>(_ type: T.Type, _ coder: KeyedUnarchiver, _ key: String) throws -> Any {
    try coder.decode(type, forKey: key)
  }

  private static func decode<T: Decodable>(_ type: T.Type, _ document: PropertyListDocument) throws -> Any {
    do { return try PropertyListDecoder().decode(type, from: document) } catch let error as DecodingError {
      if case .dataCorrupted(let context) = error, let reason = context.underlyingError as? PropertyListError {
        throw KeyedArchiveError(reason)
      }
      throw KeyedArchiveError(.typeMismatch, "the property list cannot be decoded as \(type): \(error)")
    }
  }

  /// Returns an error for a type that this kind of archive cannot contain.
  private func refusal(_ type: String) -> KeyedArchiveError {
    let needed =
      if case .propertyList = self { "expected a Decodable type for a property list, found \(type)" } else {
        "expected a SecureCoding type for a keyed archive, found \(type)"
      }
    return KeyedArchiveError(.typeMismatch, needed)
  }
}

/// A property list is decoded from data that contains it.
extension PropertyList: TypedstreamDecodable {
  /// Empty, because a property list is decoded only from the bytes of data, not from an object of a class.
  public static var typedstreamClasses: [String] { [] }

  public init(from groups: inout TypedstreamGroups) throws {
    throw groups.failure(.typeMismatch, "a PropertyList can be decoded only from data, not from an object")
  }
}
