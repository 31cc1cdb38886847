import Foundation
import PropertyLists

// The verbs of `plistutil` for property lists. The input files are written by this package.

extension GrowthTable {
  /// Lines for `convert`, `print`, `lint`, `fmt` and `create`.
  static func formatLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    func line(_ verb: [String], _ format: GrowthFormat, _ shape: GrowthShape, status: Int32 = 0) {
      lines.append(
        tool.line(verb.joined(separator: " "), "\(format.rawValue), \(shape.rawValue)") { size, folder in
          try format.write(shape, size, to: folder, as: "file")
          return .init(verb + (format.isOpenStep ? ["--from", format.rawValue] : []) + ["file"], status: status)
        })
    }
    for format in GrowthFormat.allCases {
      let shapes: [GrowthShape] = format == .strings ? [.wide] : [.wide, .records, .nested]
      for shape in shapes {
        line(["convert", "-f", format == .binary ? "xml" : "binary"], format, shape)
        line(["lint"], format, shape)
        if format != .binary { line(["fmt"], format, shape) }
      }
      line(["fmt", "--sort"], format == .binary ? .xml : format, format == .binary ? .prefixes : .wide)
      line(["print"], format, .wide)
    }
    for target in ["json", "openstep", "gnustep"] {
      for shape in [GrowthShape.wide, .records] { line(["convert", "-f", target, "--coerce"], .binary, shape) }
    }
    line(["convert", "-f", "strings", "--coerce"], .binary, .wide)
    line(["convert", "-s", "-f", "xml"], .binary, .wide)
    line(["convert", "-s", "-f", "binary"], .xml, .wide)
    line(["convert", "-f", "json", "-C"], .xml, .dates)
    for shape in [GrowthShape.characters, .escapes, .bytes, .equal] { line(["print"], .binary, shape) }
    line(["print", "--json"], .binary, .records)
    line(["print", "--unwrap"], .binary, .manyData)
    line(["print", "--depth", "2"], .binary, .records)
    line(["stats"], .binary, .records)
    line(["stats", "--largest", "1000"], .xml, .distinct)
    for shape in [GrowthShape.equal, .distinct, .manyData, .uids] { line(["stats"], .binary, shape) }
    line(["-p"], .binary, .records)
    line(["-f", "json", "-C", "-i"], .xml, .records)

