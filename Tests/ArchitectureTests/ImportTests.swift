import Foundation
import Testing

/// Which target may import which, and which folder of a target may use which.
@Suite("Imports and folders") struct ImportTests {
  /// The layer of each target. A target imports no target of a higher layer.
  static let floors = [
    "CLibXML2": 0, "CSQLite": 0, "CZlib": 0, "SystemFiles": 0, "SharedFiles": 0,
    "PropertyLists": 1, "PropertyListTools": 1,
    "KeyedArchiving": 2, "KeyedArchivingFoundation": 2, "Typedstreams": 2, "Nibs": 2, "ArchiveViews": 2,
    "Preferences": 3,
    "Predicates": 4, "ObjectModels": 4, "ManagedObjects": 4,
    "SQLQueries": 5, "SQLiteStore": 5, "StoreInspection": 5, "StoreTests": 5,
    "ToolSupport": 6, "BrowsingPages": 6, "StorePages": 6, "plistutil": 6, "storeutil": 6,
  ]

  @Test func `each target has a layer`() throws {
    #expect(try Set(SourceFolder.targets()) == Set(Self.floors.keys))
  }

  @Test func `no target imports a target of a higher layer, or itself through others`() throws {
    var graph: [String: Set<String>] = [:]
    for target in try SourceFolder.targets() {
      let imported = try SourceFolder.files(of: target).reduce(into: Set<String>()) { $0.formUnion($1.imports) }
      graph[target] = imported.intersection(Self.floors.keys)
      let floor = try #require(Self.floors[target])
      for other in imported where Self.floors[other, default: 0] > floor {
        Issue.record("\(target) is on floor \(floor) and imports \(other)")
      }
    }
    #expect(Circles.find(in: graph) == [])
  }

  @Test func `only the target named for it imports full Foundation`() throws {
    let targets = try SourceFolder.targets().filter { target in
      try SourceFolder.files(of: target).contains { $0.imports.contains("Foundation") }
    }
    #expect(targets == ["KeyedArchivingFoundation"])
  }

  @Test(arguments: ["CLibXML2", "CSQLite", "CZlib"])
  func `each C library is imported by only one target`(_ library: String) throws {
    let targets = try SourceFolder.targets().filter { target in
      try SourceFolder.files(of: target).contains { $0.imports.contains(library) }
    }
    #expect(targets.count == 1)
  }

  @Test func `no two folders of a target use each other`() throws {
    for target in try SourceFolder.targets() {
      #expect(Circles.find(in: try Self.uses(of: target)) == [], "\(target)")
    }
  }

  /// For each folder of a target, the folders whose top-level types it names. Types that are declared in two folders,
  /// or that have the name of a nested type or a case in the folder, are left out.
  private static func uses(of target: String) throws -> [String: Set<String>] {
    var homes: [String: Set<String>] = [:]
    var words: [String: Set<String>] = [:]
    var nested: [String: Set<String>] = [:]
    for file in try SourceFolder.files(of: target) {
      for type in file.topLevelTypes { homes[type, default: []].insert(file.folder) }
      words[file.folder, default: []].formUnion(file.words)
      nested[file.folder, default: []].formUnion(file.nestedNames)
    }
    var uses: [String: Set<String>] = [:]
    for (folder, words) in words {
      for word in words.subtracting(nested[folder] ?? []) {
        guard let home = homes[word], home.count == 1, !home.contains(folder) else { continue }
        uses[folder, default: []].formUnion(home)
      }
    }
    return uses
  }
}

/// The imports and the types of a source file.
private struct SourceFile {
  let folder: String
  private(set) var imports: Set<String> = []
  private(set) var topLevelTypes: Set<String> = []
  /// The names of nested types and of cases.
  private(set) var nestedNames: Set<String> = []
  /// All capitalized words of the code, except members of types.
  private(set) var words: Set<String> = []

  private static let typeWords: Set = ["struct", "enum", "class", "protocol", "actor", "typealias"]

  init(_ text: String, folder: String) {
    self.folder = folder
    // The quotation marks around a multi-line string.
    let textMark = Array("\"\"\"".utf8)
    var isInText = false
    var isConditional = false
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.contains(textMark) { isInText.toggle() }
      if isInText { continue }
      let words = Self.words(of: line)
      // Code inside a conditional compilation block is indented.
      if line.first == UInt8(ascii: "#") { isConditional = words.first != "endif" }
      let isTopLevel = line.prefix { $0 == UInt8(ascii: " ") }.count <= (isConditional ? 2 : 0)
      if let keyword = words.firstIndex(of: "import"), isTopLevel, keyword + 1 < words.count {
        imports.insert(words[keyword + 1])
      }
      for (word, next) in zip(words, words.dropFirst()) {
        if Self.typeWords.contains(word) {
          if isTopLevel { topLevelTypes.insert(next) } else { nestedNames.insert(next) }
        } else if word == "case" {
          nestedNames.insert(next)
        }
      }
      self.words.formUnion(words.filter { $0.first?.isUppercase == true })
    }
  }

  /// The words of a line, without its comment and its string literals.
  private static func words(of line: Substring.UTF8View) -> [String] {
    var words: [String] = []
    var start: Substring.UTF8View.Index?
    var isQuoted = false
    var last: UInt8 = 0
    for (index, byte) in zip(line.indices, line) {
      if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { isQuoted.toggle() }
      if byte == UInt8(ascii: "/"), last == byte, !isQuoted { return words }
      last = byte
      if !isQuoted, isPartOfWord(byte) {
        start = start ?? index
      } else if let first = start {
        words.append(word(line, first..<index))
        start = nil
      }
    }
    if let start { words.append(word(line, start..<line.endIndex)) }
    return words
  }

  /// A word, including the period before it if it is a member.
  private static func word(_ line: Substring.UTF8View, _ range: Range<Substring.UTF8View.Index>) -> String {
    let isMember = range.lowerBound > line.startIndex && line[line.index(before: range.lowerBound)] == UInt8(ascii: ".")
    return (isMember ? "." : "") + String(line[range])!
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}

private enum SourceFolder {
  /// The files of each target, read once.
  private static let all = Result {
    try FileManager.default.contentsOfDirectory(atPath: root.path).filter { !$0.hasPrefix(".") }
      .reduce(into: [String: [SourceFile]]()) { $0[$1] = try read($1) }
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  static func targets() throws -> [String] { try all.get().keys.sorted() }

  static func files(of target: String) throws -> [SourceFile] { try all.get()[target] ?? [] }

  private static func read(_ target: String) throws -> [SourceFile] {
    let folder = root.appendingPathComponent(target)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    return try paths.sorted().map { path in
      let parts = path.split(separator: "/")
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      return SourceFile(text, folder: parts.count > 1 ? String(parts[0]) : ".")
    }
  }
}

/// Circles of a graph.
private enum Circles {
  /// The nodes that can be reached from themselves, grouped by circle, in order.
  static func find(in graph: [String: Set<String>]) -> [[String]] {
    var reached: [String: Set<String>] = [:]
    for node in graph.keys {
      var seen: Set<String> = []
      var waiting = Array(graph[node] ?? [])
      while let next = waiting.popLast() {
        if seen.insert(next).inserted { waiting += graph[next] ?? [] }
      }
      reached[node] = seen
    }
    var circles: Set<[String]> = []
    for (node, others) in reached where others.contains(node) {
      circles.insert(others.filter { reached[$0]?.contains(node) == true }.sorted())
    }
    return circles.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
