import Foundation
import PropertyLists
import TestSupport

/// A file in its own folder, for verbs that read or edit it.
final class SampleFile {
  let folder = TemporaryFolder()
  let path: String

  init(_ text: String, name: String = "a.plist") throws {
    path = folder.path(name)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  init(_ value: PropertyList, format: PropertyListFormat) throws {
    path = folder.path("a.plist")
    try value.write(to: URL(filePath: path), format: format, options: PropertyListWritingOptions(coercion: .reversible))
  }

  var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

  var value: PropertyList { get throws { try PropertyList(contentsOf: URL(filePath: path)) } }

  /// Runs the tool; `@` stands for the path of the file.
  func run(_ arguments: [String], input: Data = Data()) throws -> Program {
    try Tool.run(arguments.map { $0 == "@" ? path : $0 }, input: input)
  }
}

/// A file with every kind of XML value, in an unusual layout.
let sampleText = """
  <?xml version="1.0" encoding="UTF-8"?>
  <plist version="1.0">
  <!-- A comment. -->
  <dict>
    <key>name</key> <string>Notes &amp; more</string>
    <key>items</key>
    <array>
      <integer>1</integer>
      <dict><key>tag</key><string>x</string></dict>
      <real>2</real>
    </array>
    <key>a.b/c:d</key> <true/> <!-- Hard to reach. -->
    <key>when</key> <date>2020-01-02T03:04:05Z</date>
    <key>bytes</key> <data>AAEC</data>
    <key></key> <integer>-7</integer>
  </dict>
  </plist>

  """
