import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import Typedstreams

/// The shapes of keyed archives in the growth table. The size is approximately the number of objects.
enum GrowthArchive: String, CaseIterable {
  case notes = "an array of objects"
  case chains = "chains of 300 objects"
  case shared = "references to one object"
  case strings = "distinct strings"
  case equalStrings = "equal strings"
  case set = "a set"
  case dictionary = "a dictionary"
  case classes = "a class for each object"
  case fields = "an object with many keys"
  case circle = "circles of two objects"
  case nested = "archives in data"
  case levels = "archives in data in archives, 8 levels"

  func data(_ size: Int) throws -> Data {
    switch self {
    case .notes: return try KeyedArchiver.archivedData(withRootObject: Self.notes(size / 5 + 1))
    case .chains:
      return try KeyedArchiver.archivedData(
        withRootObject: (0...size / 300).map { number in
          (0..<min(300, size)).reduce(nil as Link?) { Link("link \(number) \($1)", next: $0) }!
        })
    case .shared:
      let link = Link("shared", next: nil)
      return try KeyedArchiver.archivedData(withRootObject: (0..<size).map { _ in link })
    case .strings: return try KeyedArchiver.archivedData(withRootObject: (0..<size).map { "string \($0)" })
    case .equalStrings: return try KeyedArchiver.archivedData(withRootObject: (0..<size).map { "string \($0 % 3)" })
    case .set: return try KeyedArchiver.archivedData(withRootObject: Set((0..<size).map { "string \($0)" }))
    case .dictionary:
      return try KeyedArchiver.archivedData(
        withRootObject: Dictionary(uniqueKeysWithValues: (0..<size).map { ("key \($0)", $0) }))
    case .classes:
      return try Self.handmade(count: size) { number in
        ["name": .string("object \(number)"), "$class": .uid(.init(UInt32(2 + size + number)))]
      }
    case .fields:
      return try Self.handmade(count: 1) { _ in
        GrowthShape.dictionary(size + 1) { number in
          number == 0 ? ("$class", .uid(.init(3))) : ("field \(number)", .integer(.init(number)))
        }
      }
    case .circle:
      return try Self.handmade(count: size + size % 2) { number in
        [
          "other": .uid(.init(UInt32(2 + number ^ 1))), "number": .integer(.init(number)),
          "$class": .uid(.init(UInt32(2 + size + size % 2 + number))),
        ]
      }
    case .nested:
      return try KeyedArchiver.archivedData(
        withRootObject: try (0...size / 10).map { try KeyedArchiver.archivedData(withRootObject: ["nested \($0)"]) })
    case .levels:
      return try KeyedArchiver.archivedData(
        withRootObject: try (0...size / 80).map { number in
          try (0..<8).reduce(Data("innermost \(number)".utf8)) { data, _ in
            try KeyedArchiver.archivedData(withRootObject: [data])
          }
        })
    }
  }

  static func notes(_ count: Int) -> [Note] {
    Notes.make(count: count) { Note(title: $0, text: $1, priority: $2, date: $3, tags: $4) }
  }

  /// Returns an archive of an array of objects. The objects have the UIDs from 2 on. After them comes a separate class
  /// for each object.
  private static func handmade(count: Int, _ object: (Int) -> PropertyList) throws -> Data {
    let array = UInt32(2 + 2 * count)
    var objects: [PropertyList] = [
      "$null", ["NS.objects": .array((0..<count).map { .uid(.init(UInt32(2 + $0))) }), "$class": .uid(.init(array))],
    ]
    objects += (0..<count).map(object)
    objects += (0..<count).map { number in
      ["$classname": .string("Class\(number)"), "$classes": [.string("Class\(number)"), "NSObject"]]
    }
    objects.append(["$classname": "NSArray", "$classes": ["NSArray", "NSObject"]])
    let archive: PropertyList = [
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(.init(1))],
      "$objects": .array(objects),
    ]
    return try archive.data(format: .binary)
  }
}

/// An object of a linked list.
final class Link: SecureCoding {
  static let archivedClass = ArchivedClass("Link")

  let name: String
  let next: Link?

