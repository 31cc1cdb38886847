import Foundation
import KeyedArchiving
import PropertyLists
import Testing

/// Foundation archives and unarchives in the same process, with secure coding.
@Suite("Archives are exchanged with Foundation") struct ArchiveInterchangeTests {
  @Test(
    "basic values: Foundation writes, we read", arguments: PropertyListFormat.ofArchives, Pair.basics + Pair.numbers)
  func basicsHere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedHere(format) }

  @Test(
    "basic values: we write, Foundation reads", arguments: PropertyListFormat.ofArchives, Pair.basics + Pair.numbers)
  func basicsThere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedByFoundation(format) }

  @Test(
    "collections: Foundation writes, we read", arguments: PropertyListFormat.ofArchives, Pair.collections + Pair.indices
  )
  func collectionsHere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedHere(format) }

  @Test(arguments: PropertyListFormat.ofArchives, Pair.collections + Pair.indices)
  func `collections: we write, Foundation reads`(_ format: PropertyListFormat, _ pair: Pair) throws {
    try pair.expectDecodedByFoundation(format)
  }

  @Test("NSValue: Foundation writes, we read", arguments: PropertyListFormat.ofArchives, Pair.values)
  func valuesHere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedHere(format) }

  @Test("NSValue: we write, Foundation reads", arguments: PropertyListFormat.ofArchives, Pair.values)
  func valuesThere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedByFoundation(format) }

  @Test(
    "dates, calendars, locales and time zones: Foundation writes, we read", arguments: PropertyListFormat.ofArchives,
    Pair.times)
  func timesHere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedHere(format) }

  @Test(
    "dates, calendars, locales and time zones: we write, Foundation reads", arguments: PropertyListFormat.ofArchives,
    Pair.times)
  func timesThere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedByFoundation(format) }

  @Test(
    "text, units and character sets: Foundation writes, we read", arguments: PropertyListFormat.ofArchives,
    Pair.structures)
  func structuresHere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedHere(format) }

  @Test(
    "text, units and character sets: we write, Foundation reads", arguments: PropertyListFormat.ofArchives,
    Pair.structures)
  func structuresThere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedByFoundation(format) }

  @Test(
    "formatters and matches: Foundation writes, we read", arguments: PropertyListFormat.ofArchives,
    Pair.formatters + Pair.matches)
  func othersHere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedHere(format) }

  @Test(
    "formatters and matches: we write, Foundation reads", arguments: PropertyListFormat.ofArchives,
    Pair.formatters + Pair.matches)
  func othersThere(_ format: PropertyListFormat, _ pair: Pair) throws { try pair.expectDecodedByFoundation(format) }
}
