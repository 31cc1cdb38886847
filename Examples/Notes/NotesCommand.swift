import ArgumentParser
import FoundationEssentials

@main
struct NotesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notes",
    abstract: "Keeps notes in a keyed archive, a property list, a store of managed objects or a table of SQLite.",
    subcommands: [Add.self, Show.self, Edit.self, Remove.self, List.self])
}

struct FileOption: ParsableArguments {
  @Option(help: "Where the notes are. Without it, notes.archive, or notes with the ending of what --store asks for.")
  var file: String?

  @Option(
    help: ArgumentHelp(
      "What kind of file it is. Without it, that goes by the file's name.",
      discussion: """
        archive is a keyed archive (.archive, and any name that is not one of these), plist a property list (.plist); \
        xml, binary and sqlite are stores of managed objects (.xml, .store, .sqlite), and memory is one that is gone when \
        the command ends; table is a table of SQLite made by hand (.db).
        """))
  var store: NotebookKind?

  func validate() throws {
    if store == .memory, file != nil { throw ValidationError("A store in memory has no file: leave --file out.") }
  }

  var notebook: any Notebook {
    get throws {
      let url = URL(filePath: file ?? "notes.\((store ?? .archive).fileExtension)")
      return try (store ?? NotebookKind(nameOf: url)).open(url)
    }
  }
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
