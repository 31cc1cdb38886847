import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

extension PropertyList {
  static func uid(_ value: UInt32) -> PropertyList { .uid(UID(value)) }

  static func bytes(_ bytes: [UInt8]) -> PropertyList { .data(Data(bytes)) }
}

/// An archive by hand. Object 1 is the root; `objects` begins with it.
func archive(_ objects: [PropertyList], format: PropertyListFormat = .binary) throws -> Data {
  let list: PropertyList = [
    "$version": 100000, "$objects": .array(["$null"] + objects), "$archiver": "NSKeyedArchiver",
    "$top": ["root": .uid(1)],
  ]
  return try list.data(format: format, options: .exact)
}

/// An archive by hand, of one object of a class, which has the UID 2. What the object refers to is numbered from 3 on.
func archive(
  _ className: PropertyList, _ fields: OrderedDictionary<String, PropertyList>, _ others: [PropertyList] = []
) throws -> Data {
  var fields = fields
  fields["$class"] = .uid(2)
  return try archive([.dictionary(fields), classDescription(className)] + others)
}

/// A class description of an archive: `$classes` has no more than the class and `NSObject`.
func classDescription(_ name: PropertyList) -> PropertyList { ["$classname": name, "$classes": [name, "NSObject"]] }

/// A class description of an archive.
func classDescription(_ names: [PropertyList]) -> PropertyList { ["$classname": names[0], "$classes": .array(names)] }

/// The root of an archive.
func unarchive<T: SecureCoding>(_ type: T.Type = T.self, _ data: Data) throws -> T {
  try KeyedUnarchiver.unarchivedObject(of: type, from: data)
}

/// The error that decoding an archive throws; the test fails if it throws none, or another.
func error<T: SecureCoding>(
  decoding type: T.Type, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation
) -> KeyedArchiveError? {
  #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) { try unarchive(type, data) }
}

/// The error that encoding a value throws; the test fails if it throws none, or another.
func error(encoding value: some SecureCoding, sourceLocation: SourceLocation = #_sourceLocation) -> KeyedArchiveError? {
  #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) {
    try KeyedArchiver.archivedData(withRootObject: value)
  }
}
