internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// The code of the class of an entity.
struct SwiftClass {
  let entity: ManagedObjectModel.Entity
  /// The relationships whose inverses are named in wrappers.
  let inverses: SwiftInverses
  let access: String
  var code: SwiftCode
  /// The lines of the properties.
  private(set) var properties: [String] = []
  /// The statements of `describe(_:)`.
  private(set) var statements: [String] = []
  /// Messages about the parts of the entity that the class does not have, or that the programmer must complete.
  private(set) var notes: [String] = []
  /// The comments before the class.
  private var omissions: [String] = []
  /// The names of the properties that a model of classes cannot have.
  private var missing: Set<String> = []

  init(_ entity: ManagedObjectModel.Entity, names: SwiftNames, inverses: SwiftInverses, isPublic: Bool) {
    self.entity = entity
    self.inverses = inverses
    access = isPublic ? "public " : ""
    code = SwiftCode(names: names)
    let definition = entity.definition
    // Properties that a class cannot have are found first, because constraints and indexes can refer to them.
    missing = Set(entity.allPropertyDescriptions.map(\.name).filter { ManagedObjectModel.isReserved($0) })
    let unique = singleConstraints
    let indexed = singleIndexes
    for property in definition.properties {
      switch property {
      case .attribute(let attribute):
        add(
          attribute, isUnique: unique?.contains(attribute.name) == true,
          isIndexed: indexed?.contains(attribute.name) == true)
      case .relationship(let relationship): add(relationship)
      case .fetched(let property): add(property)
      }
    }
    describe(definition, unique: unique?.count, indexed: indexed?.count)
  }

  mutating func addNote(_ message: String, _ property: String? = nil) {
    notes.append(
      [entity.name, property].compactMap { $0?.printable(limit: 100) }.joined(separator: ".") + ": " + message)
  }

  /// Reports a part of the entity that the class cannot have, and adds a comment before the class.
  mutating func leaveOut(_ message: String, _ property: String? = nil) {
    addNote(message, property)
    omissions.append("// " + (property.map { "\($0.quoted): " } ?? "") + message.printable())
  }

  mutating func add(comment: String) { properties.append("// " + comment) }

  /// Adds a property with a wrapper.
  mutating func add(wrapper: String, _ arguments: [String], _ declaration: String) {
    properties += SwiftLayout.property(
      "@\(code.names.type(wrapper))", arguments, access + declaration, indentation: 2)
  }

  mutating func add(statement: String) { statements.append(statement) }

  /// Adds a comment on a property that has no wrapper.
  mutating func addComment(on name: String, _ text: String) { add(comment: "\(name.quoted): \(text)") }

  /// Returns why a property cannot have a wrapper; nil if it can.
  func reasonAgainst(_ name: String) -> String? { SwiftNames.reasonAgainst(name, of: entity) }

  /// Reports a property that a model of classes cannot have. Returns false for other properties.
  mutating func isMissing(_ name: String, _ kind: String) -> Bool {
    guard missing.contains(name) else { return false }
    // Such names are in old compiled models only. The property exists in a model that is joined with the classes.
    addComment(on: name, "\(kind); a model of classes cannot have it, because it is a method of every object.")
    addNote("a model of classes cannot have a property with this name", name)
    return true
  }

  /// The attributes with the option `.unique`, in the order of the properties. Nil if the option would change the order
  /// of the entity's constraints, which is part of the version hash.
  private var singleConstraints: [String]? {
    let names = entity.definition.properties.map(\.name).filter { name in
      entity.definition.uniquenessConstraints.contains([name]) && isWrappedAttribute(name)
    }
    return entity.definition.uniquenessConstraints.starts(with: names.map { [$0] }) ? names : nil
  }

  /// The attributes with the option `.indexed`. Nil if the option would change the order of the entity's indexes.
  private var singleIndexes: [String]? {
    let indexes = entity.definition.fetchIndexes
    let names = entity.definition.properties.map(\.name).filter { name in
      indexes.contains(Self.index(of: name)) && isWrappedAttribute(name)
    }
    return indexes.starts(with: names.map { Self.index(of: $0) }) ? names : nil
  }

  private static func index(of name: String) -> FetchIndexDescription {
    FetchIndexDescription("by\(name.prefix(1).uppercased())\(name.dropFirst())Index", [.init(.property(name))])
  }

  private func isWrappedAttribute(_ name: String) -> Bool {
    guard let attribute = entity.definition[attribute: name] else { return false }
    return reasonAgainst(name) == nil && Self.swiftType(of: attribute) != nil
  }

