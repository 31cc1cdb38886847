import Foundation
import TestSupport
import Testing

/// A command line of another tool, as `Fixtures/compatibility` has it.
struct CompatibilityRun: Decodable, Hashable, Sendable, CustomTestStringConvertible {
  /// What comes of it. Nil is what no document about the original tells, or what is not compared.
  struct Expectation: Decodable, Hashable, Sendable {
    var output: Lines?
    var exit: Int32?
    /// Words that are on standard error, which is empty if there are none.
    var errors: [String]?
    /// The files that are new or changed, or null for one that is gone.
    var after: [String: Lines?]?

    /// This, and what `other` has where this has nothing.
    func completed(with other: Expectation) -> Expectation {
      Expectation(
        output: output ?? other.output, exit: exit ?? other.exit, errors: errors ?? other.errors,
        after: after ?? other.after)
    }
  }

  /// How a run ended.
  struct Outcome {
    var output: String
    var errors: String
    var status: Int32
    var after: [String: String?]
  }

  let arguments: [String]
  /// The name that the program is started by, if that is not the one of the tool.
  let name: String?
  /// The files there are: `a.plist`, or `a.plist>b.plist` for a copy with another name.
  let files: [String]
  /// The file that is standard input.
  let input: String?
  let environment: [String: String]
  let original: Expectation
  /// The row of the document that says what is different here.
  let row: String?
  /// What is different here.
  let here: Expectation?
  /// The row that says what is different in the `plutil` of the Swift toolchain.
  let toolchain: String?
  /// The tool that it is for: the name of its file.
  fileprivate(set) var tool = ""

  private enum CodingKeys: String, CodingKey { case run, `as`, files, input, environment, row, here, toolchain }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    arguments = try container.decode([String].self, forKey: .run)
    name = try container.decodeIfPresent(String.self, forKey: .as)
    files = try container.decodeIfPresent([String].self, forKey: .files) ?? []
    input = try container.decodeIfPresent(String.self, forKey: .input)
    environment = try container.decodeIfPresent([String: String].self, forKey: .environment) ?? [:]
    original = try Expectation(from: decoder)
    row = try container.decodeIfPresent(String.self, forKey: .row)
    here = try container.decodeIfPresent(Expectation.self, forKey: .here)
    toolchain = try container.decodeIfPresent(String.self, forKey: .toolchain)
  }

  var testDescription: String { ([name ?? tool] + arguments).joined(separator: " ") }
}

extension CompatibilityRun {
  static let tools = ["plutil", "libplist", "defaults"]

  static let all = tools.flatMap { runs(of: $0) }

  static func runs(of tool: String) -> [CompatibilityRun] {
    suites[tool]!.runs.map { run in
      var run = run
      run.tool = tool
      return run
    }
  }

  private static let suites = Dictionary(
    uniqueKeysWithValues: tools.map { tool in
      (tool, try! JSONDecoder().decode(Suite.self, from: Fixtures.data("compatibility/\(tool).json")))
    })

  private struct Suite: Decodable {
    let files: [String: Content]
    let runs: [CompatibilityRun]
  }

  /// Runs a program in a folder with the files, under the name of the tool.
  func outcome(of executable: URL) throws -> Outcome {
    let contents = Self.suites[tool]!.files
    let (folder, links) = (TemporaryFolder(), TemporaryFolder())
    var before: [String: Data] = [:]
    for file in files {
      let names = file.split(separator: ">").map(String.init)
      let url = URL(filePath: folder.path(names[names.count - 1]))
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      before[names[names.count - 1]] = contents[names[0]]!.data
      try contents[names[0]]!.data.write(to: url)
    }
    let link = links.path(name ?? (tool == "libplist" ? "plistutil" : tool))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: executable.path)
    let homes = [
      "XDG_CONFIG_HOME": folder.path("config"), "HOME": folder.path("home"), "XDG_CONFIG_DIRS": folder.path("none"),
    ]
    let program = try Program.run(
      URL(filePath: "/bin/sh"), ["-c", #"cd "$0" && exec "$@""#, folder.url.path, link] + arguments,
      input: input.map { contents[$0]!.data } ?? Data(), environment: homes.merging(environment) { $1 })
    var after: [String: String?] = before.mapValues { _ in nil }
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
      guard let data = FileManager.default.contents(atPath: folder.path(name)) else { continue }
      // A file that is set aside has the time in its name.
      let name = name.replacing(/unreadable-\w+/, with: "unreadable-TIME")
      after[name] = data == before[name] ? nil : .some(try Self.text(data))
    }
    return Outcome(
      output: try Self.text(program.output), errors: program.errors, status: program.wasKilled ? -1 : program.status,
      after: after)
  }

  /// Text as it is, and of a binary property list the XML that the tool makes of it.
  private static func text(_ data: Data) throws -> String {
    guard data.starts(with: Data("bplist00".utf8)) else { return String(decoding: data, as: UTF8.self) }
    return "binary: " + (try Tool.run("-f", "xml", input: data).text)
  }
}

/// Text, on one line or on many.
struct Lines: Decodable, Hashable, Sendable {
  let text: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try (try? container.decode(String.self)) ?? container.decode([String].self).joined(separator: "\n")
  }
}

/// What is in a file: text, or bytes.
private struct Content: Decodable {
  let data: Data

  private struct Bytes: Decodable {
    let base64: Data
  }

  init(from decoder: any Decoder) throws {
    data = try (try? Bytes(from: decoder).base64) ?? Data(Lines(from: decoder).text.utf8)
  }
}
