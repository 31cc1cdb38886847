import ArgumentParser
import ManagedObjects

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Adds people to groups, and removes them.",
    subcommands: [AddToGroup.self, RemoveFromGroup.self, ListGroups.self])
}

struct AddToGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds people to a group, and creates the group if necessary.")

  @OptionGroup var file: FileOption
  @Argument var group: String
  @Argument(help: "For each person, the e-mail address or the beginnings of words in the name: ada love.")
  var persons: [String] = []

  func run() throws {
    try file.book.change { context in
      let group = try context.groupOrNew(group)
      for person in persons { group.add(try context.person(person), to: \.members) }
    }
  }
}

struct RemoveFromGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes people from a group, or the group itself if no people are given.")

  @OptionGroup var file: FileOption
  @Argument var group: String
  @Argument(help: "For each person, the e-mail address or the beginnings of words in the name: ada love.")
  var persons: [String] = []

  func run() throws {
    try file.book.change { context in
      let group = try context.group(group)
      if persons.isEmpty { try context.delete(group) }
      for person in persons { group.remove(try context.person(person), from: \.members) }
    }
  }
}

struct ListGroups: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Prints all groups with their numbers of people, or the people of one group.")

  @OptionGroup var file: FileOption
  @Argument var group: String?

  func run() throws {
    let lines = try file.book.read { context in
      guard let group else {
        return try context.fetch(Group.self, sortedBy: Group.order).map { "\($0.name)\t\($0.members.count)" }
      }
      let predicate = try ManagedPredicate(format: "ANY groups == %@", context.group(group))
      return try context.fetch(Person.self, where: predicate, sortedBy: Person.order).map(\.summary)
    }
    for line in lines { print(line) }
  }
}
