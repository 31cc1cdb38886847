import ArgumentParser
import FoundationEssentials
import ManagedObjects
import ProgramFolders

@main
struct ContactsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts", abstract: "Keeps people and groups in a store of managed objects.",
    subcommands: [
      Browse.self, Add.self, Show.self, Edit.self, Remove.self, List.self, Find.self, GroupCommand.self,
      PictureCommand.self, Import.self,
    ], defaultSubcommand: Browse.self)
}

struct FileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the contacts. By default, contacts.store, or contacts with the extension for --store.",
      discussion: "Without a name, the file is in the user's folder for data: ~/.local/share/contacts on Linux."))
  var file: String?

  @Option(
    help: ArgumentHelp(
      "The kind of store. By default, the extension of the file decides.",
      discussion: """
        The extension .xml is for xml, .sqlite for sqlite, and any other for binary. A store in memory is lost when the \
        command ends.
        """))
  var store: BookKind?

  func validate() throws {
    if store == .memory, file != nil { throw ValidationError("A store in memory has no file: omit --file.") }
  }

  /// The address book in the file, which must exist.
  var book: AddressBook { get throws { try book(createsFile: false) } }

  /// The address book in the file. Creates the file if it does not exist.
  var bookOrNew: AddressBook { get throws { try book(createsFile: true) } }

  /// The name of the file, without its folder.
  var name: String { store == .memory ? "contacts" : file.map { URL(filePath: $0).lastPathComponent } ?? defaultName }

  private var defaultName: String { "contacts.\((store ?? .binary).fileExtension)" }

  /// Returns the file with the given name, or the one in the user's folder for data.
  ///
  /// - Parameter create: True to create that folder if it does not exist.
  private func url(create: Bool) throws -> URL {
    if let file { return URL(filePath: file) }
    if store == .memory { return URL(filePath: defaultName) }
    let folders = try StandardFolders.current.forProgram("contacts")
    return try folders.url(forFile: defaultName, in: .applicationSupport, create: create)
  }

  private func book(createsFile: Bool) throws -> AddressBook {
    let url = try url(create: createsFile)
    return try ContactsError.explaining {
      try AddressBook(store ?? BookKind(nameOf: url), url, createsFile: createsFile)
    }
  }
}

/// The argument that identifies a person.
struct PersonArgument: ParsableArguments {
  @Argument(help: "The e-mail address, or the beginnings of words of the name: ada love.") var person: String
}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds a person.")

  @OptionGroup var file: FileOption
  @Argument var firstName: String
  @Argument var lastName: String
  @Option var email: String?
  @Option(help: "The date, such as 1815-12-10.") var birthday: Day?
  @Option var notes: String?
  @Option(help: "A group of the person. Can be given several times.") var group: [String] = []

  func run() throws {
    try file.bookOrNew.change { context in
      let edit = PersonEdit(
        firstName: firstName, lastName: lastName, email: email, birthday: birthday, notes: notes, groups: group)
      try edit.apply(to: context.insert(Person.self), in: context)
    }
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints all values of a person.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument

  func run() throws {
    let lines = try file.book.read { context in try context.person(argument.person).details }
    for line in lines { print(line) }
  }
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes the given values of a person. An empty text removes a value.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument
  @Option var firstName: String?
  @Option var lastName: String?
  @Option var email: String?
  @Option(help: "The date, such as 1815-12-10.") var birthday: String?
  @Option var notes: String?

  func run() throws {
    let day = try birthday.map { $0.isEmpty ? nil : try Day($0) }
    let edit = PersonEdit(firstName: firstName, lastName: lastName, email: email, birthday: day, notes: notes)
    try file.book.change { context in try edit.apply(to: context.person(argument.person), in: context) }
  }
}

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Removes a person.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument

  func run() throws {
    try file.book.change { context in try context.delete(context.person(argument.person)) }
  }
}
