import ArgumentParser
import Foundation
import ManagedObjects

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints all persons, by the first letter of the last name.")

  @OptionGroup var file: FileOption

  func run() throws {
    let persons = try file.book.read { context in
      try context.fetch(Person.self, sortedBy: Person.order).map { (letter($0.lastName), $0.summary) }
    }
    var section = ""
    for (letter, summary) in persons {
      if letter != section { print(letter) }
      section = letter
      print("  " + summary)
    }
  }

  /// The section of a name: its first letter without case and marks, or `#` for anything else.
  private func letter(_ name: String) -> String {
    let letter = name.prefix(1).folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).uppercased()
    return letter.first?.isLetter == true ? letter : "#"
  }
}

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the persons that all of this is true for.",
    discussion: """
      A condition is a predicate over firstName, lastName, email, birthday, notes, picture and groups:

        contacts find --where 'lastName BEGINSWITH "L" AND ANY groups.name == "Work"'
        contacts find --where 'groups.@count > 1 AND email == nil'
      """)

  @OptionGroup var file: FileOption
  @Argument(help: "How words of the name or the address begin.") var words: [String] = []
  @Option(name: .customLong("where"), help: "A condition.") var condition: String?
  @Option(help: "A day that they were born before.") var bornBefore: Day?

  func run() throws {
    let book = try file.book
    let predicate = ManagedPredicate.and(try conditions(book))
    let found = try book.read { context in
      try context.fetch(Person.self, where: predicate, sortedBy: Person.order).map(\.summary)
    }
    for summary in found { print(summary) }
    if found.isEmpty { throw ExitCode.failure }
  }

  private func conditions(_ book: AddressBook) throws -> [ManagedPredicate] {
    var conditions = [try ManagedPredicate.words(in: words.joined(separator: " "))]
    if let bornBefore { conditions.append(try ManagedPredicate(format: "birthday < %@", bornBefore.date)) }
    if let condition { conditions.append(try book.condition(condition)) }
    return conditions
  }
}
