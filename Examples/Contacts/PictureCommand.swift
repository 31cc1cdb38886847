import ArgumentParser
import FoundationEssentials
import ManagedObjects

struct PictureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "picture", abstract: "Stores pictures of people.",
    subcommands: [SetPicture.self, GetPicture.self])
}

struct SetPicture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Stores a copy of a file as the picture of a person; without a file, removes the picture.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument
  @Argument var picture: String?

  func run() throws {
    let data = try picture.map { try Data(ofFile: $0) }
    try file.book.change { context in try context.person(argument.person).picture = data }
  }
}

struct GetPicture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Writes the picture of a person to a file.")

  @OptionGroup var file: FileOption
  @OptionGroup var argument: PersonArgument
  @Argument(help: "The file to write.") var output: String

  func run() throws {
    let data = try file.book.read { context in
      let person = try context.person(argument.person)
      guard let picture = person.picture else { throw ContactsError.noPicture(of: person.fullName) }
      return picture
    }
    do { try data.write(to: URL(filePath: output), options: .atomic) } catch { throw ContactsError.cannotWrite(output) }
  }
}

extension Data {
  /// Reads a file given on the command line.
  init(ofFile path: String) throws {
    do { try self.init(contentsOf: URL(filePath: path)) } catch { throw ContactsError.cannotRead(path) }
  }
}
