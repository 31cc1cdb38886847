import Foundation
import TestSupport
import Testing

@testable import PropertyLists

/// A pair of formats to convert between.
struct Direction: CustomTestStringConvertible, Hashable, Sendable {
  let from: PropertyListFormat
  let to: PropertyListFormat

  var testDescription: String { "\(from) to \(to)" }

  static let all = PropertyListFormat.allCases.flatMap { from in
    PropertyListFormat.allCases.filter { $0 != from }.map { Direction(from: from, to: $0) }
  }
}

/// Every file of `Fixtures`, and of the folder given by `PLIST_CORPUS`, from each format to each other one.
@Suite("Conversion between all formats") struct TwelveDirectionsTests {
  /// The readable files, and their names.
  static let values: [(name: String, value: PropertyList)] =
    (["archives", "binary", "hostile", "xml", "openstep", "json"].flatMap { Fixtures.names(in: $0) }.map {
      Fixtures.url($0)
    }
    + Fixtures.corpus).compactMap { url in
      guard let value = try? PropertyList(contentsOf: url) else { return nil }
      return (url.lastPathComponent, value)
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
    for (name, value) in Self.values {
      // XML has neither null nor fractions of a second, and only one width of reals, independent of coercion.
      let original = [direction.from, direction.to].contains(.xml) ? value.asInXML : value
      if [direction.from, direction.to].contains(.xml), value.hasNoFormInXML { continue }
      let source = try original.data(format: direction.from, options: .exact)
      let document = try PropertyListDocument(source, format: direction.from, options: .exact)
      let target = try document.root.data(format: direction.to, options: .exact)
      #expect(try PropertyList(target, format: direction.to, options: .exact) == original, "\(name)")
      count += 1
    }
    #expect(count > 60)
  }

  @Test("without coercion, a value stays the same or is an error with its key path", arguments: Direction.all)
  func withoutCoercionAValueComesThroughTheSame(_ direction: Direction) throws {
    let options = PropertyListWritingOptions(fractionalSeconds: .refuse)
    var (count, refusedCount) = (0, 0)
    for (name, value) in Self.values {
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
    #expect(count > 5 && count + refusedCount == Self.values.count)
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
