import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// An archive that is built object by object, for archives that no archiver writes.
struct HandmadeArchive {
  /// The object table. It can be changed.
  var objects: [PropertyList] = ["$null"]
  /// The top-level keys other than the root.
  var top: OrderedDictionary<String, PropertyList> = [:]

  /// The UID of the next object.
  var next: PropertyList { .reference(objects.count) }

  /// Adds an object to the object table.
  ///
  /// - Returns: a reference to it.
  @discardableResult
  mutating func add(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .reference(objects.count - 1)
  }

  /// Adds a class description.
  mutating func addClass(_ name: String, ancestors: [String] = ["NSObject"], hints: [String] = []) -> PropertyList {
    var description: OrderedDictionary<String, PropertyList> = [
      "$classname": .string(name), "$classes": .array(([name] + ancestors).map { .string($0) }),
    ]
    if !hints.isEmpty { description["$classhints"] = .array(hints.map { .string($0) }) }
    return add(.dictionary(description))
  }

  /// Adds an object, followed by its class description.
  @discardableResult
  mutating func addObject(
    _ className: String, _ entries: OrderedDictionary<String, PropertyList> = [:]
  ) -> PropertyList {
    let object = add("to be replaced")
    var entries = entries
    entries["$class"] = addClass(className)
    objects[object.index] = .dictionary(entries)
    return object
  }

  /// Adds an array object.
  mutating func addArray(_ elements: [PropertyList], className: String = "NSArray") -> PropertyList {
    addObject(className, ["NS.objects": .array(elements)])
  }

  /// Adds a UUID.
  mutating func addUUID() -> PropertyList { addObject("NSUUID", ["NS.uuidbytes": .data(Data(0..<16))]) }

  /// The archive as a property list.
  func propertyList(root: PropertyList?) -> PropertyList {
    var top = top
    top["root"] = root
    return ["$version": 100_000, "$objects": .array(objects), "$archiver": "NSKeyedArchiver", "$top": .dictionary(top)]
  }

  func data(root: PropertyList? = nil, format: PropertyListFormat = .binary) throws -> Data {
    try propertyList(root: root).data(format: format, options: .exact)
  }

  func unarchiver(root: PropertyList? = nil, limits: ParsingLimits = ParsingLimits()) throws -> KeyedUnarchiver {
    try KeyedUnarchiver(forReadingFrom: data(root: root), limits: limits)
  }

  /// Creates an unarchiver for an archive whose root `build` adds.
  static func unarchiver(_ build: (inout HandmadeArchive) -> PropertyList) throws -> KeyedUnarchiver {
    var archive = HandmadeArchive()
    let root = build(&archive)
    return try archive.unarchiver(root: root)
  }

  /// Decodes the root as a type.
  func decode<T: SecureCoding>(_ type: T.Type, root: PropertyList) throws -> T {
    try unarchiver(root: root).decode(type, forKey: "root")
  }
}

/// An archive with a hand-made root, and a call that decodes it.
struct HandmadeRoot: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let decode: @Sendable (KeyedUnarchiver) throws -> Void
  let build: @Sendable (inout HandmadeArchive) -> PropertyList

  init(
    _ description: String, _ decode: @escaping @Sendable (KeyedUnarchiver) throws -> Void,
    _ build: @escaping @Sendable (inout HandmadeArchive) -> PropertyList
  ) {
    testDescription = description
    self.decode = decode
    self.build = build
  }

  init<T: SecureCoding & SendableMetatype>(
    _ description: String, _ type: T.Type, _ build: @escaping @Sendable (inout HandmadeArchive) -> PropertyList
  ) {
    self.init(description, { _ = try $0.decode(T.self, forKey: "root") }, build)
  }
}

extension PropertyList {
  /// A reference into the object table.
  static func reference(_ index: Int) -> PropertyList { .uid(UID(UInt32(index))) }

  /// The target of a reference.
  var index: Int { uid.map { Int($0.value) } ?? 0 }
}

/// Returns the error that `body` throws, if it is an error of this package.
func archiveError(_ body: () throws -> Void) -> KeyedArchiveError? {
  do {
    try body()
    return nil
  } catch {
    return error as? KeyedArchiveError
  }
}

/// A binary property list that is built byte by byte. Its containers can share parts and overlap.
struct HandmadeBinary {
  /// The bytes of the objects. References have four bytes.
  private var bytes = [UInt8]("bplist00".utf8)
  private var offsets: [Int] = []

  /// The number of the next object.
  var next: Int { offsets.count }

  /// The offset of the next object.
  var offset: Int { bytes.count }

  @discardableResult
  mutating func add(_ object: [UInt8]) -> Int {
    offsets.append(bytes.count)
    bytes += object
    return offsets.count - 1
  }

  /// Adds an object whose bytes are already in the file.
  mutating func add(at offset: Int) -> Int {
    offsets.append(offset)
    return offsets.count - 1
  }

  @discardableResult
  mutating func add(string: String) -> Int { add(Self.marker(0x50, string.utf8.count) + string.utf8) }

  mutating func add(data: Data) -> Int { add(Self.marker(0x40, data.count) + data) }

  mutating func add(uid: Int) -> Int { add([0x83] + Self.bigEndian(uid, 4)) }

  mutating func add(integer: Int) -> Int { add([0x13] + Self.bigEndian(integer, 8)) }

  @discardableResult
  mutating func add(array: [Int]) -> Int {
    add(Self.marker(0xA0, array.count) + array.flatMap { Self.bigEndian($0, 4) })
  }

  @discardableResult
  mutating func add(dictionary: KeyValuePairs<Int, Int>) -> Int {
    add(keys: dictionary.map(\.key), values: dictionary.map(\.value))
  }

  @discardableResult
  mutating func add(keys: [Int], values: [Int]) -> Int {
    add(Self.marker(0xD0, keys.count) + (keys + values).flatMap { Self.bigEndian($0, 4) })
  }

  /// Adds an array or a dictionary with a count that is larger than its contents.
  mutating func add(marker: UInt8, promising count: Int) -> Int { add(Self.marker(marker, count)) }

  /// Adds the four parts of an archive around an object table and the value of the key `root`.
  ///
  /// - Returns: the number of the root.
  mutating func addArchive(objects: Int, root: Int) -> Int {
    let top = add(dictionary: [add(string: "root"): root])
    return add(dictionary: [
      add(string: "$version"): add(integer: 100_000), add(string: "$objects"): objects,
      add(string: "$archiver"): add(string: "NSKeyedArchiver"), add(string: "$top"): top,
    ])
  }

  func data(root: Int) -> Data {
    var file = bytes
    for offset in offsets { file += Self.bigEndian(offset, 8) }
    file += [0, 0, 0, 0, 0, 0, 8, 4] + Self.bigEndian(offsets.count, 8)
    file += Self.bigEndian(root, 8) + Self.bigEndian(bytes.count, 8)
    return Data(file)
  }

  static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x13] + bigEndian(count, 8)
  }

  static func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
