import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// An object of Foundation, the equal value of this package, and the archives of both.
struct Pair: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Foundation archives its object. Expects that it is decoded here as the value.
  let expectDecodedHere: @Sendable (PropertyListFormat) throws -> Void
  /// Archives the value. Expects that Foundation decodes it as its object.
  let expectDecodedByFoundation: @Sendable (PropertyListFormat) throws -> Void

  /// - Parameters:
  ///   - isSecure: true if the class supports secure coding.
  ///   - others: the classes that Foundation must allow in addition to the object's own.
  ///   - isSame: compares objects of classes whose objects are never equal.
  init<Object: NSObject & NSCoding, Value: KeyedArchiving.SecureCoding & Equatable>(
    _ name: String, _ object: @autoclosure @escaping @Sendable () throws -> Object,
    _ value: @autoclosure @escaping @Sendable () throws -> Value,
    with others: @autoclosure @escaping @Sendable () -> [AnyClass] = [], isSecure: Bool = true,
    isSame: @escaping @Sendable (Object, Object) -> Bool = { $0.isEqual($1) }
  ) {
    testDescription = name
    expectDecodedHere = { format in
      let data = try Foundations.archive(object(), secure: isSecure, format: format)
      #expect(try KeyedUnarchiver.unarchivedObject(of: Value.self, from: data) == value())
    }
    expectDecodedByFoundation = { format in
      let data = try KeyedArchiver.archivedData(withRootObject: value(), outputFormat: format)
      let decoded =
        isSecure
        ? try Foundations.unarchive(Object.self, with: others(), data)
        : try Foundations.unarchiveInsecurely(Object.self, data)
      let expected = try object()
      #expect(isSame(decoded, expected), "\(decoded) instead of \(expected)")
    }
  }
}

/// Foundation's archiver and unarchiver, with secure coding.
enum Foundations {
  static func archive(_ object: NSObject, secure: Bool = true, format: PropertyListFormat = .binary) throws -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: secure)
    archiver.outputFormat = format == .binary ? .binary : .xml
    archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    if let error = archiver.error { throw error }
    return archiver.encodedData
  }

  static func unarchive<Object: NSObject & NSCoding>(
    _ type: Object.Type, with others: [AnyClass] = [], _ data: Data
  ) throws -> Object {
    let value = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClasses: [type] + others, from: data))
    return try #require(value as AnyObject as? Object, "\(Swift.type(of: value)) instead of \(type)")
  }

  /// For classes that do not support secure coding on Linux.
  static func unarchiveInsecurely<Object: NSObject & NSCoding>(_ type: Object.Type, _ data: Data) throws -> Object {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    let value = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
    if let error = unarchiver.error { throw error }
    return try #require(value as AnyObject as? Object, "\(String(describing: value)) instead of \(type)")
  }
}

/// A hand-made archive of one object with the UID 2. The objects that it refers to have UIDs from 3.
func archive(
  _ classNames: [PropertyList], _ fields: OrderedDictionary<String, PropertyList>, _ others: [PropertyList] = []
) throws -> Data {
  var fields = fields
  fields["$class"] = .uid(PropertyList.UID(2))
  let list: PropertyList = [
    "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(PropertyList.UID(1))],
    "$objects": .array(["$null", .dictionary(fields), classDescription(classNames)] + others),
  ]
  return try list.data(format: .binary)
}

/// A class description of an archive.
func classDescription(_ names: [PropertyList]) -> PropertyList { ["$classname": names[0], "$classes": .array(names)] }

/// Returns the kind of error that decoding an archive throws. The test fails if no error, or another error, is thrown.
func failure(_ decode: () throws -> some Any) -> KeyedArchiveError.Kind? {
  let error = #expect(throws: KeyedArchiveError.self) { _ = try decode() }
  return error?.kind
}

extension PropertyListFormat {
  /// The formats that Foundation reads and writes archives in.
  static let ofArchives = [PropertyListFormat.binary, .xml]
}
