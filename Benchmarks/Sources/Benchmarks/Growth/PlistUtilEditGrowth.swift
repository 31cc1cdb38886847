import Foundation
import PropertyListTools
import PropertyLists

// The verbs of `plistutil` that edit and compare, and its modes that replace other tools.

extension GrowthTable {
  /// Lines for `set`, `insert`, `replace`, `remove`, `append`, `diff`, `patch`, `merge` and `git`.
  static func editLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    for format in [GrowthFormat.xml, .binary, .json, .openstep] {
      let from = format.isOpenStep ? ["--from", format.rawValue] : []
      lines.append(
        tool.line("set", "\(format.rawValue), one value of a wide dictionary") { size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          return .init(["set", "key \(size / 2)", "--string", "new"] + from + ["file"])
        })
      lines.append(
        tool.line("remove", "\(format.rawValue), the first value of a wide dictionary") { size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          return .init(["remove", "key 0"] + from + ["file"])
        })
      lines.append(
        tool.line("append", "\(format.rawValue), a long array") { size, folder in
          try format.write(.long, size, to: folder, as: "file")
          return .init(["append", "", "--string", "new"] + from + ["file"])
        })
      lines.append(
        tool.line("insert", "\(format.rawValue), before the first of a long array") { size, folder in
          try format.write(.long, size, to: folder, as: "file")
          return .init(["insert", "0", "--string", "new"] + from + ["file"])
        })
      lines.append(
        tool.line("replace --values-file", "\(format.rawValue), all values of a wide dictionary") { size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          let values = GrowthShape.dictionary(size) { ("key \($0)", .string("new \($0)")) }
          try values.write(to: folder.appendingPathComponent("values"), format: .xml)
          return .init(["replace", "--values-file", "values"] + from + ["file"])
        })
      lines.append(
        tool.line("insert --values-file", "\(format.rawValue), a wide dictionary becomes twice as wide") {
          size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          let values = GrowthShape.dictionary(size) { ("new \($0)", .string("new \($0)")) }
          try values.write(to: folder.appendingPathComponent("values"), format: .xml)
          return .init(["insert", "--values-file", "values"] + from + ["file"])
        })
    }
    lines.append(
      tool.line("insert --values-file", "xml, each at index 0 of an array") { size, folder in
        // The values file maps key paths to values: each path adds a key to another dictionary of the array.
        try GrowthFormat.xml.write(.records, size * 10, to: folder, as: "file")
        let values = GrowthShape.dictionary(size) { ("\($0).new", .string("new")) }
        try values.write(to: folder.appendingPathComponent("values"), format: .xml)
        return .init(["insert", "--values-file", "values", "file"])
      })
    lines.append(
      tool.line("set --values", "xml, on the command line", greatest: 2_000) { size, folder in
        try GrowthFormat.xml.write(.wide, size, to: folder, as: "file")
        let values = GrowthShape.dictionary(size) { ("key \($0)", .string("\($0)")) }
        return .init(["set", "--values", String(decoding: try GrowthFormat.json.data(values), as: UTF8.self), "file"])
      })
    lines.append(
      tool.line("append --values-file", "binary, one element for each array") { size, folder in
        let arrays = GrowthShape.dictionary(size) { ("key \($0)", ["old"]) }
        try GrowthFormat.binary.data(arrays).write(to: folder.appendingPathComponent("file"))
        try GrowthFormat.xml.write(.wide, size, to: folder, as: "values")
        return .init(["append", "--values-file", "values", "file"])
      })
    lines.append(
      tool.line("set --env", "a string of many variables") { size, folder in
        try GrowthFormat.xml.write(.wide, 3, to: folder, as: "file")
        let text = String(repeating: "${HOME} $$ ${NONE:-default} ", count: size)
        try GrowthFormat.xml.data(["key 1": .string(text)]).write(to: folder.appendingPathComponent("values"))
        return .init(["set", "--env", "--values-file", "values", "file"])
      })

