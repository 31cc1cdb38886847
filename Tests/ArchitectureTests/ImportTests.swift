import Foundation
import Testing

/// Which target may import which, and which folder of a target may use which.
@Suite("Imports and folders") struct ImportTests {
  /// The layer of each target. A target imports no target of a higher layer.
  static let floors = [
    "CLibXML2": 0, "CSQLite": 0, "CZlib": 0, "SystemFiles": 0, "SharedFiles": 0,
    "SQLiteAccess": 1,
    "PropertyLists": 1, "PropertyListTools": 1, "ProgramFolders": 1,
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
    var homes: [Int: Set<String>] = [:]
    var words: [String: Set<Int>] = [:]
    var nested: [String: Set<Int>] = [:]
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
  private(set) var topLevelTypes: Set<Int> = []
  /// The names of nested types and of cases.
  private(set) var nestedNames: Set<Int> = []
  /// All capitalized words of the code, except members of types.
  private(set) var words: Set<Int> = []

  /// A word in a line. Words are compared by their hashes, because making strings of all words takes seconds.
  private struct Word {
    let hash: Int
    let range: Range<Int>
    let isCapitalized: Bool

    init(_ line: UnsafePointer<UInt8>, _ range: Range<Int>) {
      hash = Self.digest(UnsafeRawBufferPointer(start: line + range.lowerBound, count: range.count))
      self.range = range
      let first = line[range.lowerBound]
      isCapitalized = first >= 0x41 && first <= 0x5A
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer) -> Int {
      var hasher = Hasher()
      hasher.combine(bytes: bytes)
      return hasher.finalize()
    }

    static func digest(_ word: String) -> Int { Array(word.utf8).withUnsafeBytes { digest($0) } }
  }

  private static let typeWords = Set(
    ["struct", "enum", "class", "protocol", "actor", "typealias"].map { Word.digest($0) })

  init(_ text: Data, folder: String) {
    self.folder = folder
    text.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      if let start = bytes.baseAddress { read(start, bytes.count) }
    }
  }

  private mutating func read(_ text: UnsafePointer<UInt8>, _ count: Int) {
    let (importWord, endWord, caseWord) = (Word.digest("import"), Word.digest("endif"), Word.digest("case"))
    let typeWords = Self.typeWords
    let space = UInt8(ascii: " ")
    var words: [Word] = []
    var isInText = false
    var isConditional = false
    var next = 0
    while next < count {
      let line = text + next
      let length = Self.firstIndex(of: UInt8(ascii: "\n"), in: line, count - next) ?? count - next
      next += length + 1
      if Self.hasTextMark(line, length) { isInText.toggle() }
      if isInText || length == 0 { continue }
      var indentation = 0
      while indentation < length, line[indentation] == space { indentation += 1 }
      words.removeAll(keepingCapacity: true)
      Self.read(line, from: indentation, to: length, into: &words)
      // Code inside a conditional compilation block is indented.
      if line[0] == UInt8(ascii: "#") { isConditional = words.first?.hash != endWord }
      let isTopLevel = indentation <= (isConditional ? 2 : 0)
      var last: Int?
      for word in words {
        if word.isCapitalized { self.words.insert(word.hash) }
        if let last {
          if typeWords.contains(last) {
            if isTopLevel { topLevelTypes.insert(word.hash) } else { nestedNames.insert(word.hash) }
          } else if last == caseWord {
            nestedNames.insert(word.hash)
          } else if last == importWord, isTopLevel {
            let name = UnsafeBufferPointer(start: line + word.range.lowerBound, count: word.range.count)
            imports.insert(String(decoding: name, as: UTF8.self))
          }
        }
        last = word.hash
      }
    }
  }

  private static func firstIndex(of byte: UInt8, in text: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    guard let found = memchr(text, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(text).distance(to: UnsafeRawPointer(found))
  }

  /// True if a line has the quotation marks around a multi-line string.
  private static func hasTextMark(_ line: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let mark = UInt8(ascii: "\"")
    var start = 0
    while start + 2 < count, let index = firstIndex(of: mark, in: line + start, count - start - 2) {
      start += index + 1
      if line[start] == mark, line[start + 1] == mark { return true }
    }
    return false
  }

  /// Reads the words of a line, without its comment and its string literals.
  private static func read(_ line: UnsafePointer<UInt8>, from start: Int, to end: Int, into words: inout [Word]) {
    let (quote, slash, backslash, period) = (
      UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: ".")
    )
    var first = -1
    var isQuoted = false
    var last: UInt8 = 0
    var index = start
    while index < end {
      let byte = line[index]
      if byte == quote, last != backslash { isQuoted.toggle() }
      if byte == slash, last == slash, !isQuoted { return }
      if !isQuoted, isPartOfWord(byte) {
        // The period before a member is part of the word.
        if first < 0 { first = last == period ? index - 1 : index }
      } else if first >= 0 {
        words.append(Word(line, first..<index))
        first = -1
      }
      last = byte
      index += 1
    }
    if first >= 0 { words.append(Word(line, first..<end)) }
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    // a–z, A–Z, 0–9, _, and characters outside ASCII. Ranges would be slow in a debug build.
    byte >= 0x61 && byte <= 0x7A || byte >= 0x41 && byte <= 0x5A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F
      || byte >= 0x80
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
      let text = try Data(contentsOf: folder.appendingPathComponent(path))
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
