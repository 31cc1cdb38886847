import ArgumentParser
import FoundationEssentials

@main
struct NotesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notes",
    abstract: "Keeps notes in a property list, in a keyed archive, or in a store of managed objects.",
    subcommands: [Add.self, Show.self, Edit.self, Remove.self, List.self])
}

struct FileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the notes are. What kind of file it is goes by its name.",
      discussion: """
        .plist is a property list, .xml a store of managed objects in XML, .store one in binary, .sqlite one in SQLite; \
        any other name is that of a keyed archive.
        """))
  var file = "notes.archive"

  var notebook: any Notebook { get throws { try openNotebook(URL(filePath: file)) } }
}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds a note under a new key.")

  @OptionGroup var file: FileOption
  @Argument(help: "What to find the note by.") var key: String
  @Argument var title: String
  @Option var author = ""
  @Option var text = ""
  @Option(help: "Can be given several times.") var tag: [String] = []

  func run() throws {
    var notebook = try file.notebook
    let note = Note(title: title, author: author, text: text, changed: .thisSecond, isPublished: false, tags: tag)
    try notebook.add(note, forKey: key)
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints the note of a key.")

  @OptionGroup var file: FileOption
  @Argument var key: String

  func run() throws {
    let note = try file.notebook.note(key)
    print(note.title + (note.isPublished ? " (published)" : ""))
    print("by \(note.author), changed \(note.changed.ISO8601Format())")
    if !note.tags.isEmpty { print("tags: " + note.tags.joined(separator: ", ")) }
    print(note.text)
  }
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Changes what is given, and leaves the rest.")

  @OptionGroup var file: FileOption
  @Argument var key: String
  @Option var title: String?
  @Option var author: String?
  @Option var text: String?
  @Option(help: "The tags from now on.") var tag: [String] = []
  @Flag(inversion: .prefixedNo) var published: Bool?

  func run() throws {
    var notebook = try file.notebook
    try notebook.change(key) { note in
      note.title = title ?? note.title
      note.author = author ?? note.author
      note.text = text ?? note.text
      if !tag.isEmpty { note.tags = tag }
      note.isPublished = published ?? note.isPublished
      note.changed = .thisSecond
    }
  }
}

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Removes the note of a key.")

  @OptionGroup var file: FileOption
  @Argument var key: String

  func run() throws {
    var notebook = try file.notebook
    try notebook.remove(key)
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints the key and the title of each note.")

  @OptionGroup var file: FileOption

  func run() throws {
    for (key, title) in try file.notebook.titles() { print("\(key)\t\(title)") }
  }
}

extension Date {
  /// Now, to the second: XML property lists have no fractions of one.
  static var thisSecond: Date {
    Date(timeIntervalSinceReferenceDate: Date.now.timeIntervalSinceReferenceDate.rounded(.down))
  }
}
