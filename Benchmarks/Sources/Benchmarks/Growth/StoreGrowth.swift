import Foundation
import ManagedObjects
import SQLiteStore
import StoreInspection

extension GrowthTable {
  /// Lines for predicates and expressions: text, archive and evaluation.
  static var predicateLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    let texts: [(String, (Int) -> String)] = [
      ("a long AND", { (0..<$0).map { "key\($0) != \($0)" }.joined(separator: " AND ") }),
      ("a long OR", { (0..<$0).map { "key == \(-$0 - 1)" }.joined(separator: " OR ") }),
      ("a list of integers", { "key IN {\((0..<$0).map(String.init).joined(separator: ", "))}" }),
      ("a list of strings", { "key IN {\((0..<$0).map { "\"string \($0)\"" }.joined(separator: ", "))}" }),
      ("a long string", { "key == \"\(String(repeating: "long \\\" ", count: $0))\"" }),
      (
        "many parentheses side by side",
        { (0..<$0).map { "(key\($0) == 1 OR (NOT (key == 2)))" }.joined(separator: " AND ") }
      ),
      (
        "many subqueries",
        { (0..<$0).map { "SUBQUERY(list, $x, $x.a == \($0)).@count == 0" }.joined(separator: " AND ") }
      ),
    ]
    for (name, text) in texts {
      lines.append(
        GrowthLine("ManagedPredicate(format:)", name, base: 50) { size, _ in
          let text = text(size)
          return { keep(try ManagedPredicate(format: text)) }
        })
      lines.append(
        GrowthLine("ManagedPredicate.formatText", name, base: 50) { size, _ in
          let predicate = try ManagedPredicate(format: text(size))
          return { keep(try predicate.formatText()) }
        })
      lines.append(
        GrowthLine("ManagedPredicate ==, hash", name, base: 50) { size, _ in
          let (first, second) = (try ManagedPredicate(format: text(size)), try ManagedPredicate(format: text(size)))
          return { keep(first == second && first.hashValue == second.hashValue) }
        })
      lines.append(
        GrowthLine("KeyedArchiver, ManagedPredicate", name, base: 50) { size, _ in
          let predicate = try ManagedPredicate(format: text(size))
          return {
            let archiver = KeyedArchiverOfPredicates()
            keep(try archiver.data(predicate))
          }
        })
      lines.append(
        GrowthLine("KeyedUnarchiver, ManagedPredicate", name, base: 50) { size, _ in
          let data = try KeyedArchiverOfPredicates().data(ManagedPredicate(format: text(size)))
          return { keep(try KeyedArchiverOfPredicates().predicate(data) as Any) }
        })
      lines.append(
        GrowthLine("PreparedPredicate, evaluate", name, base: 50) { size, _ in
          let predicate = try ManagedPredicate(format: text(size))
          let object: [String: AttributeValue] = ["key": .integer(-1)]
          return {
            let prepared = try PreparedPredicate(predicate)
            keep((try? prepared.evaluate(with: object)) as Any)
          }
        })
    }
    lines.append(
      GrowthLine("PreparedPredicate.evaluate", "IN a list, each of its values", base: 50) { size, _ in
        let prepared = try PreparedPredicate(ManagedPredicate(format: "key IN %@", Array(0..<size)))
        return {
          for number in 0..<size { keep(try prepared.evaluate(with: ["key": AttributeValue.integer(Int64(number))])) }
        }
      })
    for pattern in ["*a*b*c*d*", "?*?*?*"] {
      lines.append(
        GrowthLine("PreparedPredicate.evaluate", "LIKE \(pattern), a long string", base: 50) { size, _ in
          let prepared = try PreparedPredicate(ManagedPredicate(format: "key LIKE %@", pattern))
          let text = AttributeValue.string(String(repeating: "a b c e ", count: size))
          return { keep(try prepared.evaluate(with: ["key": text])) }
        })
    }
    lines.append(
      GrowthLine("PreparedPredicate.evaluate", "CONTAINS, a long string", base: 50) { size, _ in
        let prepared = try PreparedPredicate(ManagedPredicate(format: "key CONTAINS %@", "aaaaaaaaaaaaaaab"))
        let text = AttributeValue.string(String(repeating: "a", count: size * 10))
        return { keep(try prepared.evaluate(with: ["key": text])) }
      })
    lines.append(
      GrowthLine("PreparedPredicate.evaluate", "CONTAINS, a long string in a longer one", base: 50) { size, _ in
        let part = String(repeating: "a", count: size * 5) + "b"
        let prepared = try PreparedPredicate(ManagedPredicate(format: "key CONTAINS %@", part))
        let text = AttributeValue.string(String(repeating: "a", count: size * 10))
        return { keep(try prepared.evaluate(with: ["key": text])) }
      })
    lines.append(
      GrowthLine("PreparedPredicate.evaluate", "CONTAINS[cd], a long string", base: 50) { size, _ in
        let prepared = try PreparedPredicate(ManagedPredicate(format: "key CONTAINS[cd] %@", "ÄÖÜ"))
        let text = AttributeValue.string(String(repeating: "Grüße ", count: size * 2))
        return { keep(try prepared.evaluate(with: ["key": text])) }
      })
    // The store has a constant size: a predicate and a store that both grow would take quadratic time.
    for storage in [Storage.memory, .sqlite] {
      for (name, text) in [
        ("a long AND", { (size: Int) in (0..<size).map { "number != \(-$0 - 1)" }.joined(separator: " AND ") }),
        ("a long OR", { (size: Int) in (0..<size).map { "title == \"\($0)\"" }.joined(separator: " OR ") }),
        ("a list", { (size: Int) in "number IN {\((0..<size).map(String.init).joined(separator: ", "))}" }),
        (
          "a list of key paths",
          { (size: Int) in "author.name IN {\((0..<size).map { "'\($0)'" }.joined(separator: ", "))}" }
        ),
      ] {
        lines.append(
          GrowthLine("fetch, \(name)", "\(storage.rawValue), 20 notes", base: 50) { size, folder in
            let container = try GrowthStore.container(storage, in: folder)
            let context = container.newContext()
            try GrowthObjects.rows.fill(context, 20)
            let request = FetchRequest("Note", where: try ManagedPredicate(format: text(size)))
            return { keep(try context.fetch(request)) }
          })
      }
    }
    return lines
  }

  /// Lines for models, their files and their hashes.
  static var modelLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    for shape in GrowthModel.allCases {
      func add(
        _ name: String, greatest: Int = GrowthModel.greatestSize,
        _ prepare: @escaping (ManagedObjectModel, Int, URL) throws -> () throws -> Void
      ) {
        lines.append(
          GrowthLine(name, shape.rawValue, base: 25, greatest: greatest) { size, folder in
            try prepare(shape.model(size), size, folder)
          })
      }
      add("ManagedObjectModel(entities:)") { model, _, _ in
        let (entities, templates) = (model.entityDescriptions, model.fetchRequestTemplates)
        return { keep(try ManagedObjectModel(entities: entities, fetchRequestTemplates: templates)) }
      }
      add("ManagedObjectModel, version hashes") { model, _, _ in
        let (entities, templates) = (model.entityDescriptions, model.fetchRequestTemplates)
        return {
          let model = try ManagedObjectModel(entities: entities, fetchRequestTemplates: templates)
          keep(model.entityVersionHashesByName)
        }
      }
      add("ManagedObjectModel.compiledData") { model, _, _ in { keep(try model.compiledData()) } }
      add("ManagedObjectModel(compiled:)") { model, _, _ in
        let data = try model.compiledData()
        return { keep(try ManagedObjectModel(compiled: data)) }
      }
      add("ManagedObjectModel.sourceData") { model, _, _ in { keep(try model.sourceData()) } }
      add("ManagedObjectModel(source:)") { model, _, _ in
        let data = try model.sourceData()
        return { keep(try ManagedObjectModel(source: data)) }
      }
      add("ManagedObjectModel.jsonData") { model, _, _ in { keep(try model.jsonData()) } }
      add("ManagedObjectModel.graph") { model, _, _ in { keep(model.graph()) } }
      add("ManagedObjectModel.description") { model, _, _ in { keep(model.description) } }
      add("ManagedObjectModel.merging") { model, _, _ in { keep(try model.merging(model)) } }
      add("ManagedObjectModel ==") { model, size, _ in
        let other = try shape.model(size)
        return { keep(model == other) }
      }
      let greatest = shape.greatestStoreSize
      add("SQLiteStore.schemaStatements", greatest: greatest) { model, _, _ in
        { keep(try SQLiteStore.schemaStatements(of: model)) }
      }
      add("SQLiteStore, create", greatest: greatest) { model, _, folder in
        {
          let file = folder.appendingPathComponent(UUID().uuidString)
          keep(try SQLiteStore(file, model: model))
        }
      }
      add("SQLiteStore, open", greatest: greatest) { model, _, folder in
        let file = folder.appendingPathComponent("store")
        _ = try SQLiteStore(file, model: model)
        return { keep(try SQLiteStore(file, model: model)) }
      }
      add("SQLiteStore.model(inFile:)", greatest: greatest) { model, _, folder in
        let file = folder.appendingPathComponent("store")
        _ = try SQLiteStore(file, model: model)
        return { keep(try SQLiteStore.model(inFile: file)) }
      }
      add("SQLiteStore.tableModel", greatest: greatest) { model, _, folder in
        let file = folder.appendingPathComponent("store")
        _ = try SQLiteStore(file, model: model)
        return { keep(try SQLiteStore.tableModel(ofFile: file)) }
      }
      add("StoreCheck", greatest: greatest) { model, _, folder in
        let file = folder.appendingPathComponent("store")
        _ = try SQLiteStore(file, model: model)
        return { keep(try StoreCheck(file).run { _ in }) }
      }
      add("StoreInfo", greatest: greatest) { model, _, folder in
        let file = folder.appendingPathComponent("store")
        _ = try SQLiteStore(file, model: model)
        return { keep(try StoreInfo(file)) }
      }
      if shape == .templates || shape == .heirs { continue }
      for storage in [Storage.memory, .sqlite, .xml, .binary] {
        lines.append(
          GrowthLine.renewing(
            "insert, save, fetch an object of each entity", "\(storage.rawValue), \(shape.rawValue)", base: 25,
            greatest: greatest,
            each: { size, folder in
              let model = try shape.model(size)
              return {
                let run = folder.appendingPathComponent(UUID().uuidString)
                try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
                let container = try GrowthStore.container(storage, in: run, model: model)
                return {
                  let context = container.newContext()
                  for entity in model.entities {
                    try context.insert(entity).setValue(.string("text"), forKey: "field0")
                  }
                  try context.save()
                  let other = container.newContext()
                  for entity in model.entities { keep(try other.fetch(FetchRequest(entity.name))[0]["field0"] as Any) }
                }
              }
            }))
      }
      if shape == .relationships { continue }
      lines.append(
        GrowthLine.renewing(
          "SQLiteStore.migrate, renamed properties", shape.rawValue, base: 25, greatest: greatest,
          each: { size, folder in
            let (old, new) = (try shape.model(size), try shape.model(size, renamed: true))
            return {
              let file = folder.appendingPathComponent(UUID().uuidString)
              _ = try SQLiteStore(file, model: old)
              return { try SQLiteStore.migrate(file, to: new) }
            }
          }))
    }
    return lines
  }

  /// Lines for whole stores: conversion, migration, checks, history.
  static var storeLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    for shape in GrowthObjects.allCases {
      func add(_ name: String, _ prepare: @escaping (URL, URL, ManagedObjectModel) throws -> () throws -> Void) {
        lines.append(
          GrowthLine.renewing(
            name, shape.rawValue, base: 400, greatest: GrowthStore.greatestSize,
            each: { size, folder in
              try GrowthStore.fill(.sqlite, shape, size, in: folder)
              let model = try GrowthModel.library()
              return {
                let run = try GrowthStore.copy(folder)
                return try prepare(Storage.sqlite.file(in: run), run, model)
              }
            }))
      }
      add("StoreCheck") { file, _, model in { keep(try StoreCheck(file, model: model).run { _ in }) } }
      add("StoreInfo") { file, _, model in { keep(try StoreInfo(file, model: model)) } }
      add("StoreDifference, equal") { file, run, model in
        let copy = try GrowthStore.copy(run)
        let other = Storage.sqlite.file(in: copy)
        return {
          let stores = (try SQLiteStore(file, model: model), try SQLiteStore(other, model: model))
          keep(try StoreDifference(from: stores.0, to: stores.1).run { _ in })
        }
      }
      add("StoreDifference, by names") { file, run, model in
        let copy = try GrowthStore.copy(run)
        let other = Storage.sqlite.file(in: copy)
        let context = try PersistentContainer(model: model, stores: [.sqlite(other)]).newContext()
        for (number, note) in try context.fetch(FetchRequest("Note")).enumerated() where number % 2 == 0 {
          try note.setValue(.string("other"), forKey: "text")
        }
        try context.save()
        return {
          let stores = (try SQLiteStore(file, model: model), try SQLiteStore(other, model: model))
          var difference = StoreDifference(from: stores.0, to: stores.1)
          difference.keys = ["Note": "title", "Person": "name", "Tag": "name", "Album": "name"]
          keep(try difference.run { keep($0.description) })
        }
      }
      add("SQLiteStore.migrate, in place") { file, _, _ in
        let new = try GrowthModel.library(hasSummary: true)
        return { try SQLiteStore.migrate(file, to: new) }
      }
      add("SQLiteStore.migrate, by classes") { file, run, _ in
        let new = try GrowthModel.library(hasSummary: true)
        let mapping = StoreMapping(entities: [
          "Note": EntityMigrationPolicy { source, migration in
            let object = try migration.createDestinationInstances(forSource: source)
            try object.setValue(.string("summary"), forKey: "summary")
          }
        ])
        return { try SQLiteStore.migrate(file, to: new, by: mapping, output: run.appendingPathComponent("new")) }
      }
    }
    for (name, shape) in [("many transactions", true), ("one transaction of many changes", false)] {
      func add(_ operation: String, _ work: @escaping (URL, ManagedObjectModel) throws -> Void) {
        lines.append(
          GrowthLine.renewing(
            operation, name, base: 200, greatest: GrowthStore.greatestSize,
            each: { size, folder in
              try Self.writeHistory(size, hasManyTransactions: shape, in: folder)
              let model = try GrowthModel.library()
              return {
                let file = Storage.sqlite.file(in: try GrowthStore.copy(folder))
                return { try work(file, model) }
              }
            }))
      }
      add("SQLiteStore.history") { file, model in
        keep(try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true)).history())
      }
      add("SQLiteStore.deleteHistory") { file, model in
        try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true)).deleteHistory(through: .max)
      }
      add("StoreHistory") { file, model in try StoreHistory(file, model: model).run { keep($0) } }
      add("StoreInfo, history") { file, model in keep(try StoreInfo(file, model: model)) }
      add("StoreCheck, history") { file, model in keep(try StoreCheck(file, model: model).run { _ in }) }
    }
    return lines
  }

  /// Creates a store with a history of `size` changes.
  static func writeHistory(_ size: Int, hasManyTransactions: Bool, in folder: URL) throws {
    let context = try GrowthStore.container(.sqlite, in: folder, tracksHistory: true).newContext()
    for number in 0..<size {
      try context.insert("Note").setValue(.string("Note \(number)"), forKey: "title")
      if hasManyTransactions { try context.save() }
    }
    try context.save()
  }
}