    /// The ways to derive the second file of a comparison from the first.
    let edits: [(name: String, edit: (PropertyList, Int) -> PropertyList)] = [
      ("the same", { value, _ in value }),
      ("every tenth value differs", { value, _ in value.edited { $0 % 10 == 0 ? .string("other \($0)") : nil } }),
      ("all values differ", { value, _ in value.edited { .string("other \($0)") } }),
      ("reversed", { value, _ in value.reversed }),
      ("every third is missing, new ones at the end", { value, size in value.thinned(size) }),
    ]
    for (name, edit) in edits {
      for shape in [GrowthShape.wide, .long, .records, .equal] {
        if name == "every tenth value differs", shape == .equal { continue }
        func write(_ size: Int, _ folder: URL) throws -> Int32 {
          let value = shape.value(size)
          let other = edit(value, size)
          try value.write(to: folder.appendingPathComponent("old"), format: .xml)
          try other.write(to: folder.appendingPathComponent("new"), format: .binary)
          let difference = PropertyListDifference(from: value, to: other)
          try difference.patch.write(to: folder.appendingPathComponent("patch"), format: .binary)
          return difference.isEmpty ? 0 : 1
        }
        lines.append(
          tool.line("diff", "\(shape.rawValue), \(name)", base: 100) { size, folder in
            .init(["diff", "old", "new"], status: try write(size, folder))
          })
        if name == "the same" { continue }
        lines.append(
          tool.line("patch", "\(shape.rawValue), \(name)", base: 100) { size, folder in
            _ = try write(size, folder)
            return .init(["patch", "patch", "old"])
          })
      }
    }
    lines.append(
      tool.line("diff --patch", "a wide dictionary, every tenth value differs") { size, folder in
        let value = GrowthShape.wide.value(size)
        try value.write(to: folder.appendingPathComponent("old"), format: .xml)
        try value.edited { $0 % 10 == 0 ? .string("other") : nil }
          .write(to: folder.appendingPathComponent("new"), format: .xml)
        return .init(["diff", "--patch", "old", "new"], status: 1)
      })
    lines.append(
      tool.line("diff -r", "two folders of small files", base: 16) { size, folder in
        for (name, count) in [("old", 3), ("new", 4)] {
          let folder = folder.appendingPathComponent(name)
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
          for number in 0..<size { try GrowthFormat.xml.write(.wide, count, to: folder, as: "\(number).plist") }
        }
        return .init(["diff", "-r", "old", "new"], status: 1)
      })
    for arrays in ["values", "append", "union"] {
      for shape in [GrowthShape.wide, .long, .records] {
        lines.append(
          tool.line("merge --conflicts theirs --arrays \(arrays)", "\(shape.rawValue)") { size, folder in
            let value = shape.value(size)
            try value.write(to: folder.appendingPathComponent("ours"), format: .xml)
            try value.edited { $0 % 2 == 0 ? .string("other \($0)") : nil }
              .write(to: folder.appendingPathComponent("theirs"), format: .binary)
            return .init(["merge", "--conflicts", "theirs", "--arrays", arrays, "ours", "theirs"])
          })
      }
    }
    for shape in [GrowthShape.wide, .records] {
      func write(_ size: Int, _ folder: URL, _ format: PropertyListFormat) throws {
        let value = shape.value(size)
        try value.write(to: folder.appendingPathComponent("base"), format: format)
        try value.edited { $0 % 10 == 1 ? .string("ours") : nil }
          .write(to: folder.appendingPathComponent("ours"), format: format)
        try value.edited { $0 % 10 == 6 ? .string("theirs") : nil }
          .write(to: folder.appendingPathComponent("theirs"), format: format)
      }
      lines.append(
        tool.line("merge --base", shape.rawValue) { size, folder in
          let value = GrowthShape.wide.value(size)
          try value.write(to: folder.appendingPathComponent("base"), format: .xml)
          try value.edited { $0 % 10 == 1 ? .string("ours") : nil }
            .write(to: folder.appendingPathComponent("ours"), format: .xml)
          try value.edited { $0 % 10 == 6 ? .string("theirs") : nil }
            .write(to: folder.appendingPathComponent("theirs"), format: .xml)
          return .init(["merge", "--base", "base", "ours", "theirs"])
        })
      if shape == .wide {
        for format in [PropertyListFormat.xml, .binary] {
          lines.append(
            tool.line("git merge", "\(format.rawValue), \(shape.rawValue)", changing: "ours") { size, folder in
              try write(size, folder, format)
              return .init(["git", "merge", "base", "ours", "theirs"])
            })
        }
      }
    }
    lines.append(
      tool.line("merge", "many files", base: 32, greatest: 40_000) { size, folder in
        for number in 0..<size {
          try GrowthFormat.xml.data(["key \(number)": "value"]).write(to: folder.appendingPathComponent("\(number)"))
        }
        return .init(["merge"] + (0..<max(2, size)).map { "\($0 % size)" })
      })
    lines.append(
      tool.line("git textconv", "binary, an array of dictionaries") { size, folder in
        try GrowthFormat.binary.write(.records, size, to: folder, as: "file")
        return .init(["git", "textconv", "file"])
      })
    lines.append(
      tool.line("edit", "xml, a wide dictionary, half of the values changed", changing: "file") { size, folder in
        try GrowthShape.wide.value(size, isText: true).write(to: folder.appendingPathComponent("file"), format: .xml)
        return .init(["edit", "file"], environment: ["EDITOR": "sed -i s/value/other/"])
      })
    return lines
  }

  /// Lines for `buddy`, `plutil` and `defaults`.
  static func otherToolLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    func session(
      _ name: String, _ format: GrowthFormat, on value: @escaping (Int) -> PropertyList,
      command: @escaping (_ number: Int, _ size: Int) -> String
    ) {
      lines.append(
        tool.line("buddy", "\(format.rawValue), \(name)", base: 100, changing: "file") { size, folder in
          try format.data(value(size)).write(to: folder.appendingPathComponent("file"))
          let commands = (0..<size).map { command($0, size) + "\n" }.joined() + "Save\nExit\n"
          let input = folder.appendingPathComponent("commands")
          try commands.write(to: input, atomically: false, encoding: .utf8)
          return .init(["buddy", "file"], input: input)
        })
    }
    let wide: (Int) -> PropertyList = { GrowthShape.wide.value($0) }
    let texts: (Int) -> PropertyList = { GrowthShape.wide.value($0, isText: true) }
    let small: (Int) -> PropertyList = { _ in ["key": "value", "items": []] }
    let arrays: (Int) -> PropertyList = { size in ["items": .array((0..<size).map { .string("item \($0)") })] }
    for format in [GrowthFormat.xml, .binary] {
      session("Set each value of a wide dictionary", format, on: texts) {
        number, _ in "Set \":key \(number)\" new"
      }
      session("Delete each value of a wide dictionary", format, on: wide) {
        number, _ in "Delete \":key \(number)\""
      }
      session("Add values to an empty dictionary", format, on: small) { number, _ in
        "Add :new\(number) string new"
      }
      session("Add elements at the end of an array", format, on: small) { _, _ in
        "Add :items: string new"
      }
      session("Print each value of a wide dictionary", format, on: wide) { number, _ in
        "Print \":key \(number)\""
      }
      session("Copy a value again and again", format, on: small) { number, _ in
        "Copy :key :copy\(number)"
      }
      session("Set each element of an array", format, on: arrays) { number, _ in "Set :items:\(number) new" }
      session("Delete the last element of an array", format, on: arrays) { number, size in
        "Delete :items:\(size - 1 - number)"
      }
      session("Delete the first element of an array", format, on: arrays) { _, _ in "Delete :items:0" }
      session("Add elements at the start of an array", format, on: small) { _, _ in
        "Add :items:0 string new"
      }
    }
    session("Save after each Set", .binary, on: small) { number, _ in
      "Set :key \(number)\nSave"
    }
    session("Set and Revert", .xml, on: small) { number, _ in "Set :key \(number)\nRevert" }
    session("CD and Print", .binary, on: wide) { number, _ in
      "CD :\nPrint \"key \(number)\""
    }
    lines.append(
      tool.line("buddy -c …", "many commands", base: 100, greatest: 30_000, changing: "file") { size, folder in
        try GrowthFormat.xml.write(.wide, 3, to: folder, as: "file")
        return .init(["buddy"] + (0..<size).flatMap { ["-c", "Add :new\($0) string new"] } + ["file"])
      })
    lines.append(
      tool.line("buddy Merge", "a wide dictionary", changing: "file") { size, folder in
        try GrowthFormat.xml.write(.wide, 1, to: folder, as: "file")
        try GrowthFormat.xml.write(.prefixes, size, to: folder, as: "other")
        return .init(["buddy", "-c", "Merge other", "file"])
      })
    lines.append(
      tool.line("buddy Print", "an array of dictionaries") { size, folder in
        try GrowthFormat.xml.write(.records, size, to: folder, as: "file")
        return .init(["buddy", "-c", "Print", "file"])
      })
    lines.append(
      tool.line("buddy Import", "long data", changing: "file") { size, folder in
        try GrowthFormat.xml.write(.wide, 1, to: folder, as: "file")
        try Data(repeating: 7, count: size * 100).write(to: folder.appendingPathComponent("data"))
        return .init(["buddy", "-c", "Import :data data", "file"])
      })

    for target in ["xml1", "binary1", "json", "swift", "objc", "openstep"] {
      lines.append(
        tool.line("plutil -convert \(target)", "an array of dictionaries") { size, folder in
          try (target == "xml1" ? GrowthFormat.binary : .xml).data(GrowthShape.records.value(size, isText: true))
            .write(to: folder.appendingPathComponent("file"))
          return .init(["plutil", "-convert", target, "-o", "-", "file"])
        })
    }
    for (name, arguments) in [
      ("-lint", ["-lint"]), ("-p", ["-p"]), ("-extract", ["-extract", "key 0", "xml1", "-o", "-"]),
      ("-type", ["-type", "key 0"]), ("-insert", ["-insert", "new", "-string", "new", "-o", "-"]),
      ("-replace", ["-replace", "key 0", "-string", "new", "-o", "-"]), ("-remove", ["-remove", "key 0", "-o", "-"]),
    ] {
      lines.append(
        tool.line("plutil \(name)", "a wide dictionary") { size, folder in
          try GrowthFormat.xml.write(.wide, size, to: folder, as: "file")
          return .init(["plutil"] + arguments + ["file"])
        })
    }

    for (verb, arguments, changes) in [
      ("read", ["./file"], false), ("read KEY", ["./file", "key 0"], false), ("read-type", ["./file", "key 0"], false),
      ("write", ["./file", "new", "value"], true), ("rename", ["./file", "key 0", "new"], true),
      ("delete", ["./file", "key 0"], true), ("export", ["./file", "-"], false), ("import", ["./file", "other"], true),
      ("find", ["none"], false),
    ] {
      lines.append(
        tool.line("defaults \(verb)", "a wide domain", changing: changes ? "file.plist" : nil) { size, folder in
          try GrowthFormat.binary.write(.wide, size, to: folder, as: "file.plist")
          try GrowthFormat.xml.write(.prefixes, size, to: folder, as: "other")
          let verb = verb.split(separator: " ")[0]
          return .init(
            ["defaults", "--folder", folder.path, String(verb)] + arguments)
        })
    }
    lines.append(
      tool.line("defaults write -dict-add", "many keys", base: 100, greatest: 40_000, changing: "file.plist") {
        size, folder in
        try GrowthFormat.binary.write(.wide, 3, to: folder, as: "file.plist")
        return .init(
          ["defaults", "write", "./file", "dictionary", "-dict-add"] + (0..<size).flatMap { ["key\($0)", "value"] })
      })
    lines.append(
      tool.line("defaults write -array", "many elements", base: 100, greatest: 60_000, changing: "file.plist") {
        size, folder in
        try GrowthFormat.binary.write(.wide, 3, to: folder, as: "file.plist")
        return .init(["defaults", "write", "./file", "array", "-array"] + (0..<size).map { "element \($0)" })
      })
    lines.append(
      tool.line("defaults domains", "many domains") { size, folder in
        for number in 0..<size {
          try Data().write(to: folder.appendingPathComponent("com.example.n\(number).plist"))
        }
        return .init(["defaults", "--folder", folder.path, "domains"])
      })
    return lines
  }
}

