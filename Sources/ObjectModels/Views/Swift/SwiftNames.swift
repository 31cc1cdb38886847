internal import PropertyLists

/// The Swift names of the entities and properties of a model.
struct SwiftNames {
  /// The name of the class of each entity, by the entity's index.
  let classes: [String]
  /// The name of the type that lists the classes: `NotesModel`.
  let modelType: String
  /// The names of classes and properties.
  private let all: Set<String>

  /// The modules of the types that generated code refers to. Types that are not listed are in ManagedObjects.
  private static let modules: [String: String] = {
    let standard = ["Bool", "Double", "Float", "Int", "Int16", "Int32", "Int64", "Set", "String"]
    let foundation = foundationTypes.map { ($0, "FoundationEssentials") }
    return Dictionary(standard.map { ($0, "Swift") } + foundation, uniquingKeysWith: { first, _ in first })
  }()

  /// The types in `ManagedObject`.
  private static let nestedTypes: Set<String> = ["Creation", "MutableOrderedSet", "MutableSet", "Value"]

  /// The names that classes cannot have, because modules, types and properties with these names hide each other in the
  /// code.
  private static let hiddenNames: Set<String> = nestedTypes.union([
    "FoundationEssentials", "ManagedObjects", "Self", "Swift", "classes", "model", "self",
  ])

  /// The types of Foundation that generated code refers to.
  static let foundationTypes: Set<String> = [
    "Calendar", "Data", "Date", "DateComponents", "DateInterval", "Decimal", "IndexPath", "Locale", "TimeZone", "URL",
    "UUID",
  ]

  /// The words that are not identifiers without backticks. Not all are reserved for members and classes, but backticks
  /// are always allowed.
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "_", "any", "as", "associatedtype", "await", "break", "case", "catch", "class",
    "continue",
    "default", "defer", "deinit", "do", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "some", "static",
    "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  init(_ model: ManagedObjectModel, named name: String) {
    let entities = model.entities
    let classNames = entities.map { Self.className(of: $0.definition) }
    let uses = Dictionary(classNames.compactMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
    var taken = Self.hiddenNames
    var classes: [String] = []
    for (entity, className) in zip(entities, classNames) {
      let ownName = className.flatMap { uses[$0] == 1 ? $0 : nil }
      // The class of an entity must not have the class name of another entity, or it would be joined with that one.
      func isFree(_ name: String) -> Bool { !taken.contains(name) && (name == ownName || uses[name] == nil) }
      let entityName = Self.identifier(entity.name)
      var name = [ownName, entityName, entityName + "Entity"].compactMap { $0 }.first(where: isFree)
      var number = 2
      while name == nil {
        if isFree("\(entityName)\(number)") { name = "\(entityName)\(number)" }
        number += 1
      }
      taken.insert(name ?? "")
      classes.append(name ?? "")
    }
    self.classes = classes
    var modelType = name.isEmpty ? "Model" : Self.identifier(name) + "Model"
    while taken.contains(modelType) { modelType += "Classes" }
    self.modelType = modelType
    all = taken.union(entities.flatMap { $0.definition.properties.map(\.name) })
  }

  /// Returns the name of the class in an entity's description without its module; nil if the entity has the base class,
  /// or if the name is not that of a Swift class.
  private static func className(of entity: EntityDescription) -> String? {
    guard let name = entity.className?.split(separator: ".").last.map(String.init), name != "NSManagedObject",
      name != "ManagedObject", !name.hasPrefix("_Tt"), identifier(name) == name
    else { return nil }
    return name
  }