  init(_ name: String, next: Link?) {
    self.name = name
    self.next = next
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(name, forKey: "name")
    try coder.encode(next, forKey: "next")
  }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    next = try coder.decodeIfPresent(Link.self, forKey: "next")
  }
}

/// The shapes of typedstreams.
enum GrowthStream: String, CaseIterable {
  case groups = "many groups"
  case strings = "an array of distinct strings"
  case equalStrings = "an array of equal strings"
  case dictionary = "a dictionary"
  case runs = "an attributed string of many runs"
  case classes = "a class for each object"
  case chains = "chains of 100 objects"

  func stream(_ size: Int) throws -> Typedstream {
    var builder = TypedstreamBuilder()
    switch self {
    case .groups:
      for number in 0..<size {
        try builder.beginGroup("i")
        try builder.append(number)
      }
      return try builder.finish()
    case .strings: return try Self.value(.array((0..<size).map { .string("string \($0)") }))
    case .equalStrings: return try Self.value(.array((0..<size).map { .string("string \($0 % 3)") }))
    case .dictionary:
      return try Self.value(
        .dictionary(.init(uniqueKeysWithValues: (0..<size).map { (.string("key \($0)"), .string("value \($0)")) })))
    case .runs:
      let runs = (0..<size).map {
        Archived.AttributedString.Run(length: 6, attributes: ["number": .integer(.init($0 % 100))])
      }
      return try Self.value(
        .object(try Archived.AttributedString(String(repeating: "words ", count: size), runs: runs)))
    case .classes:
      for number in 0..<size {
        try builder.beginGroup("@")
        _ = try builder.beginObject(TypedstreamClass("Class\(number)"))
        try builder.endObject()
      }
      return try builder.finish()
    case .chains:
      return try Self.value(
        .array(
          (0...size / 100).map { number in
            (0..<min(100, size)).reduce(ArchivedValue.string("end \(number)")) { inner, _ in .array([inner]) }
          }))
    }
  }

  private static func value(_ value: ArchivedValue) throws -> Typedstream {
    var builder = TypedstreamBuilder()
    try builder.beginGroup("@")
    try builder.append(value)
    return try builder.finish()
  }
}

/// A compiled nib with objects that each refer to the next one, with data and strings.
enum GrowthNib {
  static func archive(_ size: Int) throws -> NIBArchive {
    try NIBArchive(
      objects: (0..<size).map { number in
        .init(
          "Class\(number % 50)",
          [
            .init("next", .object((number + 1) % size)), .init("number", .int32(Int32(number))),
            .init("name", .data(Data("object \(number)".utf8))), .init("key\(number % 200)", .boolean(true)),
          ])
      })
  }
}

