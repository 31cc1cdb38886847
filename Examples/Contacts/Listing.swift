import ArgumentParser
import Foundation
import ManagedObjects

struct Browse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the contacts on the whole terminal, to search and change them. Without a terminal, lists them.")

  @OptionGroup var file: FileOption

  @MainActor
  func run() async throws {
    guard Terminal.isThere else { return try file.book.printList() }
    let book = try file.bookOrNew
    let browser = try ContactsError.explaining { try Browser(book, title: file.name) }
    await browser.run()
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints all people, by the first letter of the last name.")

  @OptionGroup var file: FileOption

  func run() throws { try file.book.printList() }
}

extension AddressBook {
  fileprivate func printList() throws {
    let persons = try read { context in
      try context.fetch(Person.self, sortedBy: Person.order).map { ($0.section, $0.summary) }
    }
    var section = ""
    for (letter, summary) in persons {
      if letter != section { print(letter) }
      section = letter
      print("  " + summary)
    }
  }
}

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the people who meet all conditions.",
    discussion: """
      A condition is a predicate over firstName, lastName, email, birthday, notes, picture and groups:

        contacts find --where 'lastName BEGINSWITH "L" AND ANY groups.name == "Work"'
        contacts find --where 'groups.@count > 1 AND email == nil'
      """)

  @OptionGroup var file: FileOption
  @Argument(help: "The beginnings of words of the name or the address.") var words: [String] = []
  @Option(name: .customLong("where"), help: "A condition, as in NSPredicate.") var condition: String?
  @Option(help: "Only people born before this date.") var bornBefore: Day?

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