    lines.append(
      tool.line("lint", "XML, an error in each entry", base: 100) { size, folder in
        let entries = (0..<size).map { "<key>key \($0)</key><integer>\($0)x</integer>\n" }.joined()
        try "<plist version=\"1.0\"><dict>\(entries)</dict></plist>"
          .write(to: folder.appendingPathComponent("file"), atomically: false, encoding: .utf8)
        return .init(["lint", "--limit", "\(size)", "file"], status: 3)
      })
    lines.append(
      tool.line("lint --json", "XML on one line, an error in each entry", base: 100) { size, folder in
        let entries = (0..<size).map { "<key>key \($0)</key><integer>\($0)x</integer>" }.joined()
        try "<plist version=\"1.0\"><dict>\(entries)</dict></plist>"
          .write(to: folder.appendingPathComponent("file"), atomically: false, encoding: .utf8)
        return .init(["lint", "--json", "--limit", "\(size)", "file"], status: 3)
      })
    lines.append(
      tool.line("lint", "XML, each key twice", base: 100) { size, folder in
        let entries = (0..<size).map { "<key>key \($0 / 2)</key><true/>\n" }.joined()
        try "<plist version=\"1.0\"><dict>\(entries)<key>key 0</key><true/></dict></plist>"
          .write(to: folder.appendingPathComponent("file"), atomically: false, encoding: .utf8)
        return .init(["lint", "--limit", "\(size)", "file"], status: 3)
      })
    for (name, text) in [("JSON", "{\"key\": [1, 2,]}"), ("OpenStep", "{ key = (1, 2; }")] {
      lines.append(
        tool.line("lint", "\(name), an error in each entry", base: 100) { size, folder in
          let entries = Array(repeating: text, count: size).joined(separator: ",\n")
          try (name == "JSON" ? "[\(entries)]" : "(\(entries))")
            .write(to: folder.appendingPathComponent("file"), atomically: false, encoding: .utf8)
          return .init(["lint", "--limit", "\(size)", "--from", name.lowercased(), "file"], status: 3)
        })
    }
    lines.append(
      tool.line("fmt --sort", "XML with comments, a wide dictionary") { size, folder in
        let entries = (0..<size).map { "<!-- \($0) -->\n<key>key \($0 * 7919 % 10_007)-\($0)</key>\n<true/>\n" }
          .joined()
        try "<plist version=\"1.0\"><dict>\(entries)</dict></plist>"
          .write(to: folder.appendingPathComponent("file"), atomically: false, encoding: .utf8)
        return .init(["fmt", "--sort", "file"])
      })
    for verb in [["convert", "-f", "binary"], ["lint", "-q"], ["fmt", "--check"], ["find"], ["stats"]] {
      lines.append(
        tool.line("\(verb.joined(separator: " ")) -r", "many small files", base: 32) { size, folder in
          let source = folder.appendingPathComponent("source")
          try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
          for number in 0..<size { try GrowthFormat.xml.write(.wide, 3, to: source, as: "\(number).plist") }
          return .init(verb + ["-r", "source"] + (verb[0] == "convert" ? ["--outfolder", "new-files"] : []))
        })
    }
    lines.append(
      tool.line("create --json", "a wide dictionary", greatest: 2_000) { size, folder in
        let text = String(decoding: try GrowthFormat.json.data(.wide, size), as: UTF8.self)
        return .init(["create", "--json", text, "-"])
      })
    lines.append(
      tool.line("create --value-file", "an array of dictionaries") { size, folder in
        try GrowthFormat.xml.write(.records, size, to: folder, as: "value")
        return .init(["create", "-f", "binary", "--value-file", "value", "-"])
      })
    return lines
  }

  /// Lines for `get`, `type`, `keys` and `find`.
  static func queryLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    for format in [GrowthFormat.xml, .binary, .json, .openstep] {
      let from = format.isOpenStep ? ["--from", format.rawValue] : []
      lines.append(
        tool.line("get", "\(format.rawValue), the last value of a wide dictionary") { size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          return .init(["get", "key \(size - 1)"] + from + ["file"])
        })
      lines.append(
        tool.line("get -k …", "\(format.rawValue), all keys of a wide dictionary", greatest: 60_000) { size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          return .init(["get"] + (0..<size).flatMap { ["-k", "key \($0)"] } + from + ["file"])
        })
      lines.append(
        tool.line("get -k …", "\(format.rawValue), all elements of an array", greatest: 60_000) { size, folder in
          try format.write(.long, size, to: folder, as: "file")
          return .init(["get"] + (0..<size).flatMap { ["-k", "\($0)"] } + from + ["file"])
        })
      lines.append(
        tool.line("keys ''", "\(format.rawValue), a wide dictionary") { size, folder in
          try format.write(.wide, size, to: folder, as: "file")
          return .init(["keys", ""] + from + ["file"])
        })
    }
    lines.append(
      tool.line("get -k … --default", "binary, keys that are missing", greatest: 60_000) { size, folder in
        try GrowthFormat.binary.write(.wide, size, to: folder, as: "file")
        return .init(["get", "--default", "none"] + (0..<size).flatMap { ["-k", "missing \($0)"] } + ["file"])
      })
    lines.append(
      tool.line("get -k …", "binary, values in an array of dictionaries", greatest: 60_000) { size, folder in
        try GrowthFormat.binary.write(.records, size * 10, to: folder, as: "file")
        return .init(["get"] + (0..<size).flatMap { ["-k", "\($0).field\($0 % 9)"] } + ["file"])
      })
    lines.append(
      tool.line("get -f xml ''", "binary, an array of dictionaries") { size, folder in
        try GrowthFormat.binary.write(.records, size, to: folder, as: "file")
        return .init(["get", "-f", "xml", "", "file"])
      })
    lines.append(
      tool.line("get", "many files", base: 32, greatest: 40_000) { size, folder in
        for number in 0..<size { try GrowthFormat.xml.write(.wide, 3, to: folder, as: "\(number)") }
        return .init(["get", "key 1"] + (0..<size).map(String.init))
      })
    lines.append(
      tool.line("keys --sort ''", "xml, keys with a common prefix") { size, folder in
        try GrowthFormat.xml.write(.prefixes, size, to: folder, as: "file")
        return .init(["keys", "--sort", "", "file"])
      })
    lines.append(
      tool.line("type ''", "xml, a wide dictionary") { size, folder in
        try GrowthFormat.xml.write(.wide, size, to: folder, as: "file")
        return .init(["type", "", "file"])
      })
    func find(
      _ arguments: [String], _ format: GrowthFormat, _ shape: GrowthShape, status: Int32 = 0, base: Int = 250
    ) {
      lines.append(
        tool.line("find \(arguments.joined(separator: " "))", "\(format.rawValue), \(shape.rawValue)", base: base) {
          size, folder in
          try format.write(shape, size, to: folder, as: "file")
          return .init(["find"] + arguments + ["file"], status: size == 1 ? 1 : status)
        })
    }
    func findAlways(_ arguments: [String], _ format: GrowthFormat, _ shape: GrowthShape) {
      lines.append(
        tool.line("find \(arguments.joined(separator: " "))", "\(format.rawValue), \(shape.rawValue)") {
          size, folder in
          try format.write(shape, size, to: folder, as: "file")
          return .init(["find"] + arguments + ["file"])
        })
    }
    for format in [GrowthFormat.xml, .binary] {
      for shape in [GrowthShape.wide, .long, .records, .nested] { findAlways([], format, shape) }
      findAlways(["--where", "count > 0"], format, .records)
      findAlways(["--where", "not kind = bool"], format, .wide)
      findAlways(["--where", "path ~ *"], format, .records)
      findAlways(["--path", "**"], format, .nested)
      findAlways(["--json"], format, .records)
    }
    find(["--where", "value.field7 ~ *1 or value.field1 = none"], .binary, .records, status: 0, base: 500)
    find(["--where", "key = none"], .binary, .wide, status: 1)
    find(["--value", "*a*b*c*d*e*f*"], .binary, .distinct, status: 1)
    find(["--value", "*a*b*c*d*e*f*"], .binary, .characters, status: 1)
    find(["--contains", "nowhere"], .binary, .characters, status: 1)
    find(["--unwrap", "--value", "none"], .binary, .manyData, status: 1)
    lines.append(
      tool.line("find --where", "a long expression", base: 50, greatest: 1_600) { size, folder in
        try GrowthFormat.binary.write(.long, 50, to: folder, as: "file")
        let terms = (0..<size).map { "value = \($0 * 7919)" }.joined(separator: " or ")
        return .init(["find", "--where", terms, "file"])
      })
    return lines
  }
}

extension GrowthFormat {
  var isOpenStep: Bool { format == .openStep }
}