extension GrowthTable {
  /// Lines for the verbs of `archive`.
  static func archiveLines(of tool: GrowthTool) -> [GrowthLine] {
    var lines: [GrowthLine] = []
    let verbs = [
      ["check"], ["classes"], ["dot"], ["html"], ["json"], ["show"], ["check", "--unwrap"], ["classes", "--unwrap"],
      ["dot", "--unwrap"], ["json", "--unwrap"], ["show", "--unwrap"],
    ]
    for verb in verbs {
      for shape in GrowthArchive.allCases {
        let isNested = shape == .nested || shape == .levels
        if isNested != verb.contains("--unwrap"), verb != ["html"] { continue }
        lines.append(
          tool.line("archive \(verb.joined(separator: " "))", shape.rawValue) { size, folder in
            try shape.data(size).write(to: folder.appendingPathComponent("file"))
            return .init(["archive"] + verb + ["file"])
          })
      }
      if verb.count > 1 { continue }
      lines.append(
        tool.line("archive \(verb[0])", "a compiled nib") { size, folder in
          try GrowthNib.archive(size).data().write(to: folder.appendingPathComponent("file"))
          return .init(["archive"] + verb + ["file"])
        })
      for shape in [GrowthStream.strings, .runs] {
        lines.append(
          tool.line("archive \(verb[0])", "a typedstream, \(shape.rawValue)") { size, folder in
            try shape.stream(size).data().write(to: folder.appendingPathComponent("file"))
            return .init(["archive"] + verb + ["file"])
          })
      }
    }
    for shape in GrowthStream.allCases {
      lines.append(
        tool.line("archive groups", shape.rawValue) { size, folder in
          try shape.stream(size).data().write(to: folder.appendingPathComponent("file"))
          return .init(["archive", "groups", "file"])
        })
    }
    lines.append(
      tool.line("archive groups --unwrap", "typedstreams in data") { size, folder in
        let values = try (0..<size).map { PropertyList.data(try GrowthStream.strings.stream($0 % 5 + 1).data()) }
        try GrowthFormat.binary.data(.array(values)).write(to: folder.appendingPathComponent("file"))
        return .init(["archive", "groups", "--unwrap", "file"])
      })
    lines.append(
      tool.line("archive show --object", "an array of objects") { size, folder in
        try GrowthArchive.notes.data(size).write(to: folder.appendingPathComponent("file"))
        return .init(["archive", "show", "--object", "2", "file"])
      })
    for (name, verb, paths) in [
      (
        "get --unwrap -k …", ["get", "--unwrap"],
        { (size: Int) in (0...size / 10).flatMap { ["-k", "items.\($0).0"] } }
      ),
      ("get --unwrap", ["get", "--unwrap"], { (size: Int) in ["items.\(size / 10).0"] }),
      ("find --unwrap", ["find", "--unwrap"], { _ in [] }), ("print --unwrap", ["print", "--unwrap"], { _ in [] }),
    ] {
      lines.append(
        tool.line(name, "a property list of archives in data", greatest: 300_000) { size, folder in
          let archives = try (0...size / 10).map {
            PropertyList.data(try KeyedArchiver.archivedData(withRootObject: ["nested \($0)"]))
          }
          try GrowthFormat.binary.data(["items": .array(archives)]).write(to: folder.appendingPathComponent("file"))
          return .init(verb + paths(size) + ["file"])
        })
    }
    lines.append(
      tool.line("get --unwrap -k …", "an array of strings in an archive", greatest: 60_000) { size, folder in
        let archive = try KeyedArchiver.archivedData(withRootObject: (0..<size).map { "string \($0)" })
        try GrowthFormat.binary.data(["item": .data(archive)]).write(to: folder.appendingPathComponent("file"))
        return .init(["get", "--unwrap"] + (0..<size).flatMap { ["-k", "item.\($0)"] } + ["file"])
      })
    lines.append(
      tool.line("get --unwrap -k …", "a dictionary in an archive", greatest: 60_000) { size, folder in
        let archive = try KeyedArchiver.archivedData(
          withRootObject: Dictionary(uniqueKeysWithValues: (0..<size).map { ("key \($0)", $0) }))
        try GrowthFormat.binary.data(["item": .data(archive)]).write(to: folder.appendingPathComponent("file"))
        return .init(["get", "--unwrap"] + (0..<size).flatMap { ["-k", "item.key \($0)"] } + ["file"])
      })
    lines.append(
      tool.line("get --unwrap -k …", "an archive, an array of strings", greatest: 60_000) { size, folder in
        try GrowthArchive.strings.data(size).write(to: folder.appendingPathComponent("file"))
        return .init(["get", "--unwrap"] + (0..<size).flatMap { ["-k", "\($0)"] } + ["file"])
      })
    return lines
  }

