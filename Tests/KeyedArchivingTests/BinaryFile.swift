import Foundation

/// A binary property list that is built object by object, for lists that no writer produces.
struct BinaryFile {
  var objects: [[UInt8]] = []
  private var top = 0
  /// The offsets of objects that do not begin at the end of another, by object number.
  private var fixedOffsets: [Int: Int] = [:]
  private let rootUID: UInt8

  init(archiveWithRootUID uid: UInt8) { rootUID = uid }

  /// Adds an object whose bytes are added later. Returns its number.
  mutating func reserve() -> Int {
    objects.append([])
    return objects.count - 1
  }

  mutating func add(_ bytes: [UInt8]) -> Int {
    objects.append(bytes)
    return objects.count - 1
  }

  mutating func uid(_ value: Int) -> Int { add([0x83] + bigEndian(value, 4)) }

  mutating func string(_ text: String) -> Int { add([0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8)) }

  private func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  func array(_ elements: [Int]) -> [UInt8] {
    [0xAF, 0x12] + bigEndian(elements.count, 4) + elements.flatMap { bigEndian($0, 4) }
  }

  func dictionary(_ entries: [(Int, Int)]) -> [UInt8] {
    [0xDF, 0x12] + bigEndian(entries.count, 4) + (entries.map(\.0) + entries.map(\.1)).flatMap { bigEndian($0, 4) }
  }

  /// Completes an archive with an object table of these objects.
  mutating func finishArchive(objects table: [Int], top topDictionary: Int? = nil) {
    let null = string("$null")
    let uid = add([0x80, rootUID])
    let root = string("root")
    let top = topDictionary ?? add(dictionary([(root, uid)]))
    let list = add(array([null] + table))
    let keys = ["$archiver", "$version", "$top", "$objects"].map { string($0) }
    let values = [string("NSKeyedArchiver"), add([0x12, 0, 1, 0x86, 0xA0]), top, list]
    self.top = add(dictionary(Array(zip(keys, values))))
  }

  var data: Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for (number, object) in objects.enumerated() {
      offsets.append(fixedOffsets[number] ?? bytes.count)
      bytes += object
    }
    let table = bytes.count
    bytes += offsets.flatMap { bigEndian($0, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4] + bigEndian(objects.count, 8) + bigEndian(top, 8) + bigEndian(table, 8)
    return Data(bytes)
  }

  /// An archive whose objects are all the same dictionary with many keys.
  static func sharedDictionary(entries: Int, objects: Int) -> BinaryFile {
    var file = BinaryFile(archiveWithRootUID: 1)
    let value = file.string("value")
    let keys = (0..<entries).map { (file.string("key \($0)"), value) }
    let dictionary = file.add(file.dictionary(keys))
    file.finishArchive(objects: Array(repeating: dictionary, count: objects))
    return file
  }

  /// An archive with an array that contains an array twice, which contains an array twice, and so on.
  static func sharedTree(depth: Int) -> BinaryFile {
    var file = BinaryFile(archiveWithRootUID: 1)
    var tree = file.add([0x80, 0])
    for _ in 0..<depth { tree = file.add(file.array([tree, tree])) }
    file.finishArchive(objects: [tree])
    return file
  }

  /// A file of long strings that overlap: each begins inside the one before it. They are the objects from 1.
  static func overlappingStrings(_ count: Int) -> BinaryFile {
    var file = BinaryFile(archiveWithRootUID: 1)
    // Each is a string of 0x4141 bytes: its marker, its length, and five digits that make it unique.
    var text: [UInt8] = []
    for number in 0..<count { text += [0x5F, 0x11, 0x41, 0x41] + Array(String(100_000 + number).utf8.dropFirst()) }
    text += Array(repeating: 0x41, count: 0x4141)
    _ = file.add(text)
    for number in 0..<count { file.fixedOffsets[file.reserve()] = 8 + 9 * number }
    return file
  }

  /// An archive with a dictionary whose keys are such strings.
  static func overlappingKeys(count: Int, atTop: Bool = false) -> BinaryFile {
    var file = overlappingStrings(count)
    let value = file.string("value")
    let dictionary = file.add(file.dictionary((1...count).map { ($0, value) }))
    file.finishArchive(objects: [dictionary], top: atTop ? dictionary : nil)
    return file
  }

  /// An archive with an array of objects, each of a different class. All class descriptions are one dictionary, whose
  /// `$classes` are such strings.
  static func sharedClassDescription(objectCount: Int) -> BinaryFile {
    var file = overlappingStrings(255)
    let name = file.string("Foo")
    let names = file.add(file.array([name] + (1...255)))
    let description = file.add(file.dictionary([(file.string("$classname"), name), (file.string("$classes"), names)]))
    let classKey = file.string("$class")
    let array = file.reserve()
    var objects = [array, file.add(file.dictionary([(file.string("$classname"), file.string("NSArray"))]))]
    var elements: [Int] = []
    for _ in 0..<objectCount {
      elements.append(file.uid(objects.count + 1))
      objects.append(file.add(file.dictionary([(classKey, file.uid(objects.count + 2))])))
      objects.append(description)
    }
    let list = file.add(file.array(elements))
    file.objects[array] = file.dictionary([(file.string("NS.objects"), list), (classKey, file.uid(2))])
    file.finishArchive(objects: objects)
    return file
  }
}
