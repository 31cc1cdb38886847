import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// A hand-made archive in Apple's layout, and its value.
struct Layout: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Decodes the archive in a format, expects the value, and archives the value again.
  let check: @Sendable (PropertyListFormat) throws -> Void

  /// - Parameter objects: the object table from object 1, which is the root.
  init<Value: SecureCoding & Equatable>(
    _ name: String, _ value: @autoclosure @escaping @Sendable () throws -> Value, _ objects: [PropertyList]
  ) {
    testDescription = name
    check = { format in
      let value = try value()
      let data = try archive(objects, format: format)
      #expect(try KeyedUnarchiver.unarchivedObject(of: Value.self, from: data) == value)
      // XML has its keys in alphabetical order, so their order is not compared.
      let again = try KeyedArchiver.archivedData(withRootObject: value, outputFormat: .xml)
      let original = try PropertyList(data, options: .exact).data(
        format: .xml, options: PropertyListWritingOptions(sortsKeys: true))
      #expect(String(decoding: again, as: UTF8.self) == String(decoding: original, as: UTF8.self))
    }
  }

  /// A layout of one object of the first class. Its superclasses follow.
  init<Value: SecureCoding & Equatable>(
    _ name: String, _ value: @autoclosure @escaping @Sendable () throws -> Value,
    _ fields: OrderedDictionary<String, PropertyList>, classes: [PropertyList]
  ) {
    var fields = fields
    fields["$class"] = .uid(2)
    self.init(name, try value(), [.dictionary(fields), classDescription(classes)])
  }
}

@Suite("The layout of Apple's archives") struct LayoutTests {
  @Test("collections are read and written", arguments: PropertyListFormat.allCases, Layout.collections)
  func ofCollectionsIsReadAndWritten(_ format: PropertyListFormat, _ layout: Layout) throws { try layout.check(format) }

  @Test("values are read and written", arguments: PropertyListFormat.allCases, Layout.values)
  func ofValuesIsReadAndWritten(_ format: PropertyListFormat, _ layout: Layout) throws { try layout.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Layout.times)
  func `dates, locales and time zones are read and written`(_ format: PropertyListFormat, _ layout: Layout) throws {
    try layout.check(format)
  }

  @Test("units are read and written", arguments: PropertyListFormat.allCases, Layout.units)
  func ofUnitsIsReadAndWritten(_ format: PropertyListFormat, _ layout: Layout) throws { try layout.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Layout.text)
  func `text is read and written`(_ format: PropertyListFormat, _ layout: Layout) throws { try layout.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Layout.others)
  func `other classes are read and written`(_ format: PropertyListFormat, _ layout: Layout) throws {
    try layout.check(format)
  }
}
