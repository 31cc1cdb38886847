import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

extension PropertyList {
  static func uid(_ value: UInt32) -> PropertyList { .uid(UID(value)) }

  static func bytes(_ bytes: [UInt8]) -> PropertyList { .data(Data(bytes)) }
}

/// A hand-made archive. Object 1 is the root; `objects` begins with it.
func archive(_ objects: [PropertyList], format: PropertyListFormat = .binary) throws -> Data {
  let list: PropertyList = [
    "$version": 100000, "$objects": .array(["$null"] + objects), "$archiver": "NSKeyedArchiver",
    "$top": ["root": .uid(1)],
  ]
  return try list.data(format: format, options: .exact)
}

/// A hand-made archive of one object with the UID 2. The objects that it refers to have UIDs from 3.
func archive(
  _ className: PropertyList, _ fields: OrderedDictionary<String, PropertyList>, _ others: [PropertyList] = []
) throws -> Data {
  var fields = fields
  fields["$class"] = .uid(2)
  return try archive([.dictionary(fields), classDescription(className)] + others)
}

/// A class description of an archive: `$classes` has only the class and `NSObject`.
func classDescription(_ name: PropertyList) -> PropertyList { ["$classname": name, "$classes": [name, "NSObject"]] }

/// A class description of an archive.
func classDescription(_ names: [PropertyList]) -> PropertyList { ["$classname": names[0], "$classes": .array(names)] }

/// The root of an archive.
func unarchive<T: SecureCoding>(_ type: T.Type = T.self, _ data: Data) throws -> T {
  try KeyedUnarchiver.unarchivedObject(of: type, from: data)
}

/// Returns the error that decoding an archive throws. The test fails if no error, or another error, is thrown.
func error<T: SecureCoding>(
  decoding type: T.Type, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation
) -> KeyedArchiveError? {
  #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) { try unarchive(type, data) }
}

/// Returns the error that encoding a value throws. The test fails if no error, or another error, is thrown.
func error(encoding value: some SecureCoding, sourceLocation: SourceLocation = #_sourceLocation) -> KeyedArchiveError? {
  #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) {
    try KeyedArchiver.archivedData(withRootObject: value)
  }
}
