import ManagedObjects
import TestSupport
import Testing

/// Each delete rule with each kind of relationship, compared with a minimal implementation of the rules.
@Suite("Delete rules") struct DeleteRuleTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var isToMany = true
    var isOrdered = false
    /// The inverse relationship; nil if there is none.
    var inverse: Inverse? = Inverse()
    /// The source and the target of each link.
    let links: [String]

    struct Inverse: Sendable {
      var isToMany = false
      var isOrdered = false
      var isReflexive = false
      /// True if the relationship is its own inverse.
      var isSame = false
    }

    var isReflexive: Bool { inverse?.isReflexive == true }
  }

  static let kinds = [
    Kind(testDescription: "one to one", isToMany: false, links: ["ax", "by"]),
    Kind(testDescription: "one to many", links: ["ax", "ay", "bz"]),
    Kind(testDescription: "many to one", isToMany: false, inverse: .init(isToMany: true), links: ["ax", "bx", "cy"]),
    Kind(testDescription: "many to many", inverse: .init(isToMany: true), links: ["ax", "ay", "by", "bz", "cx", "cz"]),
    Kind(testDescription: "one to many, ordered", isOrdered: true, links: ["az", "ax", "by"]),
    Kind(
      testDescription: "many to many, ordered", isOrdered: true, inverse: .init(isToMany: true, isOrdered: true),
      links: ["az", "ay", "by", "bz", "cx", "cz"]),
    Kind(
      testDescription: "many to one, ordered", isToMany: false, inverse: .init(isToMany: true, isOrdered: true),
      links: ["ax", "bx", "cx"]),
    Kind(testDescription: "a tree", inverse: .init(isReflexive: true), links: ["ab", "ac", "bx", "xy"]),
    Kind(
      testDescription: "many to many, its own inverse",
      inverse: .init(isToMany: true, isReflexive: true, isSame: true),
      links: ["ab", "ba", "bc", "cb", "xy", "yx"]),
    Kind(
      testDescription: "one to one, its own inverse", isToMany: false, inverse: .init(isReflexive: true, isSame: true),
      links: ["ab", "ba", "xy", "yx"]),
    Kind(
      testDescription: "many to many, an object related to itself",
      inverse: .init(isToMany: true, isReflexive: true, isSame: true),
      links: ["aa", "ab", "ba"]),
    Kind(testDescription: "to-one without an inverse", isToMany: false, inverse: nil, links: ["ax", "by"]),
    Kind(testDescription: "to-many without an inverse", inverse: nil, links: ["ax", "ay", "bz"]),
  ]

  static let deletions = ["a", "b", "ab", "ba", "x", "ax"]

  /// A minimal implementation of the delete rules.
  struct Expectation {
    let kind: Kind
    let rule: RelationshipDescription.DeleteRule
    let isSaved: Bool
    /// The links in both directions.
    var forward: [String]
    var backward: [String]
    var dead: Set<Character> = []
    private var targetsAtDeath: [Character: [Character]] = [:]

    init(_ kind: Kind, _ rule: RelationshipDescription.DeleteRule, isSaved: Bool) {
      self.kind = kind
      self.rule = rule
      self.isSaved = isSaved
      forward = kind.links
      backward = kind.inverse == nil || kind.inverse?.isSame == true ? [] : kind.links
    }

    mutating func delete(_ name: Character) {
      guard dead.insert(name).inserted else { return }
      let targets = forward.filter { $0.first == name }.compactMap(\.last)
      targetsAtDeath[name] = targets
      let isBreaking = rule == .nullify || rule == .cascade || !isSaved
      for target in targets where target != name && !dead.contains(target) && isBreaking {
        backward.removeAll { $0 == "\(name)\(target)" }
        if kind.inverse?.isSame == true { forward.removeAll { $0 == "\(target)\(name)" } }
      }
      // The inverse relationship has the delete rule nullify.
      for source in backward.filter({ $0.last == name }).compactMap(\.first) where !dead.contains(source) {
        forward.removeAll { $0 == "\(source)\(name)" }
      }
      if rule == .cascade { for target in targets { delete(target) } }
    }

    var isDenied: Bool {
      rule == .deny && isSaved
        && targetsAtDeath.contains { name, targets in targets.contains { $0 != name && !dead.contains($0) } }
    }

    /// True if a reference to an object that no store ever contained prevents a save.
    var isDangling: Bool {
      !isSaved && forward.contains { !dead.contains($0.first ?? " ") && dead.contains($0.last ?? " ") }
    }

    var state: String {
      func live(_ links: [String], _ end: (String) -> Character?) -> [String] {
        links.filter { end($0).map { !dead.contains($0) } ?? false }
      }
      func shown(_ link: String) -> String { String(link.map { dead.contains($0) ? "!" : $0 }) }
      let forward = live(forward, \.first).map { ">" + shown($0) }
      let backward = live(backward, \.last).map { "<" + shown($0) }
      return ("abcxyz".filter { !dead.contains($0) } + " " + (forward + backward).sorted().joined(separator: " "))
    }
  }

  private func model(_ kind: Kind, _ rule: RelationshipDescription.DeleteRule) throws -> ManagedObjectModel {
    let target = kind.isReflexive ? "Source" : "Target"
    let back = kind.inverse.map { $0.isSame ? "forward" : "backward" }
    var source = EntityDescription(
      "Source",
      [
        .attribute("name", .string),
        .relationship(
          "forward", to: target, inverse: back, isToMany: kind.isToMany, isOrdered: kind.isOrdered, deleteRule: rule),
      ])
    var entities: [EntityDescription] = []
    if let inverse = kind.inverse, !inverse.isSame {
      let backward = PropertyDescription.relationship(
        "backward", to: "Source", inverse: "forward", isToMany: inverse.isToMany, isOrdered: inverse.isOrdered)
      if kind.isReflexive {
        source.properties.append(backward)
      } else {
        entities.append(EntityDescription("Target", [.attribute("name", .string), backward]))
      }
    } else if !kind.isReflexive {
      entities.append(EntityDescription("Target", [.attribute("name", .string)]))
    }
    return try ManagedObjectModel(entities: [source] + entities)
  }

  private func name(_ object: ManagedObject) -> String {
    if object.isDeleted || object.managedObjectContext == nil { return "!" }
    if case .attribute(.string(let name))? = object["name"] { return name }
    return "!"
  }

  private func targets(_ object: ManagedObject, _ key: String) -> [String] {
    switch object[key] {
    case .object(let target): [name(target)]
    case .array(let all), .set(let all): all.map { if case .object(let target) = $0 { name(target) } else { "?" } }
    case .attribute, nil: []
    }
  }

  private func state(_ context: ManagedObjectContext) throws -> String {
    var names = ""
    var links: [String] = []
    for entity in ["Source", "Target"] where context.coordinator.model[entity] != nil {
      for object in try context.fetch(FetchRequest(entity)) {
        names += name(object)
        links += targets(object, "forward").map { ">\(name(object))\($0)" }
        links += targets(object, "backward").map { "<\($0)\(name(object))" }
      }
    }
    return "\(String(names.sorted())) " + links.sorted().joined(separator: " ")
  }

  @Test(arguments: kinds, [RelationshipDescription.DeleteRule.nullify, .cascade, .deny, .noAction])
  func `a deletion follows the rule, and undo reverts it`(kind: Kind, rule: RelationshipDescription.DeleteRule) throws {
    let model = try model(kind, rule)
    let folder = TemporaryFolder(isInMemory: true)
    // The short form has two of the deletions of each kind and rule, one of saved and one of new objects. Each kind has
    // all deletions with some rule, and is in a file with one rule.
    let place = try #require(Self.kinds.firstIndex { $0.testDescription == kind.testDescription })
    let number = place + rule.rawValue
    for (index, names) in Self.deletions.enumerated() where LongForm.isWanted || index % 3 == number % 3 {
      for isSaved in LongForm.isWanted ? [true, false] : [(index + number / 2) % 2 == 0] {
        let isInFile = LongForm.isWanted || number % 4 == 0
        for store in isInFile ? StoreKind.saving : [.memory] {
          let coordinator = try store.coordinator(model, folder)
          try check(
            kind, rule, coordinator, stored(kind), isSaved: isSaved, names,
            Comment(rawValue: "\(store), \(names)"))
        }
      }
    }
  }

  /// Returns a state in its stored form: without deleted objects in to-many relationships, which to-one relationships
  /// keep.
  private func stored(_ kind: Kind) -> (String) -> String {
    { state in
      let parts = state.split(separator: " ", omittingEmptySubsequences: false)
      let links = parts.dropFirst().filter { part in
        guard part.contains("!") else { return true }
        return part.hasPrefix(">") ? !kind.isToMany : kind.inverse?.isToMany != true
      }
      return "\(parts[0]) " + links.joined(separator: " ")
    }
  }

  private func check(
    _ kind: Kind, _ rule: RelationshipDescription.DeleteRule, _ coordinator: PersistentStoreCoordinator,
    _ stored: (String) -> String, isSaved: Bool, _ names: String, _ location: Comment
  ) throws {
    let comment = Comment(rawValue: "\(location), \(isSaved ? "saved" : "new")")
    let context = ManagedObjectContext(coordinator: coordinator)
    context.undoManager = ManagedObjectContext.UndoManager()
    var objects: [Character: ManagedObject] = [:]
    for name in "abcxyz" {
      let object = try context.insert("abc".contains(name) || kind.isReflexive ? "Source" : "Target")
      try object.setValue(.string(String(name)), forKey: "name")
      objects[name] = object
    }
    for name in "abcxyz" {
      let targets = kind.links.filter { $0.first == name }.compactMap(\.last).compactMap { objects[$0] }
      guard !targets.isEmpty else { continue }
      let value = targets.map(ManagedObject.Value.object)
      try objects[name]?.setValue(kind.isToMany ? .array(value) : value[0], forKey: "forward")
    }
    if isSaved { try context.save() } else { context.processPendingChanges() }
    var expected = Expectation(kind, rule, isSaved: isSaved)
    let before = expected.state
    #expect(try state(context) == before, comment)
    for name in names {
      let object = try #require(objects[name])
      if object.managedObjectContext != nil { try context.delete(object) }
      expected.delete(name)
    }
    let after = expected.state
    #expect(try state(context) == after, comment)
    context.undo()
    #expect(try state(context) == before, comment)
    #expect(isSaved != context.hasChanges, comment)
    context.redo()
    #expect(try state(context) == after, comment)
    if expected.isDenied || expected.isDangling {
      let code = errorCode { try context.save() }
      #expect(code == (expected.isDenied ? .deleteDenied : .referentialIntegrity) || code == .multipleErrors, comment)
      if isSaved { #expect(try state(ManagedObjectContext(coordinator: coordinator)) == before, comment) }
      context.rollback()
      if isSaved { #expect(try state(context) == before, comment) }
      return
    }
    try context.save()
    #expect(try state(ManagedObjectContext(coordinator: coordinator)) == stored(after), comment)
    // A reference to a deleted row is never restored.
    if after.contains("!") { return }
    context.undo()
    #expect(try state(context) == before, comment)
    try context.save()
    #expect(try state(ManagedObjectContext(coordinator: coordinator)) == before, comment)
  }
}
