import Foundation
import PropertyListTools
import PropertyLists
import TestSupport
import Testing

/// The tool under the name `PlistBuddy`, in a folder with a few files.
struct BuddyTool {
  let folder = TemporaryFolder()
  private let link: URL
  let environment: [String: String]

  /// - Parameter files: the names and contents of the files.
  init(_ files: [String: String] = BuddyFiles.files, zone: String = "UTC") throws {
    environment = ["TZ": zone]
    let links = folder.path("bin")
    try FileManager.default.createDirectory(atPath: links, withIntermediateDirectories: false)
    link = URL(filePath: links + "/PlistBuddy")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Tool.executable)
    for (name, content) in files { try Data(content.utf8).write(to: url(name)) }
  }

  func url(_ name: String) -> URL { URL(filePath: folder.path(name)) }

  func text(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

  func value(_ name: String) throws -> PropertyList { try PropertyList(contentsOf: url(name)) }

  /// Runs the tool in the folder of the files.
  @discardableResult
  func callAsFunction(_ arguments: String..., input: Data = Data()) throws -> Program {
    try callAsFunction(arguments, input: input)
  }

  @discardableResult
  func callAsFunction(_ arguments: [String], input: Data = Data()) throws -> Program {
    try Program.run(link, arguments, input: input, environment: environment, in: folder.url)
  }

  /// Types lines at the prompt.
  @discardableResult
  func type(_ lines: String..., to file: String = "a.plist") throws -> Program {
    try callAsFunction([file], input: Data(lines.map { $0 + "\n" }.joined().utf8))
  }
}

/// The files before a run.
enum BuddyFiles {
  static func xml(_ body: String) -> String { PlutilFiles.xml(body) }

  /// A value of each type.
  static let all = xml(
    """
    <dict>
    \t<key>s</key> <string>text</string>
    \t<!-- Counts builds. -->
    \t<key>n</key> <integer>42</integer>
    \t<key>r</key> <real>3.14</real>
    \t<key>b</key> <true/>
    \t<key>d</key> <data>QUJD</data>
    \t<key>t</key> <date>2024-01-01T00:00:00Z</date>
    \t<key>list</key>
    \t<array>
    \t\t<string>x</string>
    \t\t<string>y</string>
    \t</array>
    \t<key>dict</key>
    \t<dict>
    \t\t<key>k</key> <string>v</string>
    \t</dict>
    </dict>
    """)

  static let files = [
    "a.plist": all, "list.plist": xml("<array>\n\t<string>a</string>\n\t<string>b</string>\n</array>"),
    "word.plist": xml("<string>text</string>"), "empty.plist": xml("<dict/>"),
    "more.plist": xml(
      """
      <dict>
      \t<key>s</key>
      \t<string>other</string>
      \t<key>new</key>
      \t<integer>1</integer>
      \t<key>list</key>
      \t<array>
      \t\t<string>z</string>
      \t</array>
      </dict>
      """),
    "keys.plist": xml(
      """
      <dict>
      \t<key>a b</key>
      \t<string>blank</string>
      \t<key>a:b</key>
      \t<string>colon</string>
      \t<key></key>
      \t<string>nothing</string>
      \t<key>0</key>
      \t<string>digit</string>
      </dict>
      """),
    "blob": "ABC", "digits": "17\n",
  ]
}

/// A run, and its result.
struct BuddyCase: CustomTestStringConvertible, Sendable {
  let arguments: [String]
  let output: String
  let errors: String
  let status: Int32
  /// The differences of the new and changed files.
  let changes: [String]

  var testDescription: String { arguments.joined(separator: " ") }

  /// A run of commands on `a.plist`.
  init(
    _ commands: String..., in file: String = "a.plist", output: String = "", errors: String = "", status: Int32? = nil,
    changes: String...
  ) {
    arguments = commands.flatMap { ["-c", $0] } + [file]
    self.output = output
    self.errors = errors
    self.status = status ?? (errors.isEmpty ? 0 : 1)
    self.changes = changes
  }

  /// A run with these arguments.
  init(arguments: [String], output: String = "", errors: String = "", status: Int32? = nil, changes: String...) {
    self.arguments = arguments
    self.output = output
    self.errors = errors
    self.status = status ?? (errors.isEmpty ? 0 : 1)
    self.changes = changes
  }

  /// The differences of all files after a run.
  static func changes(in tool: BuddyTool) throws -> [String] {
    var changes: [String] = []
    for name in tool.folder.names where name != "bin" {
      let before = BuddyFiles.files[name].map { Data($0.utf8) }
      let after = try Data(contentsOf: tool.url(name))
      guard after != before else { continue }
      let old = try before.map { try PropertyList($0) } ?? [:]
      let new = try PropertyList(after)
      let differences = PropertyListDifference(from: old, to: new).changes.map { "\($0)" }
      changes += differences.isEmpty ? ["+ \(name)"] : differences
    }
    return changes
  }
}