  /// Lines for archivers, unarchivers, and views of archives.
  static var archiveLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    func add<T: SecureCoding>(
      _ shape: String, _ type: T.Type, isArchivedValue: Bool = true, _ value: @escaping (Int) throws -> T
    ) {
      lines.append(
        GrowthLine("KeyedArchiver", shape) { size, _ in
          let value = try value(size)
          return { keep(try KeyedArchiver.archivedData(withRootObject: value)) }
        })
      lines.append(
        GrowthLine("KeyedUnarchiver", shape) { size, _ in
          let data = try KeyedArchiver.archivedData(withRootObject: value(size))
          return { keep(try KeyedUnarchiver.unarchivedObject(of: type, from: data)) }
        })
      // An archived value decodes other classes only if they are allowed by name.
      guard isArchivedValue, type != [Note].self, type != [Link].self else { return }
      lines.append(
        GrowthLine("KeyedUnarchiver, ArchivedValue", shape) { size, _ in
          let data = try KeyedArchiver.archivedData(withRootObject: value(size))
          return { keep(try KeyedUnarchiver.unarchivedObject(of: ArchivedValue.self, from: data)) }
        })
    }
    add("objects", [Note].self) { GrowthArchive.notes($0) }
    add("distinct strings", [String].self) { size in (0..<size).map { "string \($0)" } }
    add("equal strings", [String].self) { size in (0..<size).map { "string \($0 % 3)" } }
    add("a dictionary", [String: Int].self) { size in .init(uniqueKeysWithValues: (0..<size).map { ("key \($0)", $0) })
    }
    add("a set of strings", Set<String>.self) { size in Set((0..<size).map { "string \($0)" }) }
    add("a set of integers", Set<Int>.self) { size in Set(0..<size) }
    add("sets in a set", Set<Set<Int>>.self) { size in Set((0..<size).map { [$0, $0 + 1, -$0] }) }
    add("a counted set", Archived.CountedSet<String>.self, isArchivedValue: false) { size in
      .init((0..<size * 2).map { "string \($0 / 2)" })
    }
    add("dates", [Date].self) { size in (0..<size).map { Date(timeIntervalSinceReferenceDate: Double($0)) } }
    add("arrays in an array", [[Int]].self) { size in (0..<size).map { [$0, 2, 3] } }
    add("equal arrays in an array", [[Int]].self) { size in
      let array = [1, 2, 3]
      return (0..<size).map { _ in array }
    }
    add("long data", Data.self) { size in Data(repeating: 7, count: size * 100) }
    add("an index set", Archived.IndexSet.self, isArchivedValue: false) { size in
      Archived.IndexSet((0..<size).map { $0 * 2 })!
    }
    add("URLs", [URL].self) { size in (0..<size).map { URL(string: "https://example.org/\($0)")! } }
    add("an attributed string", Archived.AttributedString.self, isArchivedValue: false) { size in
      try Archived.AttributedString(
        String(repeating: "words ", count: size),
        runs: (0..<size).map { .init(length: 6, attributes: ["number": .integer(.init($0))]) })
    }
    add("an attributed string of equal attributes", Archived.AttributedString.self, isArchivedValue: false) { size in
      try Archived.AttributedString(
        String(repeating: "words ", count: size),
        runs: (0..<size).map { .init(length: 6, attributes: ["number": .integer(.init($0 % 2))]) })
    }
    add("chains of 300 objects", [Link].self) { size in
      (0...size / 300).map { _ in (0..<300).reduce(Link("end", next: nil)) { Link("link \($1)", next: $0) } }
    }
    add("references to one object", [Link].self) { size in
      let link = Link("shared", next: nil)
      return (0..<size).map { _ in link }
    }
    lines.append(
      GrowthLine("KeyedArchiver", "keys of one object") { size, _ in
        let keys = (0..<size).map { "key \($0)" }
        return {
          let archiver = KeyedArchiver()
          for (number, key) in keys.enumerated() { try archiver.encode(number, forKey: key) }
          keep(try archiver.encodedData())
        }
      })
    lines.append(
      GrowthLine("KeyedUnarchiver", "keys of one object") { size, _ in
        let keys = (0..<size).map { "key \($0)" }
        let archiver = KeyedArchiver()
        for (number, key) in keys.enumerated() { try archiver.encode(number, forKey: key) }
        let data = try archiver.encodedData()
        return {
          let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
          for key in keys.reversed() { keep(try unarchiver.decode(Int.self, forKey: key)) }
        }
      })
    lines.append(
      GrowthLine("KeyedArchiver, Encodable", "an array of structures") { size, _ in
        let values = CodableGrowth.records(size)
        return {
          let archiver = KeyedArchiver()
          try archiver.encodeEncodable(values, forKey: "root")
          keep(try archiver.encodedData())
        }
      })
    lines.append(
      GrowthLine("KeyedUnarchiver, Decodable", "an array of structures") { size, _ in
        let archiver = KeyedArchiver()
        try archiver.encodeEncodable(CodableGrowth.records(size), forKey: "root")
        let data = try archiver.encodedData()
        return {
          keep(try KeyedUnarchiver(forReadingFrom: data).decodeDecodable([CodableGrowth.Record].self, forKey: "root"))
        }
      })