extension PropertyList {
  /// Returns the property list with other values at some indexes of the root, or of the dictionaries in its array.
  fileprivate func edited(_ other: (Int) -> PropertyList?) -> PropertyList {
    switch self {
    case .array(let elements):
      .array(
        elements.enumerated().map { index, element in
          if case .dictionary(var entries) = element {
            if let value = other(index) { entries["field\(index % 9)"] = value }
            return .dictionary(entries)
          }
          return other(index) ?? element
        })
    case .dictionary(let entries):
      Self.dictionary(
        .init(
          uniqueKeysWithValues: entries.enumerated().map { index, entry in
            (entry.key, other(index) ?? entry.value)
          }))
    default: self
    }
  }

  fileprivate var reversed: PropertyList {
    switch self {
    case .array(let elements): .array(elements.reversed())
    case .dictionary(let entries):
      .dictionary(.init(uniqueKeysWithValues: entries.reversed().map { ($0.key, $0.value) }))
    default: self
    }
  }

  /// Returns the property list without every third element or entry, with as many new ones at the end.
  fileprivate func thinned(_ size: Int) -> PropertyList {
    switch self {
    case .array(let elements):
      return .array(
        elements.enumerated().filter { $0.offset % 3 != 1 }.map(\.element)
          + (0..<size / 3).map { .string("new \($0)") })
    case .dictionary(let entries):
      let kept = entries.enumerated().filter { $0.offset % 3 != 1 }.map { ($0.element.key, $0.element.value) }
      return .dictionary(
        .init(uniqueKeysWithValues: kept + (0..<size / 3).map { ("new \($0)", PropertyList.string("new \($0)")) }))
    default: return self
    }
  }
}
