@_spi(Archives) internal import PropertyLists

/// Archives a value as its raw value, for example a case of an enumeration.
extension SecureCoding where Self: RawRepresentable, RawValue: SecureCoding {
  public static var archivedClass: ArchivedClass { RawValue.archivedClass }

  public func encode(with coder: KeyedArchiver) throws { try rawValue.encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws { self = try Self.make(try RawValue(coder: coder), coder) }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self {
    try make(try RawValue._unarchive(reference, by: coder), coder).awakeAfterDecoding(by: coder)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    if let replacement = try coder.replacement(of: self) { return try coder.archive(replacement: replacement) }
    return try rawValue._archive(by: coder)
  }

  fileprivate static func make(_ rawValue: RawValue, _ coder: KeyedUnarchiver) throws -> Self {
    guard let value = Self(rawValue: rawValue) else {
      throw coder.failure(.invalidContents, "\("\(rawValue)".quoted) is not a raw value of \(Self.self)")
    }
    return value
  }
}

/// Makes a type that is also `Codable` archive its raw value, instead of its `Codable` form.
extension SecureCoding where Self: RawRepresentable & Codable, RawValue: SecureCoding {
  public func encode(with coder: KeyedArchiver) throws { try rawValue.encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws { self = try Self.make(try RawValue(coder: coder), coder) }
}
