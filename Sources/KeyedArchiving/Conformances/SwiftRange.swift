@_spi(Archives) internal import PropertyLists

/// Archived as an `NSRange` in an `NSValue`. A range that begins below 0 is archived as an `NSArray` of its two bounds,
/// like the `Codable` form of a range.
extension Swift.Range: SecureCoding where Bound == Int {
  public static var archivedClass: ArchivedClass { Archived.Range.archivedClass }

  public func encode(with coder: KeyedArchiver) throws { try Archived.Range(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let range = try Archived.Range(coder: coder)
    self = range.location..<range.location + range.length
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Swift.Range<Int> {
    guard let bounds = try coder.bounds(at: reference) else { return try coder.value(Self.self, at: reference) }
    return bounds.first..<bounds.last
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    guard Archived.Range(self).range == self else { return try [lowerBound, upperBound]._archive(by: coder) }
    return try coder.reference(toValue: self)
  }
}

/// Archived like the half-open range with the same integers. A range that begins below 0 or contains `Int.max` is
/// archived as an `NSArray` of its two bounds.
extension ClosedRange: SecureCoding where Bound == Int {
  public static var archivedClass: ArchivedClass { Archived.Range.archivedClass }

  public func encode(with coder: KeyedArchiver) throws { try Swift.Range(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let range = try Swift.Range<Int>(coder: coder)
    try coder.require(!range.isEmpty, "a ClosedRange cannot be empty")
    self = ClosedRange(range)
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> ClosedRange<Int> {
    guard let bounds = try coder.bounds(at: reference) else { return try coder.value(Self.self, at: reference) }
    return bounds.first...bounds.last
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    guard lowerBound >= 0, upperBound < .max else { return try [lowerBound, upperBound]._archive(by: coder) }
    return try coder.reference(toValue: self)
  }
}

extension KeyedUnarchiver {
  /// Returns the bounds of a range that is archived as an `NSArray`, or nil for any other object.
  fileprivate func bounds(at reference: ArchivedReference) throws -> (first: Int, last: Int)? {
    let object = try resolve(reference.node)
    guard object.kind == .dictionary,
      try classRecord(of: object, behind: reference.node).0.name == ArchivedArray.archivedClass.name
    else { return nil }
    let bounds = try [Int]._unarchive(reference, by: self)
    try require(
      bounds.count == 2 && bounds[0] <= bounds[1],
      "expected two bounds of a range in order, found \(bounds.count) numbers")
    return (bounds[0], bounds[1])
  }
}
