import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import ToolSupport

/// Reads attribute values in the forms that `fetch` writes.
struct ImportedValues {
  /// The time zone of dates that do not name a zone; nil to refuse such dates. A day without a time is always accepted,
  /// and means its beginning in UTC.
  let timeZone: LocalTime?
  /// The text between the elements of an array in CSV; nil if arrays are JSON.
  let listSeparator: String?

  /// Returns the value that a text has for an attribute. A composite value is a JSON object.
  ///
  /// - Throws: ``ManagedObjectError`` for a value that the attribute cannot have.
  func value(ofText text: String, of attribute: AttributeDescription) throws(ManagedObjectError) -> AttributeValue {
    if attribute.type == .composite {
      guard let value = try? PropertyList(importedJSON: Data(text.utf8)) else { throw Self.unsuitable(text, attribute) }
      return try self.value(value, of: attribute)
    }
    guard let value = attribute.type.value(ofText: text, timeZone: timeZone) else { throw unsuitable(text, attribute) }
    return value
  }

  /// Returns the value of an attribute.
  ///
  /// - Throws: ``ManagedObjectError`` for a value that the attribute cannot have.
  func value(
    _ value: PropertyList, of attribute: AttributeDescription
  ) throws(ManagedObjectError) -> AttributeValue {
    if value == .null { return .null }
    if attribute.type == .composite {
      guard case .dictionary(let entries) = value else { throw Self.unsuitable(value, attribute) }
      var leaves: [String: AttributeValue] = [:]
      for element in attribute.elements { leaves[element.name] = .null }
      for (name, value) in entries {
        guard let element = attribute.elements.first(where: { $0.name == name }) else {
          throw ManagedObjectError(
            .invalidValue, "the composite attribute has no element \(name.quoted)", key: attribute.name)
        }
        do { leaves[name] = try self.value(value, of: element) } catch {
          var error = error
          error.key = "\(attribute.name).\(error.key ?? name)"
          throw error
        }
      }
      return leaves.values.allSatisfy { $0 == .null } ? .null : .composite(leaves)
    }
    if case .string(let text) = value {
      guard let value = attribute.type.value(ofText: text, timeZone: timeZone) else {
        throw unsuitable(text, attribute)
      }
      return value
    }
    guard let scalar = attribute.type.value(ofScalar: value) else { throw Self.unsuitable(value, attribute) }
    return scalar
  }

  private func unsuitable(_ text: String, _ attribute: AttributeDescription) -> ManagedObjectError {
    var error = Self.unsuitable(text, attribute)
    guard attribute.type == .date, LocalTime.utc.read(text) != nil else { return error }
    if let timeZone {
      if case .skipped = timeZone.read(text) { error.message += "; the time zone skips this time" }
    } else {
      error.message += "; the date has no time zone: use --time-zone"
    }
    return error
  }

  private static func unsuitable(_ text: String, _ attribute: AttributeDescription) -> ManagedObjectError {
    unsuitable(.string(text), attribute)
  }

  private static func unsuitable(_ value: PropertyList, _ attribute: AttributeDescription) -> ManagedObjectError {
    ManagedObjectError(.invalidValue, "expected \(attribute.type.name), found \(value.foundText)", key: attribute.name)
  }
}

extension PropertyList {
  /// The description of the value in error messages.
  var foundText: String {
    switch self {
    case .string(let text): text.quoted
    case .array: "an array"
    case .dictionary: "an object"
    case .data: "data"
    default: rawText?.printable() ?? "another value"
    }
  }
}

extension AttributeType {
  /// Converts a scalar that is not text to a value of the attribute type; nil if the type has no such value.
  fileprivate func value(ofScalar value: PropertyList) -> AttributeValue? {
    let found: AttributeValue
    switch value {
    case .boolean(let value): found = .boolean(value)
    case .integer(let value):
      guard let integer = Int64(exactly: value) else {
        return [.decimal, .double, .float].contains(self) ? self.value(ofText: "\(value)") : nil
      }
      found = .integer(integer)
    case .real(let value):
      // Uses the digits of the text, not those of the nearest binary number.
      if self == .decimal { return Decimal(text: "\(value)").flatMap { $0.isNaN ? nil : .decimal($0) } }
      if self == .float, value.isFinite, !Float(value).isFinite { return nil }
      found = .double(value)
    case .float(let value): found = .float(value)
    case .date(let value): found = .date(value)
    case .data(let value): found = .data(value)
    case .string, .null, .uid, .array, .dictionary: return nil
    }
    // A Boolean is not a number.
    if case .boolean = found, self != .boolean, self != .undefined { return nil }
    return normalized(found)
  }
}

extension PropertyList {
  /// Parses JSON. Values may be plain, or in tagged forms such as `{"$date": …}`.
  init(importedJSON data: Data) throws(PropertyListError) {
    try self.init(data, format: .json, options: PropertyListReadingOptions(restoresCoercedValues: true))
  }
}