    for shape in GrowthArchive.allCases {
      func view(_ name: String, _ work: @escaping (KeyedArchive) throws -> Void) {
        lines.append(
          GrowthLine("KeyedArchive.\(name)", shape.rawValue) { size, _ in
            let data = try shape.data(size)
            return { try work(try KeyedArchive(data)) }
          })
      }
      view("check") { keep($0.check()) }
      view("classes") { keep(try $0.classes) }
      view("tree") { keep(try $0.tree()) }
      view("graph") { keep(try $0.graph()) }
      view("jsonData") { keep(try $0.jsonData()) }
      view("references") { keep(try $0.references()) }
      view("unwrapped") { keep(try $0.unwrapped()) }
      view("objects") { archive in
        for object in archive.objects { keep((object.kind, object.className, try object.fields.count)) }
      }
    }
    lines.append(
      GrowthLine("NIBArchive", "objects, read") { size, _ in
        let data = try GrowthNib.archive(size).data()
        return { keep(try NIBArchive(data)) }
      })
    lines.append(
      GrowthLine("NIBArchive", "objects, written") { size, _ in
        { keep(try GrowthNib.archive(size).data()) }
      })
    lines.append(
      GrowthLine("NIBArchive.keyedArchive", "objects") { size, _ in
        let archive = try GrowthNib.archive(size)
        return { keep(try archive.keyedArchive()) }
      })
    lines.append(
      GrowthLine("NIBArchive.check", "objects") { size, _ in
        let archive = try GrowthNib.archive(size)
        return { keep(archive.check()) }
      })
    return lines
  }

  static var typedstreamLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    for shape in GrowthStream.allCases {
      lines.append(
        GrowthLine("TypedstreamBuilder", shape.rawValue) { size, _ in
          { keep(try shape.stream(size)) }
        })
      func add(_ name: String, _ work: @escaping (Typedstream) throws -> Void) {
        lines.append(
          GrowthLine(name, shape.rawValue) { size, _ in
            let stream = try shape.stream(size)
            return { try work(stream) }
          })
      }
      lines.append(
        GrowthLine("Typedstream", shape.rawValue) { size, _ in
          let data = try shape.stream(size).data()
          return { keep(try Typedstream(data)) }
        })
      add("Typedstream.data") { keep($0.data()) }
      add("Typedstream.jsonData") { keep(try $0.jsonData(limits: ParsingLimits(expandedSize: .max))) }
      add("Typedstream.keyedArchive") { keep(try $0.keyedArchive()) }
      add("Typedstream.groups") { stream in
        for group in stream.groups { for value in group.values { keep(value) } }
      }
      // `ArchivedValue` has no case for groups of integers, and other classes must be allowed by name.
      if shape == .groups || shape == .classes { continue }
      add("TypedstreamUnarchiver, ArchivedValue") { stream in
        let unarchiver = TypedstreamUnarchiver(stream)
        for _ in stream.groups { keep(try unarchiver.decode(ArchivedValue.self)) }
      }
    }
    lines.append(
      GrowthLine("TypedstreamUnarchiver", "an array of distinct strings") { size, _ in
        let data = try GrowthStream.strings.stream(size).data()
        return { keep(try TypedstreamUnarchiver.unarchivedObject(of: [String].self, from: data)) }
      })
    lines.append(
      GrowthLine("TypedstreamUnarchiver", "a dictionary") { size, _ in
        let data = try GrowthStream.dictionary.stream(size).data()
        return { keep(try TypedstreamUnarchiver.unarchivedObject(of: [String: String].self, from: data)) }
      })
    lines.append(
      GrowthLine("MessageBody", "many runs") { size, _ in
        let data = try GrowthStream.runs.stream(size).data()
        return { keep(try MessageBody(data)) }
      })
    lines.append(
      GrowthLine("MessageBody.parts", "many runs") { size, _ in
        let body = try MessageBody(GrowthStream.runs.stream(size).data())
        return { for part in body.parts { keep(body.text(of: part)) } }
      })
    return lines
  }
}
