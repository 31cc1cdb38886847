import ArgumentParser
import Foundation
import ManagedObjects

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Adds the people of a vCard file. Cards with errors are skipped and reported.")

  @OptionGroup var file: FileOption
  @Argument(help: "A file with any number of cards.") var cards: String

  func run() throws {
    let cards = try Card.cards(in: String(decoding: Data(ofFile: cards), as: UTF8.self))
    let (added, refusals) = try file.bookOrNew.change { context in
      let undo = ManagedObjectContext.UndoManager()
      context.undoManager = undo
      var refusals: [String] = []
      // All addresses are fetched once, because a fetch for each card would take much longer.
      var addresses = Set(try context.fetch(Person.self).compactMap { $0.email?.lowercased() })
      for card in cards {
        do {
          let isNew = card.email.map { addresses.insert($0.lowercased()).inserted } ?? true
          try ContactsError.explaining { try context.add(card, hasNewAddress: isNew) }
        } catch {
          // Undoes all changes of this card, including groups that it created.
          context.undo()
          refusals.append("line \(card.line): \(error)")
        }
        context.processPendingChanges()
      }
      return (cards.count - refusals.count, refusals)
    }
    print("\(added) added")
    guard refusals.isEmpty else {
      FileHandle.standardError.write(Data((refusals.joined(separator: "\n") + "\n").utf8))
      throw ExitCode.failure
    }
  }
}

extension ManagedObjectContext {
  fileprivate func add(_ card: Card, hasNewAddress: Bool) throws {
    let person = try insert(Person.self)
    let edit = PersonEdit(
      firstName: card.firstName, lastName: card.lastName, email: card.email, birthday: card.birthday.map { Day($0) },
      notes: card.notes, groups: card.groups)
    try edit.apply(to: person, in: self, hasNewAddress: hasNewAddress)
    try person.validateForInsert()
  }
}
