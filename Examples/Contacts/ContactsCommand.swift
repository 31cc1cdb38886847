import ArgumentParser
import FoundationEssentials
import ManagedObjects

@main
struct ContactsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts", abstract: "Keeps persons and groups in a store of managed objects.",
    subcommands: [
      Add.self, Show.self, Edit.self, Remove.self, List.self, Find.self, GroupCommand.self, PictureCommand.self,
      Import.self,
    ])
}

struct FileOption: ParsableArguments {
  @Option(
    help: "Where the contacts are. Without it, contacts.store, or contacts with the ending of what --store asks for.")
  var file: String?

  @Option(
    help: ArgumentHelp(
      "What kind of store it is. Without it, that goes by the file's name.",
      discussion: """
        xml if the name ends with .xml, sqlite with .sqlite, else binary. A store in memory is gone when the command ends.
        """))
  var store: BookKind?

  func validate() throws {
    if store == .memory, file != nil { throw ValidationError("A store in memory has no file: leave --file out.") }
  }

  /// The book of the file, which has to be there.
  var book: AddressBook { get throws { try book(createsFile: false) } }

  /// The book of the file, which is made if it is not there yet.
  var bookOrNew: AddressBook { get throws { try book(createsFile: true) } }

  private func book(createsFile: Bool) throws -> AddressBook {
    let url = URL(filePath: file ?? "contacts.\((store ?? .binary).fileExtension)")
    return try ContactsError.explaining {
      try AddressBook(store ?? BookKind(nameOf: url), url, createsFile: createsFile)
    }
  }
}

/// A command takes a person by anything that names only one.
struct PersonArgument: ParsableArguments {
  @Argument(help: "The e-mail address, or how words of the name begin: ada love.") var person: String
}

struct Add: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds a person.")

  @OptionGroup var file: FileOption
  @Argument var firstName: String
  @Argument var lastName: String
  @Option var email: String?
  @Option(help: "Such as 1815-12-10.") var birthday: Day?
  @Option var notes: String?
  @Option(help: "A group that the person is in. Can be given several times.") var group: [String] = []

  func run() throws {
    try file.bookOrNew.change { context in
      try context.checkIsNew(email)
      let person = try context.insert(Person.self)
      person.firstName = firstName
      person.lastName = lastName
      person.email = email
      person.birthday = birthday?.date
      person.notes = notes
      for name in group { person.add(try context.groupOrNew(name), to: \.groups) }
    }
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints what the book has of a person.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument

  func run() throws {
    let lines = try file.book.read { context in
      let person = try context.person(argument.person)
      var lines = [person.fullName]
      if let email = person.email { lines.append("e-mail: \(email)") }
      if let birthday = person.birthday { lines.append("born: \(Day(birthday))") }
      if let picture = person.picture { lines.append("picture: \(picture.count) bytes") }
      let groups = person.groups.map(\.name).sorted()
      if !groups.isEmpty { lines.append("groups: " + groups.joined(separator: ", ")) }
      if let notes = person.notes { lines.append(notes) }
      return lines
    }
    for line in lines { print(line) }
  }
}

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes what is given, and leaves the rest. An empty text removes what it is given for.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument
  @Option var firstName: String?
  @Option var lastName: String?
  @Option var email: String?
  @Option(help: "Such as 1815-12-10.") var birthday: String?
  @Option var notes: String?

  func run() throws {
    let day = try birthday.map { $0.isEmpty ? nil : try Day($0) }
    try file.book.change { context in
      let person = try context.person(argument.person)
      if let firstName { person.firstName = firstName }
      if let lastName { person.lastName = lastName }
      if let email {
        if email.lowercased() != person.email?.lowercased() { try context.checkIsNew(email) }
        person.email = email.isEmpty ? nil : email
      }
      if let day { person.birthday = day?.date }
      if let notes { person.notes = notes.isEmpty ? nil : notes }
    }
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
