internal import KeyedArchiving
internal import Predicates
internal import PropertyLists

/// Functions that write the attributes of a class.
extension SwiftClass {
  /// Returns the Swift type for an attribute, without optionality; nil if a wrapper cannot have the type, or if the
  /// type is one of the program.
  static func swiftType(of attribute: AttributeDescription) -> String? {
    switch attribute.type {
    case .integer16: return "Int16"
    case .integer32: return "Int32"
    case .integer64: return "Int64"
    case .decimal: return "Decimal"
    case .double: return "Double"
    case .float: return "Float"
    case .string: return "String"
    case .boolean: return "Bool"
    case .date: return "Date"
    case .binary: return "Data"
    case .uuid: return "UUID"
    case .uri: return "URL"
    case .undefined, .objectID, .composite: return nil
    case .transformable:
      guard attribute.customTransformerName == nil, let name = attribute.valueClassName else { return nil }
      return foundationType(name, isOptional: attribute.isOptional) ?? collectionType(name)
    }
  }

  /// Returns the Swift type for a class of Foundation, if it corresponds to only one type. An NSArray, for example,
  /// does not, because the type of its elements is unknown.
  private static func foundationType(_ name: String, isOptional: Bool) -> String? {
    switch name {
    case "NSDateComponents": "DateComponents"
    case "NSIndexPath": "IndexPath"
    // Properties of these types are always optional.
    case "NSCalendar", "NSDateInterval", "NSLocale", "NSTimeZone": isOptional ? String(name.dropFirst(2)) : nil
    default: nil
    }
  }

  /// Returns the type for a name such as `[String]` or `Array<String>`, which models of SwiftData have; nil for
  /// other names.
  private static func collectionType(_ name: String) -> String? {
    let elements: Set<Substring> = [
      "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "String", "URL", "UUID",
    ]
    for (start, end) in [("[", "]"), ("Array<", ">"), ("Swift.Array<", ">")] where name.hasPrefix(start) {
      let element = name.dropFirst(start.count).dropLast(end.count)
      return name.hasSuffix(end) && elements.contains(element) ? "[\(element)]" : nil
    }
    return nil
  }

  mutating func add(_ attribute: AttributeDescription, isUnique: Bool, isIndexed: Bool) {
    let name = attribute.name
    if isMissing(name, attribute.type.name) { return }
    let target = "entity[attribute: \(code.literal(name))]?"
    guard reasonAgainst(name) == nil, let base = Self.swiftType(of: attribute) else {
      addComment(on: attribute)
      let type = "\(attribute.type)"
      add(
        statement: "entity.properties.append(.attribute(\(code.literal(name)), .\(type)"
          + "\(attribute.isOptional ? "" : ", isOptional: false")))")
      set(
        target, attribute, from: AttributeDescription(name, attribute.type, isOptional: attribute.isOptional),
        location: name)
      return
    }
    var made = AttributeDescription(name, attribute.type, isOptional: attribute.isOptional)
    var options = options(of: attribute, &made)
    if isIndexed { options.insert((".indexed", { _ in }), at: 0) }
    if isUnique { options.insert((".unique", { _ in }), at: 0) }
    // The wrapper has six parameters for options.
    for option in options.prefix(6) { option.apply(&made) }
    var declaration = "var \(SwiftNames.escaped(name)): \(code.declaredType(base))\(attribute.isOptional ? "?" : "")"
    if attribute.type != .transformable, let value = attribute.type.normalized(attribute.defaultValue),
      let text = code.swiftValue(value)
    {
      declaration += " = \(text)"
      made.defaultValue = attribute.defaultValue
    }
    let setter = attribute.derivation == nil ? "" : "private(set) "
    add(wrapper: "Attribute", options.prefix(6).map(\.text), setter + declaration)
    set(target, attribute, from: made, location: name)
  }

