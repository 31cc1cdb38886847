import ManagedObjects
import TestSupport
import Testing

/// Random edits in several contexts, which save in turn.
@Suite("Merging of random edits") struct MergeScriptTests {
  private static let setup =
    "Person p0; Person p1; Employee p2; Person p3; Note n0; Note n1; Note n2; Tag t0; Tag t1; Group g0; Group g1; Card 0;"
    + "Card 1; n0.author=p0; n1.author=p0; n0.tags=t0,t1; g0.members=p0,p1,p2; p0.friends=p1; 0.owner=p0; 1.owner=p1"

  private static func edit(_ random: inout SeededGenerator) -> String {
    func pick(_ labels: [String]) -> String { labels.randomElement(using: &random) ?? "" }
    func some(_ labels: [String]) -> String {
      labels.shuffled(using: &random).prefix(Int.random(in: 0...labels.count, using: &random)).joined(separator: ",")
    }
    let (people, notes, tags) = (["p0", "p1", "p2", "p3"], ["n0", "n1", "n2"], ["t0", "t1"])
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "\(pick(people)).age=\(Int.random(in: 0..<3, using: &random))"
    case 1, 2: return "\(pick(notes)).author=\(pick(people + [""]))"
    case 3: return "\(pick(people)).notes=\(some(notes))"
    case 4: return "\(pick(notes)).tags=\(some(tags))"
    case 5: return "\(pick(tags)).notes=\(some(notes))"
    case 6: return "\(pick(["g0", "g1"])).members=\(some(people))"
    case 7: return "\(pick(people)).friends=\(some(people))"
    case 8: return "\(pick(["0", "1"])).owner=\(pick(people + [""]))"
    case 9: return "\(pick(people)).card=\(pick(["0", "1", ""]))"
    case 10: return "delete \(pick(people + notes + tags + ["g0", "0"]))"
    default: return "\(pick(people)).groups=\(some(["g0", "g1"]))"
    }
  }

  @Test(arguments: MergePolicy.allCases.filter { $0 != .error }, [false, true])
  func `both sides of a relationship agree after each save and refresh`(policy: MergePolicy, hasChild: Bool) throws {
    let isInFile = LongForm.isWanted || hasChild == (policy.rawValue % 2 == 0)
    for kind in isInFile ? StoreKind.saving : [.memory] { try scripts(policy, hasChild, kind) }
  }

  private func scripts(_ policy: MergePolicy, _ hasChild: Bool, _ kind: StoreKind) throws {
    for seed in 0..<LongForm.size(all: 1_000, 20, or: 1) {
      var random = SeededGenerator(seed: UInt64(seed) * 10 + UInt64(policy.rawValue))
      let sketch = try GraphSketch(kind)
      let first = sketch.context()
      try sketch.run(Self.setup, in: first)
      try sketch.save(first)
      let contexts = [sketch.context(policy), sketch.context(policy)]
      let child = hasChild ? ManagedObjectContext(parent: contexts[1]) : nil
      let known = try contexts.map { try sketch.readAll(in: $0) }
      var log: [String] = []
      for _ in 0..<LongForm.size(40, or: 20) {
        let number = Int.random(in: 0..<2, using: &random)
        let context = contexts[number]
        let edited = number == 1 ? child ?? context : context
        let edit = Self.edit(&random)
        // Deleted objects cannot be edited.
        if errorCode({ try sketch.run(edit, in: edited) }) == nil { log.append("\(number): \(edit)") }
        let trace = Comment(rawValue: "\(kind), \(policy), seed \(seed): " + log.joined(separator: "; "))
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
          log.append("\(number): save")
          if let child, number == 1, errorCode({ try child.save() }) != nil {
            // The parent does not contain the changed objects.
            child.rollback()
            try child.refreshAllObjects()
            continue
          }
          #expect(errorCode { try context.save() } == nil, trace)
          #expect(!context.hasChanges, trace)
          let code = errorCode { _ = try sketch.stored() }
          try #require(code == nil, trace)
          // Unchanged objects that were read before other saves would keep their old values.
          try context.refreshAllObjects()
          try child?.refreshAllObjects()
        case 2:
          log.append("\(number): refresh")
          try context.refreshAllObjects()
        default: break
        }
      }
      let trace = Comment(rawValue: "\(kind), \(policy), seed \(seed): " + log.joined(separator: "; "))
      for context in contexts {
        try context.refreshAllObjects()
        try context.save()
        try context.refreshAllObjects()
        let stored = try? sketch.stored()
        let state = try? sketch.state(of: context)
        #expect(state == stored && stored != nil, trace)
      }
      withExtendedLifetime(known) {}
    }
  }
}