  /// Adds the statements for the settings of the entity itself.
  ///
  /// - Parameters:
  ///   - unique: The number of uniqueness constraints that options of attributes express; nil if options express none.
  ///   - indexed: The number of indexes that options of attributes express; nil if options express none.
  private mutating func describe(_ definition: EntityDescription, unique: Int?, indexed: Int?) {
    var settings: [String] = []
    if definition.isAbstract { settings.append("entity.isAbstract = true") }
    if let name = definition.renamingIdentifier {
      settings.append("entity.renamingIdentifier = \(code.literal(name))")
    }
    if let modifier = definition.versionHashModifier {
      settings.append("entity.versionHashModifier = \(code.literal(modifier))")
    }
    if !definition.userInfo.isEmpty { settings.append("entity.userInfo = \(code.literal(definition.userInfo))") }
    let constraints = definition.uniquenessConstraints.filter { hasProperties($0, "a uniqueness constraint") }
    for constraint in constraints.dropFirst(unique ?? 0) {
      settings.append("entity.uniquenessConstraints.append(\(code.literal(constraint)))")
    }
    for index in definition.fetchIndexes.dropFirst(indexed ?? 0) {
      if let text = literal(index) { settings.append("entity.fetchIndexes.append(\(text))") }
    }
    // Models from source files repeat their fetch indexes as compound indexes.
    for names in definition.compoundIndexes {
      if definition.fetchIndexes.contains(where: { $0.elements.map(\.content) == names.map { .property($0) } }) {
        continue
      }
      if hasProperties(names, "a compound index") {
        settings.append("entity.compoundIndexes.append(\(code.literal(names)))")
      }
    }
    statements = settings + statements
  }

  /// Returns true if a model of classes can have all these properties. If it cannot have one of them, reports that, and
  /// returns false.
  private mutating func hasProperties(_ names: [String], _ part: String) -> Bool {
    guard let name = names.first(where: { missing.contains($0) }) else { return true }
    leaveOut("\(part) is left out, because of its property \(name.quoted)")
    return false
  }

  private mutating func literal(_ index: FetchIndexDescription) -> String? {
    var elements: [String] = []
    for element in index.elements {
      let content: String
      switch element.content {
      case .property(let name):
        guard hasProperties([name], "the index \(index.name.quoted)") else { return nil }
        content = ".property(\(code.literal(name)))"
      case .expression(let expression):
        guard let text = code.text(expression) else {
          leaveOut("the index \(index.name.quoted) is left out, because its expression has no text")
          return nil
        }
        content = ".expression(try! \(code.names.type("ManagedExpression"))(format: \(text)))"
      }
      elements.append(
        ".init(\(content)\(element.kind == .rTree ? ", kind: .rTree" : "")"
          + "\(element.isAscending ? "" : ", isAscending: false"))")
    }
    var text = "\(code.names.type("FetchIndexDescription"))(\(code.literal(index.name)), "
    text += "[\(elements.joined(separator: ", "))]"
    if let predicate = index.partialPredicate {
      guard let predicate = code.text(predicate) else {
        leaveOut("the index \(index.name.quoted) is left out, because its predicate has no text")
        return nil
      }
      text += ", partialPredicate: \(SwiftSettings.predicate(predicate, code))"
    }
    return text + ")"
  }
}

/// Functions that write the text of the class.
extension SwiftClass {
  /// Returns the lines of the class.
  ///
  /// - Parameter describesBelow: True if the class of a subentity overrides `describe(_:)`, too.
  func lines(describesBelow: Bool) -> [String] {
    let name = code.names.classes[entity.index]
    let superclass = entity.superentity.map { code.names.classOf($0) } ?? code.names.type("ManagedObject")
    var blocks: [[String]] = []
    if !properties.isEmpty { blocks.append(properties) }
    if overridesName {
      blocks.append([
        "\(access)override class var entityName: \(code.names.type("String")) { \(code.literal(entity.name)) }"
      ])
    }
    if !statements.isEmpty {
      let type = code.names.type("EntityDescription")
      var lines = ["\(access)override class func describe(_ entity: inout \(type)) {"]
      // Without this test, a method of a subclass that makes the same changes would be taken for an inherited one, and
      // its changes would be ignored: see ManagedObject.describe(_:).
      if describesBelow { lines.append("  guard entity.name == \(code.literal(entity.name)) else { return }") }
      blocks.append(lines + statements.flatMap { SwiftLayout.lines($0, indentation: 4) }.map { "  " + $0 } + ["}"])
    }
    let isFinal = entity.subentities.isEmpty
    var lines = ["\(access)\(isFinal ? "final " : "")class \(SwiftNames.escaped(name)): \(superclass) {"]
    for (index, block) in blocks.enumerated() {
      if index > 0 { lines.append("") }
      lines += block.map { $0.isEmpty ? $0 : "  " + $0 }
    }
    if blocks.isEmpty { lines[0] += "}" } else { lines.append("}") }
    return omissions + lines
  }

  /// True if the entity and the class have different names. If a class overrides the name, its subclasses must, too.
  private var overridesName: Bool {
    var next: ManagedObjectModel.Entity? = entity
    while let entity = next {
      if code.names.classes[entity.index] != entity.name { return true }
      next = entity.superentity
    }
    return false
  }
}