  /// Comments on an attribute without a wrapper, and reports it.
  private mutating func addComment(on attribute: AttributeDescription) {
    let name = attribute.name
    let key = "value(forKey: \(code.literal(name)))"
    if let reason = reasonAgainst(name) {
      addComment(on: name, "\(attribute.type.name); \(reason). Use \(key).")
      addNote("the attribute has no property: \(reason); use \(key)", name)
    } else if attribute.type == .transformable {
      let type = attribute.valueClassName?.printable(limit: 100) ?? "Value"
      let option = attribute.customTransformerName.map { ".transformed(by: \($0.printable(limit: 100)).self)" }
      let wrapper = "@Attribute" + (option.map { "(\($0))" } ?? "")
      let property = "\(wrapper) \(access)var \(SwiftNames.escaped(name)): \(type)\(attribute.isOptional ? "?" : "")"
      addComment(on: name, "replace its description below by a property with the type of the program, such as")
      add(comment: property)
      let transformer = attribute.customTransformerName.map { " and the value transformer \($0.quoted)" } ?? ""
      addNote("the attribute has no property, because its type\(transformer) must be in the program", name)
    } else {
      addComment(on: name, "\(attribute.type.name); no wrapper has values of this type. Use \(key).")
      addNote("the attribute has no property, because no wrapper has values of its type; use \(key)", name)
    }
  }

  private typealias Option = (text: String, apply: (inout AttributeDescription) -> Void)

  /// Returns the options of the wrapper of an attribute, without those for constraints and indexes.
  private mutating func options(of attribute: AttributeDescription, _ made: inout AttributeDescription) -> [Option] {
    var options: [Option] = []
    let traits = attribute.traits
    if traits.isTransient { options.append((".transient", { $0.isTransient = true })) }
    if attribute.allowsExternalBinaryDataStorage, attribute.type == .binary {
      options.append((".externalStorage", { $0.allowsExternalBinaryDataStorage = true }))
    }
    if let derivation = attribute.derivation, let text = code.text(derivation.expression) {
      options.append(
        (
          ".derived(\(text))",
          {
            $0.derivation = .init(derivation.expression)
            $0.isReadOnly = true
          }
        ))
    }
    for validation in traits.validations {
      guard let option = option(for: validation, attribute) else { break }
      options.append((option, { $0.validations.append(validation) }))
    }
    if let name = traits.renamingIdentifier {
      options.append((".renamed(from: \(code.literal(name)))", { $0.renamingIdentifier = name }))
    }
    if let modifier = traits.versionHashModifier {
      options.append((".hashModifier(\(code.literal(modifier)))", { $0.versionHashModifier = modifier }))
    }
    if attribute.preservesValueInHistoryOnDeletion {
      options.append((".preservedInHistory", { $0.preservesValueInHistoryOnDeletion = true }))
    }
    if traits.isIndexedBySpotlight { options.append((".spotlight", { $0.isIndexedBySpotlight = true })) }
    if attribute.allowsCloudEncryption {
      options.append((".allowsCloudEncryption", { $0.allowsCloudEncryption = true }))
    }
    if !traits.userInfo.isEmpty {
      options.append((".userInfo(\(code.literal(traits.userInfo)))", { $0.userInfo = traits.userInfo }))
    }
    return options
  }

  /// Returns the option for a validation; nil if no option expresses it.
  private mutating func option(for validation: PropertyValidation, _ attribute: AttributeDescription) -> String? {
    let type = attribute.type
    var warning = ""
    if case .text(let text)? = validation.warning { warning = ", warning: \(code.literal(text))" }
    for limit in SourceLimit.allCases {
      // Limits with a warning have it instead of the error code.
      var plain = validation
      if !warning.isEmpty { plain.warning = .code(limit.code(type)) }
      guard let value = limit.value(in: plain, of: type) else { continue }
      switch (limit, type) {
      case (.pattern, .string):
        if case .string(let pattern) = value { return ".pattern(\(code.literal(pattern))\(warning))" }
      case (.pattern, _): break
      case (_, .string):
        if case .integer(let length) = value { return ".\(limit)Length(\(length)\(warning))" }
      case (_, .integer16), (_, .integer32), (_, .integer64), (_, .decimal), (_, .double), (_, .float), (_, .date):
        if let bound = type.normalized(value), let text = code.swiftValue(bound) {
          return ".\(limit)(\(text)\(warning))"
        }
      default: break
      }
    }
    if case .code? = validation.warning { return nil }
    return code.text(validation.predicate).map { ".predicate(\($0)\(warning))" }
  }
}
