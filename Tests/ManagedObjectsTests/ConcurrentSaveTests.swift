import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("Contexts in several tasks") struct ConcurrentSaveTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func container(_ kind: StoreKind) throws -> PersistentContainer {
    let file = folder.url.appending(path: "store")
    return try PersistentContainer(model: NaiveGraph.model, stores: [kind == .sqlite ? .sqlite(file) : .inMemory])
  }

  private func insertPerson(_ container: PersistentContainer) throws -> ManagedObjectID {
    try container.performAndWait { context throws in
      let person = try context.insert("Person")
      try context.save()
      return person.objectID
    }
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes)), arguments: StoreKind.saving)
  func `concurrent tasks save all their objects into a shared relationship`(kind: StoreKind) async throws {
    let container = try container(kind)
    let (tasks, rounds) = (4, LongForm.size(200, or: 15))
    let id = try insertPerson(container)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          try await container.perform { context async throws in
            context.mergePolicy = .objectTrump
            let person = try context.object(with: id)
            for round in 0..<rounds {
              let note = try context.insert("Note")
              try note.setValue(.string("\(task) \(round)"), forKey: "title")
              try note.setValue(.object(person), forKey: "author")
              try context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = try container.performAndWait { context throws -> [Int] in
      guard case .set(let notes) = try context.existingObject(with: id).value(forKey: "notes") else { return [] }
      let titles = notes.compactMap { note -> String? in
        guard case .object(let note) = note, case .attribute(.string(let title))? = note["title"] else { return nil }
        return title
      }
      return [try context.count(for: FetchRequest("Note")), notes.count, Set(titles).count]
    }
    #expect(counts == [tasks * rounds, tasks * rounds, tasks * rounds])
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes)), arguments: StoreKind.saving)
  func `a counter that concurrent tasks increment with retries has the correct total`(kind: StoreKind) async throws {
    let container = try container(kind)
    let (tasks, rounds) = (4, LongForm.size(200, or: 15))
    let id = try insertPerson(container)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          try await container.perform { context async throws in
            let person = try context.existingObject(with: id)
            var conflicts = 0
            for _ in 0..<rounds {
              while true {
                guard case .attribute(.integer(let age))? = person["age"] else { return -1 }
                try person.setValue(.integer(age + 1), forKey: "age")
                do {
                  try context.save()
                  break
                } catch let error as ManagedObjectError where error.code == .merge {
                  conflicts += 1
                  try context.refresh(person, mergeChanges: false)
                }
              }
            }
            return conflicts
          }
        }
      }
      for try await conflicts in group { #expect(conflicts >= 0) }
    }
    let age = try container.performAndWait { context throws in
      try context.existingObject(with: id)["age"] == .attribute(.integer(Int64(tasks * rounds)))
    }
    #expect(age)
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes)), arguments: StoreKind.saving)
  func `a task sees the save of another task completely or not at all`(kind: StoreKind) async throws {
    let container = try container(kind)
    let rounds = LongForm.size(300, or: 20)
    async let writer: Void = container.perform { context async throws in
      for _ in 0..<rounds {
        let person = try context.insert("Person")
        for _ in 0..<3 { try context.insert("Note").setValue(.object(person), forKey: "author") }
        try context.save()
      }
    }
    for _ in 0..<rounds {
      let isWhole = try await container.perform { context async throws in
        var request = FetchRequest("Person")
        request.relationshipKeyPathsForPrefetching = ["notes"]
        return try context.fetch(request).allSatisfy { person in
          guard case .set(let notes)? = person["notes"] else { return false }
          return notes.count == 3
        }
      }
      #expect(isWhole)
    }
    try await writer
  }
}
