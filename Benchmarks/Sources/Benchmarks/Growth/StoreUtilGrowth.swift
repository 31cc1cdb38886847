import Foundation
import ManagedObjects
import SQLiteStore

// The verbs of `storeutil`. The stores and models are written by this package.

extension GrowthTable {
  /// Lines for the verbs that read stores.
  static func lookLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    func add(
      _ arguments: [String], _ shape: GrowthObjects, status: Int32 = 0, base: Int = 400,
      in storages: [Storage] = [.sqlite]
    ) {
      for storage in storages {
        lines.append(
          tool.line(
            arguments.joined(separator: " "), "\(storage.rawValue), \(shape.rawValue)", base: base,
            greatest: GrowthStore.greatestSize
          ) {
            size, folder in
            try GrowthStore.fill(storage, shape, size, in: folder)
            return .init(
              [arguments[0], "store"] + (try Self.modelArguments(storage, in: folder)) + arguments.dropFirst(),
              status: status)
          })
      }
    }
    for shape in GrowthObjects.allCases {
      let entity = shape == .chain || shape == .tree ? "Person" : "Note"
      for verb in [
        ["info"], ["check"], ["html", "--limit", "0", "-o", "-"], ["fetch", entity], ["fetch", entity, "--csv"],
      ] {
        add(verb, shape)
      }
      if shape == .rows || shape == .grid { add(["check"], shape, in: [.xml, .binary]) }
      lines.append(
        tool.line("search", "sqlite, \(shape.rawValue)", base: 400, greatest: GrowthStore.greatestSize) {
          size, folder in
          try GrowthStore.fill(.sqlite, shape, size, in: folder)
          return .init(["search", entity, "store"])
        })
      lines.append(
        tool.line("diff", "sqlite, \(shape.rawValue), equal", base: 400, greatest: GrowthStore.greatestSize) {
          size, folder in
          try GrowthStore.fill(.sqlite, shape, size, in: folder)
          return .init(["diff", "store", "store"])
        })
      lines.append(
        tool.line("diff --json", "xml, \(shape.rawValue), equal", base: 400, greatest: GrowthStore.greatestSize) {
          size, folder in
          try GrowthStore.fill(.xml, shape, size, in: folder)
          return .init(["diff", "store", "store", "--json"] + (try modelArguments(.xml, in: folder)))
        })
      for target in ["sqlite", "xml", "binary"] {
        lines.append(
          tool.line(
            "convert --type \(target)", "sqlite, \(shape.rawValue)", base: 400, greatest: GrowthStore.greatestSize
          ) {
            size, folder in
            try GrowthStore.fill(.sqlite, shape, size, in: folder)
            return .init(["convert", "store", "new-store", "--type", target])
          })
      }
    }
    for form in [
      ["--json"], ["--plist"], ["--plain"], ["--keys", "title,author.name,author.notes.@count"],
      ["--csv", "--time-zone", "Europe/Berlin"], ["--csv", "--keys", "title,tags.name", "--list-separator", ";"],
      ["--sort", "text:desc"], ["--sort", "author.name", "--csv"], ["--skip-unreadable", "--json"],
    ] {
      add(["fetch", "Note"] + form, form.contains("title,tags.name") ? .grid : .rows)
    }
    add(["fetch", "Note", "--csv", "--tables"], .rows)
    add(["fetch", "Note", "--json"], .rows, in: [.xml, .binary])
    add(["fetch", "Person", "--csv", "--keys", "name,notes.title"], .owner)
    add(["fetch", "Person", "--json"], .owner)
    add(["fetch", "Album", "--json"], .album)
    add(["fetch", "Tag", "--json"], .hub)
    add(["fetch", "Person", "--keys", "name,staff.staff.name"], .tree)
    add(["fetch", "Note", "number > 10 AND author.name != 'x' AND text CONTAINS[cd] 'Äbout'"], .rows)
    add(["count", "Note", "SUBQUERY(tags, $t, $t.name CONTAINS '1').@count > 1"], .grid)
    add(["count", "Person", "SUBQUERY(notes, $n, $n.number > 3).@count > 1"], .rows)
    add(["count", "Note", "text CONTAINS 'x'"], .rows, in: [.xml, .binary])
    for (shape, id) in [
      (GrowthObjects.owner, "Person/p1"), (.album, "Album/p1"), (.hub, "Tag/p1"), (.tree, "Person/p1"),
    ] {
      add(["show", id, "--all"], shape)
      add(["show", id, "--json"], shape)
    }
    lines.append(
      tool.line("search", "many stores", base: 4, greatest: 4_000) { size, folder in
        try GrowthStore.fill(.sqlite, .rows, 10, in: folder)
        for number in 0..<size {
          try FileManager.default.copyItem(
            at: folder.appendingPathComponent("store"), to: folder.appendingPathComponent("\(number).sqlite"))
        }
        return .init(["search", "note 1"] + (0..<size).map { "\($0).sqlite" })
      })
    for (name, hasManyTransactions) in [("many transactions", true), ("one transaction of many changes", false)] {
      for arguments in [["history"], ["history", "--json"], ["info"], ["check"]] {
        lines.append(
          tool.line(arguments.joined(separator: " "), name, base: 200, greatest: GrowthStore.greatestSize) {
            size, folder in
            try writeHistory(size, hasManyTransactions: hasManyTransactions, in: folder)
            return .init([arguments[0], "store"] + arguments.dropFirst())
          })
      }
    }
    for (name, text) in [
      ("a long AND", { (size: Int) in (0..<size).map { "number != \(-$0 - 1)" }.joined(separator: " AND ") }),
      ("a long OR", { (size: Int) in (0..<size).map { "title == '\($0)'" }.joined(separator: " OR ") }),
      ("a list", { (size: Int) in "number IN {\((0..<size).map(String.init).joined(separator: ", "))}" }),
      (
        "a list of object names",
        { (size: Int) in "SELF IN {\((0..<size).map { "'p\($0 + 1)'" }.joined(separator: ", "))}" }
      ),
    ] {
      for storage in [Storage.sqlite, .xml] {
        // The maximum length of an argument is 128 KiB.
        lines.append(
          tool.line("fetch, \(name)", "\(storage.rawValue), 20 notes", base: 50, greatest: 4_000) { size, folder in
            try GrowthStore.fill(storage, .rows, 20, in: folder)
            return .init(["fetch", "store"] + (try modelArguments(storage, in: folder)) + ["Note", text(size)])
          })
      }
    }
    return lines
  }

  /// Lines for the verbs that change stores.
  static func changeLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    func add(
      _ name: String, _ shape: GrowthObjects, base: Int = 400, greatest: Int = GrowthStore.greatestSize,
      in storages: [Storage] = [.sqlite],
      _ arguments: @escaping (Int) -> [String]
    ) {
      for storage in storages {
        lines.append(
          tool.line(
            name, "\(storage.rawValue), \(shape.rawValue)", base: base, greatest: greatest, changing: "store"
          ) { size, folder in
            try GrowthStore.fill(storage, shape, size, in: folder)
            let all = arguments(size)
            return .init([all[0], "store"] + (try modelArguments(storage, in: folder)) + all.dropFirst())
          })
      }
    }
    let all: [Storage] = [.sqlite, .xml, .binary]
    add("set --where", .rows, in: all) { _ in ["set", "--entity", "Note", "--where", "number >= 0", "text=new"] }
    add("set --where --dry-run", .rows) { _ in
      ["set", "--entity", "Note", "--where", "number >= 0", "--dry-run", "text=new"]
    }
    add("set one", .rows, in: all) { _ in ["set", "Note/p1", "text=new"] }
    add("set --where, author", .owner) { _ in
      ["set", "--entity", "Note", "--where", "number >= 0", "--null", "author"]
    }
    add("set notes+=…", .rows, greatest: 12_000) { size in
      ["set", "Person/p1", "notes+=" + (1...size).map { "Note/p\($0)" }.joined(separator: ",")]
    }
    add("set tags, of many tags", .hub, greatest: 12_000) { size in
      ["set", "Tag/p1", "notes-=" + (1...size).map { "Note/p\($0)" }.joined(separator: ",")]
    }
    for shape in GrowthObjects.allCases {
      let entity = shape == .chain || shape == .tree ? "Person" : "Note"
      add("delete --where", shape) { _ in ["delete", "--entity", entity, "--where", "TRUEPREDICATE"] }
    }
    add("delete the owner", .owner) { _ in ["delete", "Person/p1"] }
    add("delete the tag", .hub) { _ in ["delete", "Tag/p1"] }
    add("delete the album", .album) { _ in ["delete", "Album/p1"] }
    add("delete the root", .chain) { _ in ["delete", "Person/p1"] }
    add("delete the root", .tree) { _ in ["delete", "Person/p1"] }
    add("delete ID …", .rows, greatest: 60_000) { size in ["delete"] + (1...size).map { "Note/p\($0)" } }
    add("insert", .rows, in: all) { _ in ["insert", "Note", "title=new"] }
    lines.append(
      tool.line("insert KEY=VALUE …", "sqlite, many attributes", base: 25, greatest: 1_600, changing: "store") {
        size, folder in
        _ = try GrowthStore.container(.sqlite, in: folder, model: GrowthModel.attributes.model(size))
        return .init(["insert", "store", "Entity"] + (0..<size).map { "field\($0)=value" })
      })
    lines.append(
      tool.line("set KEY=VALUE …", "sqlite, many attributes", base: 25, greatest: 1_600, changing: "store") {
        size, folder in
        let context = try GrowthStore.container(.sqlite, in: folder, model: GrowthModel.attributes.model(size))
          .newContext()
        _ = try context.insert("Entity")
        try context.save()
        return .init(["set", "store", "Entity/p1"] + (0..<size).map { "field\($0)=value" })
      })
    for shape in GrowthObjects.allCases {
      lines.append(
        tool.line(
          "migrate", "sqlite, \(shape.rawValue)", base: 400, greatest: GrowthStore.greatestSize, changing: "store"
        ) { size, folder in
          try GrowthStore.fill(.sqlite, shape, size, in: folder)
          try write(GrowthModel.library(hasSummary: true), in: folder)
          return .init(["migrate", "store", "--to", "model.momd"])
        })
    }
    return lines
  }

  /// Lines for the verbs for models, and for stores with large models.
  static func modelLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    for shape in GrowthModel.allCases {
      for form in ["text", "json", "dot", "sql", "xcdatamodel"] {
        let greatest =
          form == "sql" ? shape.greatestStoreSize : GrowthModel.greatestSize
        lines.append(
          tool.line("model --format \(form)", shape.rawValue, base: 25, greatest: greatest) { size, folder in
            try write(shape.model(size), in: folder)
            return .init(["model", "model.momd", "--format", form])
          })
      }
      lines.append(
        tool.line("hashes", shape.rawValue, base: 25, greatest: GrowthModel.greatestSize) { size, folder in
          try write(shape.model(size), in: folder)
          return .init(["hashes", "model.momd"])
        })
      lines.append(
        tool.line("info, a model", shape.rawValue, base: 25, greatest: GrowthModel.greatestSize) { size, folder in
          try write(shape.model(size), in: folder)
          return .init(["info", "model.momd"])
        })
      lines.append(
        tool.line("compile", shape.rawValue, base: 25, greatest: GrowthModel.greatestSize) { size, folder in
          let model = try shape.model(size)
          try VersionedModel(models: ["model": model], currentName: "model")
            .writeSource(to: folder.appendingPathComponent("model.xcdatamodeld"))
          return .init(["compile", "model.xcdatamodeld", "-o", "new-model.momd"])
        })
      let greatest = shape.greatestStoreSize
      lines.append(
        tool.line("create", shape.rawValue, base: 25, greatest: greatest) { size, folder in
          try write(shape.model(size), in: folder)
          return .init(["create", "model.momd", "new-store"])
        })
      let entity = shape == .heirs ? "Root" : shape == .entities ? "Entity0" : "Entity"
      for arguments in [
        ["info"], ["check"], ["html", "-o", "-"], ["fetch", entity], ["count", entity], ["model"], ["hashes"],
      ] {
        lines.append(
          tool.line("\(arguments[0]), an empty store", shape.rawValue, base: 25, greatest: greatest) { size, folder in
            _ = try GrowthStore.container(.sqlite, in: folder, model: shape.model(size))
            return .init([arguments[0], "store"] + arguments.dropFirst())
          })
      }
      lines.append(
        tool.line("diff, empty stores", shape.rawValue, base: 25, greatest: greatest) { size, folder in
          _ = try GrowthStore.container(.sqlite, in: folder, model: shape.model(size))
          return .init(["diff", "store", "store"])
        })
      for target in ["sqlite", "xml"] {
        lines.append(
          tool.line("convert --type \(target), an empty store", shape.rawValue, base: 25, greatest: greatest) {
            size, folder in
            _ = try GrowthStore.container(.sqlite, in: folder, model: shape.model(size))
            return .init(["convert", "store", "new-store", "--type", target])
          })
      }
      if shape == .entities || shape == .attributes {
        lines.append(
          tool.line("migrate, renamed properties", shape.rawValue, base: 25, greatest: greatest, changing: "store") {
            size, folder in
            _ = try GrowthStore.container(.sqlite, in: folder, model: shape.model(size))
            try write(shape.model(size, renamed: true), in: folder)
            return .init(["migrate", "store", "--to", "model.momd"])
          })
      }
    }
    return lines
  }

  /// Returns the option for the model of a store. SQLite stores do not need it, because they contain their model.
  private static func modelArguments(_ storage: Storage, in folder: URL) throws -> [String] {
    if storage == .sqlite { return [] }
    try write(GrowthModel.library(), in: folder)
    return ["--model", "model.momd"]
  }

  private static func write(_ model: ManagedObjectModel, in folder: URL) throws {
    try VersionedModel(models: ["model": model], currentName: "model")
      .writeCompiled(to: folder.appendingPathComponent("model.momd"))
  }
}
