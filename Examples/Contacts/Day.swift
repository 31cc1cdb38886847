import ArgumentParser
import FoundationEssentials

/// A day as people write it, `1815-12-10`. The book has its first moment in Greenwich.
struct Day: ExpressibleByArgument, CustomStringConvertible {
  let date: Date

  private static let style = Date.ISO8601FormatStyle().year().month().day()

  init(_ date: Date) { self.date = date }

  init(_ text: String) throws {
    guard let date = try? Self.style.parse(text), Day(date).description == text else {
      throw ContactsError.notADay(text)
    }
    self.date = date
  }

  init?(argument: String) { try? self.init(argument) }

  var description: String { date.formatted(Self.style) }
}
