import ArgumentParser
import FoundationEssentials
import PropertyLists
import ToolSupport

struct GitTextconv: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "textconv",
    abstract: "Print a file as text that git can compare.",
    discussion: """
      A binary property list is printed as by print, UTF-8 text as it is, and UTF-16 text as UTF-8. A binary file that \
      cannot be read is printed as it is.

      Example: plistutil git textconv Info.plist
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
  var file: String

  func run() throws {
    let input = Input(file)
    try telling(about: input.name) { () throws(PropertyListError) in
      let data = try input.data()
      try output(Self.text(of: data))
    }
  }

  private static func text(of data: Data) -> Data {
    guard PropertyListFormat(detecting: data.bytes) == .binary else {
      let source = TextSource(lenient: data, nil)
      return source.map { $0.unitWidth == 1 ? data : $0.text } ?? data
    }
    return (try? PropertyListDocument(data).root.readableForm()) ?? data
  }
}
