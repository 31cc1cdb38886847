import Foundation
import TestSupport
import Testing

@testable import PropertyLists

/// A pair of formats to convert between.
struct Direction: CustomTestStringConvertible, Hashable, Sendable {
  let from: PropertyListFormat
  let to: PropertyListFormat

  var testDescription: String { "\(from) to \(to)" }

  /// True for one direction from each format, and one to each format.
  var isToNext: Bool {
    let formats = PropertyListFormat.allCases
    return formats.firstIndex(of: to) == formats.firstIndex(of: from).map { ($0 + 1) % formats.count }
  }

  static let all = PropertyListFormat.allCases.flatMap { from in
    PropertyListFormat.allCases.filter { $0 != from }.map { Direction(from: from, to: $0) }
  }
}

/// Every file of `Fixtures`, and of the folder given by `PLIST_CORPUS`, from each format to each other one.
@Suite("Conversion between all formats") struct TwelveDirectionsTests {
  /// The only large file of the short form. The other large files have the same values.
  private static let largeFile = "counts-python.bplist"

  private static let fixtures = ["archives", "binary", "hostile", "xml", "openstep", "json"]
    .flatMap { Fixtures.names(in: $0) }.map { Fixtures.url($0) }.filter { url in
      LongForm.isWanted || isSmall(url) || url.lastPathComponent == largeFile
    }

  private static let corpus = Fixtures.corpus.filter { LongForm.isWanted || isSmall($0) }

  /// The readable files, and their names.
  static let values: [(name: String, value: PropertyList)] = (fixtures + corpus).compactMap { url in
    guard let value = try? PropertyList(contentsOf: url) else { return nil }
    return (url.lastPathComponent, value)
  }

  private static func isSmall(_ url: URL) -> Bool {
    guard let data = try? Data(contentsOf: url) else { return false }
    return data.count < 10_000
  }

  /// The values for a direction. The short form converts all of them from each format and to each format once. The
  /// other directions have the values of every kind, and every fourth of the others.
  private static func inputs(for direction: Direction) -> [(name: String, value: PropertyList)] {
    if LongForm.isWanted || direction.isToNext { return values }
    return values.enumerated().filter { index, input in
      input.name != largeFile && (input.name.hasPrefix("kinds-") || index.isMultiple(of: 4))
    }.map(\.element)
  }

  /// The bytes of a value in a format; nil if the format cannot represent it, which is the only allowed error.
  private func write(
    _ value: PropertyList, _ format: PropertyListFormat, _ options: PropertyListWritingOptions
  ) throws -> Data? {
    do throws(PropertyListError) { return try value.data(format: format, options: options) } catch {
      #expect(
        error.kind == .notRepresentable && (error.keyPath != nil) == (value.array != nil || value.dictionary != nil),
        "\(error)")
      return nil
    }
  }

  @Test(arguments: Direction.all)
  func `reversible coercion loses and changes no value`(_ direction: Direction) throws {
    var count = 0
    for (name, value) in Self.inputs(for: direction) {
      // XML has neither null nor fractions of a second, and only one width of reals, independent of coercion.
      let original = [direction.from, direction.to].contains(.xml) ? value.asInXML : value
      if [direction.from, direction.to].contains(.xml), value.hasNoFormInXML { continue }
      let source = try original.data(format: direction.from, options: .exact)
      let document = try PropertyListDocument(source, format: direction.from, options: .exact)
      let target = try document.root.data(format: direction.to, options: .exact)
      #expect(try PropertyList(target, format: direction.to, options: .exact) == original, "\(name)")
      count += 1
    }
    #expect(count > LongForm.size(60, or: direction.isToNext ? 54 : 13))
  }

  @Test("without coercion, a value stays the same or is an error with its key path", arguments: Direction.all)
  func withoutCoercionAValueComesThroughTheSame(_ direction: Direction) throws {
    let options = PropertyListWritingOptions(fractionalSeconds: .refuse)
    var (count, refusedCount) = (0, 0)
    // The large value has only kinds that the other values have.
    let values = Self.inputs(for: direction).filter { LongForm.isWanted || $0.name != Self.largeFile }
    for (name, value) in values {
      guard let source = try write(value, direction.from, options) else {
        refusedCount += 1
        continue
      }
      let document = try PropertyListDocument(source, format: direction.from)
      let original = try PropertyList(document.root)
      #expect(original == value.asRead(from: direction.from), "\(name)")
      guard let target = try write(original, direction.to, options) else {
        refusedCount += 1
        continue
      }
      #expect(try document.root.data(format: direction.to, options: options) == target, "\(name)")
      #expect(try PropertyList(target, format: direction.to) == original.asRead(from: direction.to), "\(name)")
      count += 1
    }
    #expect(count > LongForm.size(5, or: direction.isToNext ? 5 : 0) && count + refusedCount == values.count)
  }
}

extension PropertyList {
  /// A format with one width of reals keeps the double. Nothing else may change.
  fileprivate func asRead(from format: PropertyListFormat) -> PropertyList {
    switch self {
    case .float(let value): format == .binary ? self : .real(Double(value))
    case .array(let elements): .array(elements.map { $0.asRead(from: format) })
    case .dictionary(let entries): .dictionary(entries.mapValues { $0.asRead(from: format) })
    default: self
    }
  }
}
