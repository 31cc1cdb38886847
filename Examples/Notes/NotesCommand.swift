import ArgumentParser
import FoundationEssentials
import ProgramFolders

@main
struct NotesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notes",
    abstract: "Keeps notes in a keyed archive, a property list, a store of managed objects or an SQLite table.",
    subcommands: [Add.self, Show.self, Edit.self, Remove.self, List.self])
}

struct FileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the notes. By default, notes.archive, or notes with the extension for --store.",
      discussion: "Without a name, the file is in the user's folder for data: ~/.local/share/notes on Linux."))
  var file: String?

  @Option(
    help: ArgumentHelp(
      "The kind of file. By default, the extension of the file decides.",
      discussion: """
        archive is a keyed archive (.archive and all other extensions), and plist a property list (.plist); xml, binary \
        and sqlite are stores of managed objects (.xml, .store, .sqlite), and memory is one that is lost when the \
        command ends; table is an SQLite table with hand-written SQL (.db).
        """))
  var store: NotebookKind?

  func validate() throws {
    if store == .memory, file != nil { throw ValidationError("A store in memory has no file: omit --file.") }
  }

  var notebook: any Notebook {
    get throws {
      if store == .memory { return try NotebookKind.memory.open(URL(filePath: "notes")) }
      let url = try file.map { URL(filePath: $0) } ?? defaultFile
      return try (store ?? NotebookKind(nameOf: url)).open(url)
    }
  }

  /// The file in the user's folder for data. Creates the folder if it does not exist.
  private var defaultFile: URL {
    get throws {
      let folders = try StandardFolders.current.forProgram("notes")
      return try folders.url(
        forFile: "notes.\((store ?? .archive).fileExtension)", in: .applicationSupport, create: true)
    }
  }
}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds a note under a new key.")

  @OptionGroup var file: FileOption
  @Argument(help: "The key of the note.") var key: String
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
  static let configuration = CommandConfiguration(abstract: "Prints the note with a key.")

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
  static let configuration = CommandConfiguration(abstract: "Changes the given values of a note.")

  @OptionGroup var file: FileOption
  @Argument var key: String
  @Option var title: String?
  @Option var author: String?
  @Option var text: String?
  @Option(help: "The new tags, instead of the old ones.") var tag: [String] = []
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
  static let configuration = CommandConfiguration(abstract: "Removes the note with a key.")

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
  /// The current time without a fraction of a second, which XML property lists cannot represent.
  static var thisSecond: Date {
    Date(timeIntervalSinceReferenceDate: Date.now.timeIntervalSinceReferenceDate.rounded(.down))
  }
}
