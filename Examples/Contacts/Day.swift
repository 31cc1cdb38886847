import ArgumentParser
import FoundationEssentials

/// A day, written as `1815-12-10`. The address book stores the start of the day in UTC.
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