  /// Returns the text as an identifier: replaces the characters that identifiers cannot contain. The result can be a
  /// keyword.
  private static func identifier(_ text: String) -> String {
    var result = String(text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
    if result.first?.isLetter != true, result.first != "_" { result = "_" + result }
    return result
  }

  /// Returns an identifier as it is written in code, if necessary in backticks.
  static func escaped(_ name: String) -> String {
    if !keywords.contains(name), identifier(name) == name { return name }
    return "`\(name)`"
  }

  /// Returns the class of an entity as it is written in code.
  func classOf(_ entity: ManagedObjectModel.Entity) -> String { Self.escaped(classes[entity.index]) }

  /// Returns true if the last part of a key path is a property with a name, and not a type.
  static func isKeyPathComponent(_ name: String) -> Bool {
    name != "Protocol" && name != "Type" && !nestedTypes.contains(name)
  }

  /// Returns a type as it is written in code: with its module if a class or a property has this name.
  func type(_ name: String) -> String {
    all.contains(name) || name == modelType ? "\(Self.modules[name] ?? "ManagedObjects").\(name)" : name
  }
}

/// Functions for the names of properties.
extension SwiftNames {
  /// The public properties of `ManagedObject`. A subclass cannot declare properties with their names.
  private static let members: Set<String> = [
    "description", "entity", "hasChanges", "hasPersistentChangedValues", "hashValue", "isDeleted", "isFault",
    "isInaccessible", "isInserted", "isUpdated", "managedObjectContext", "objectID",
  ]

  /// Returns why a property of an entity cannot be a Swift property; nil if it can.
  static func reasonAgainst(_ name: String, of entity: ManagedObjectModel.Entity) -> String? {
    if members.contains(name) || ManagedObjectModel.isReserved(name) {
      return "every object has a property with this name"
    }
    // The compiler reads scalars: a combining mark does not change the meaning of the character before it.
    let scalars = name.unicodeScalars
    if scalars.first == "$" || scalars.contains(where: { $0 == "`" || $0 == "\\" || $0.properties.isWhitespace })
      || name.printable() != name || isOperator(scalars)
    {
      return "the name cannot be written in Swift"
    }
    var superentity = entity.superentity
    while let next = superentity {
      if next.definition.properties.contains(where: { $0.name == "_" + name }) {
        return "its wrapper would have the name of \("_\(name)".quoted)"
      }
      superentity = next.superentity
    }
    if name.hasPrefix("_"), entity.definition.properties.contains(where: { $0.name == name.dropFirst() }) {
      return "the wrapper of \(name.dropFirst().quoted) has this name"
    }
    return nil
  }

  /// The ranges of the characters of operators, from Swift's grammar. A name of such characters only is an operator
  /// even in backticks.
  private static let operators: [ClosedRange<Unicode.Scalar>] = [
    "\u{A1}"..."\u{A7}", "\u{A9}"..."\u{A9}", "\u{AB}"..."\u{AC}", "\u{AE}"..."\u{AE}", "\u{B0}"..."\u{B1}",
    "\u{B6}"..."\u{B6}", "\u{BB}"..."\u{BB}", "\u{BF}"..."\u{BF}", "\u{D7}"..."\u{D7}", "\u{F7}"..."\u{F7}",
    "\u{2016}"..."\u{2017}", "\u{2020}"..."\u{2027}", "\u{2030}"..."\u{203E}", "\u{2041}"..."\u{2053}",
    "\u{2055}"..."\u{205E}", "\u{2190}"..."\u{23FF}", "\u{2500}"..."\u{2775}", "\u{2794}"..."\u{2BFF}",
    "\u{2E00}"..."\u{2E7F}", "\u{3001}"..."\u{3003}", "\u{3008}"..."\u{3020}", "\u{3030}"..."\u{3030}",
  ]

  /// The ranges of the other characters that operators can have after the first one: combining marks and variation
  /// selectors.
  private static let operatorMarks: [ClosedRange<Unicode.Scalar>] = [
    "\u{300}"..."\u{36F}", "\u{1DC0}"..."\u{1DFF}", "\u{20D0}"..."\u{20FF}", "\u{FE00}"..."\u{FE0F}",
    "\u{FE20}"..."\u{FE2F}", "\u{E0100}"..."\u{E01EF}",
  ]

  private static func isOperator(_ name: String.UnicodeScalarView) -> Bool {
    guard let first = name.first, isOperator(first) else { return false }
    return name.dropFirst().allSatisfy { scalar in
      isOperator(scalar) || operatorMarks.contains { $0.contains(scalar) }
    }
  }

  private static func isOperator(_ scalar: Unicode.Scalar) -> Bool {
    "/=-+!*%<>&|^~?".unicodeScalars.contains(scalar) || operators.contains { $0.contains(scalar) }
  }
}

extension ManagedObjectModel {
  /// Returns true if a name is not allowed for a property in models that are not read from files.
  static func isReserved(_ name: String) -> Bool { ModelResolution.reservedNames.contains(name) }
}
