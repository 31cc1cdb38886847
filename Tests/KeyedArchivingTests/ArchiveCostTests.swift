import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// An object that refers to two others.
private final class Fork: SecureCoding {
  static let archivedClass = ArchivedClass("Fork")

  let left: Fork?
  let right: Fork?

  init(coder: KeyedUnarchiver) throws {
    left = try coder.decodeIfPresent(Fork.self, forKey: "left")
    right = try coder.decodeIfPresent(Fork.self, forKey: "right")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(left, forKey: "left")
    try coder.encode(right, forKey: "right")
  }
}

/// An object with a property list, and one with bytes.
private final class Holder: SecureCoding {
  static let archivedClass = ArchivedClass("Holder")

  let list: PropertyList?
  let bytes: Data?

  init(coder: KeyedUnarchiver) throws {
    list = coder.containsValue(forKey: "list") ? try coder.decodePropertyList(forKey: "list") : nil
    bytes = coder.containsValue(forKey: "bytes") ? try coder.decodeBytes(forKey: "bytes") : nil
  }

  func encode(with coder: KeyedArchiver) throws {}
}

/// An equatable value that is not hashable.
private struct Comparable: SecureCoding, Equatable {
  static let archivedClass = ArchivedClass("Comparable")
  let number: Int

  init(coder: KeyedUnarchiver) throws { number = try coder.decode(Int.self, forKey: "number") }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(number, forKey: "number") }
}

/// Small archives that need more work or memory than is available.
@Suite("The cost of archives", .serialized) struct ArchiveCostTests {
  /// Runs work that can throw, and expects that it takes at most a number of reference seconds.
  private func soon<T>(
    _ seconds: Double = 10, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T
  ) -> Result<T, any Error> {
    var result: Result<T, any Error>?
    let duration = ThreadClock.measure { result = Result(catching: body) }
    #expect(duration < ThreadClock.referenceSecond * seconds, sourceLocation: sourceLocation)
    return result!
  }

  private func kind<T>(_ result: Result<T, any Error>) -> KeyedArchiveError.Kind? {
    guard case .failure(let error) = result else { return nil }
    return (error as? KeyedArchiveError)?.kind
  }

  /// Arrays that contain the next one many times. The last contains a number.
  private func arrays(levels: Int, width: Int, _ archive: inout HandmadeArchive) -> PropertyList {
    let description = archive.addClass("NSArray")
    var element = archive.add(1)
    for _ in 0..<levels {
      element = archive.add(["NS.objects": .array(Array(repeating: element, count: width)), "$class": description])
    }
    return element
  }

  @Test func `arrays of shared elements that expand too far are refused`() throws {
    var archive = HandmadeArchive()
    let root = arrays(levels: 60, width: 2, &archive)
    #expect(kind(soon { try archive.decode(ArchivedValue.self, root: root) }) == .limitExceeded)
    #expect(
      kind(
        soon {
          try archive.unarchiver(root: root).decode([any SecureCoding].self, of: [[ArchivedValue].self], forKey: "root")
        })
        == .limitExceeded)
    var wide = HandmadeArchive()
    let wideRoot = arrays(levels: 6, width: 1000, &wide)
    #expect(kind(soon { try wide.decode([[[[[[Int]]]]]].self, root: wideRoot) }) == .limitExceeded)
    var small = HandmadeArchive()
    let smallRoot = arrays(levels: 2, width: 700, &small)
    #expect(try small.decode([[Int]].self, root: smallRoot).count == 700)
  }

  @Test func `shared objects are decoded once each`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("Fork")
    var next = PropertyList.reference(0)
    for _ in 0..<60 { next = archive.add(["left": next, "right": next, "$class": description]) }
    let fork = try soon { try archive.decode(Fork.self, root: next) }.get()
    #expect(fork.left === fork.right)
    let again = try soon { try KeyedArchiver.archivedData(withRootObject: fork) }.get()
    #expect(try PropertyList(again)["$objects"]?.array?.count == 62)
  }

  /// An array of references to a string or data of one megabyte, inline or in objects.
  private func megabytes(_ count: Int, isText: Bool, isInObjects: Bool) -> Data {
    var file = HandmadeBinary()
    let megabyte =
      isText ? file.add(string: String(repeating: "m", count: 1 << 20)) : file.add(data: Data(count: 1 << 20))
    let (key, name) = (file.add(string: "$class"), file.add(string: "$classname"))
    let inner = file.add(string: isText ? "NS.string" : "NS.data")
    var objects = [
      file.add(string: "$null"), file.add(dictionary: [name: file.add(string: "NSArray")]),
      file.add(dictionary: [name: file.add(string: isText ? "NSMutableString" : "NSMutableData")]), megabyte,
    ]
    var references = Array(repeating: file.add(uid: 3), count: count)
    if isInObjects {
      let mutable = file.add(uid: 2)
      references = (0..<count).map { index in
        objects.append(file.add(dictionary: [inner: megabyte, key: mutable]))
        return file.add(uid: 4 + index)
      }
    }
    objects.append(
      file.add(dictionary: [file.add(string: "NS.objects"): file.add(array: references), key: file.add(uid: 1)]))
    let root = file.addArchive(objects: file.add(array: objects), root: file.add(uid: objects.count - 1))
    return file.data(root: root)
  }

  @Test(arguments: [true, false])
  func `a large string with many references is in memory once`(_ isInObjects: Bool) throws {
    // More than the gigabyte that is allowed below.
    let count = LongForm.size(3000, or: 1200)
    let text = megabytes(count, isText: true, isInObjects: isInObjects)
    let data = megabytes(count, isText: false, isInObjects: isInObjects)
    let before = peakMemory
    let texts = try soon { try KeyedUnarchiver.unarchivedObject(of: [String].self, from: text) }.get()
    #expect(texts.count == count && texts[0].utf8.count == 1 << 20 && texts[0] == texts[count - 1])
    let datas = try soon { try KeyedUnarchiver.unarchivedObject(of: [Data].self, from: data) }.get()
    #expect(datas.count == count && datas[0].count == 1 << 20 && datas[0] == datas[count - 1])
    #expect(peakMemory - before < 1 << 30)
    // More than 8 GB, if all of it were read.
    let more = megabytes(LongForm.size(100_000, or: 10_000), isText: true, isInObjects: isInObjects)
    #expect(kind(soon { try KeyedUnarchiver.unarchivedObject(of: [String].self, from: more) }) == .limitExceeded)
  }

  @Test func `hashing during decoding counts as work each time`() throws {
    for className in ["NSSet", "NSOrderedSet", "NSDictionary", "NSCountedSet"] {
      var archive = HandmadeArchive()
      let heavy = arrays(levels: 24, width: 2, &archive)
      let elements = (0..<20).map { archive.addArray([archive.add(.integer(.init($0 + 2))), heavy]) }
      let value = archive.add("value")
      var entries: OrderedDictionary<String, PropertyList> = [:]
      switch className {
      case "NSSet": entries["NS.objects"] = .array(elements)
      case "NSDictionary": entries = ["NS.keys": .array(elements), "NS.objects": .array(elements.map { _ in value })]
      case "NSCountedSet":
        entries["NS.count"] = .integer(.init(elements.count))
        for (index, element) in elements.enumerated() {
          entries["NS.object\(index)"] = element
          entries["NS.count\(index)"] = 1
        }
      default: for (index, element) in elements.enumerated() { entries["NS.object.\(index)"] = element }
      }
      let root = archive.addObject(className, entries)
      let unarchiver = try archive.unarchiver(root: root)
      let result = soon {
        switch className {
        case "NSOrderedSet": _ = try unarchiver.decode(OrderedSet<ArchivedValue>.self, forKey: "root")
        case "NSCountedSet": _ = try unarchiver.decode(Archived.CountedSet<ArchivedValue>.self, forKey: "root")
        default: _ = try unarchiver.decode(ArchivedValue.self, forKey: "root")
        }
      }
      #expect(kind(result) == .limitExceeded, "\(className)")
    }
  }

  @Test func `nested sets are not hashed repeatedly`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("NSSet")
    let numbers = (0..<LongForm.size(20_000, or: 4_000)).map { archive.add(.integer(.init($0))) }
    var set = archive.add(["NS.objects": .array(numbers), "$class": description])
    for _ in 0..<LongForm.size(5000, or: 2000) {
      set = archive.add(["NS.objects": .array([set] + numbers.prefix(20)), "$class": description])
    }
    let result = soon { try archive.decode(ArchivedValue.self, root: set) }
    #expect(kind(result) == .limitExceeded || kind(result) == .nestedTooDeeply)
  }

  @Test func `values that cannot be hashed are not compared repeatedly`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass("Comparable")
    // In the short form, the limit is more than the elements need, but less than the comparisons of each pair.
    let count = LongForm.size(20_000, or: 2_000)
    let limits = LongForm.isWanted ? ParsingLimits() : ParsingLimits(expandedSize: 1 << 16, expansionRatio: 1)
    let elements = (0..<count).map { archive.add(["number": .integer(.init($0)), "$class": description]) }
    let set = archive.addObject("NSSet", ["NS.objects": .array(elements)])
    let unarchiver = try archive.unarchiver(root: set, limits: limits)
    unarchiver.additionalTypes = [Comparable.self]
    let result = soon { try unarchiver.decode(ArchivedValue.self, forKey: "root") }
    #expect(kind(result) == .limitExceeded)
  }

  @Test func `values with equal hashes are not compared repeatedly`() throws {
    // Foundation hashes the first 80 bytes of data, and the nearest double of a decimal number.
    var archive = HandmadeArchive()
    // In the short form, the limit is more than the elements need, but less than the comparisons of each pair.
    let count = LongForm.size(20_000, or: 1_000)
    let limits = LongForm.isWanted ? ParsingLimits() : ParsingLimits(expandedSize: 1 << 16, expansionRatio: 1)
    let prefix = Data(repeating: 0, count: 80)
    let datas = (0..<count).map { index in
      archive.add(.data(prefix + withUnsafeBytes(of: UInt32(index).bigEndian) { Data($0) }))
    }
    let description = archive.addClass("NSDecimalNumber")
    let decimals = (0..<count).map { index in
      let mantissa = withUnsafeBytes(of: UInt128(1) << 120 + UInt128(index)) { Data($0) }
      return archive.add([
        "NS.mantissa": .data(mantissa), "NS.length": 8, "NS.exponent": 0, "NS.negative": false, "$class": description,
      ])
    }
    let color = archive.addClass("NSColor")
    let colors = datas.map { archive.add(["NSColorSpace": 1, "NSComponents": $0, "$class": color]) }
    func expectLimit(_ elements: [PropertyList], sourceLocation: SourceLocation = #_sourceLocation) throws {
      var archive = archive
      let set = archive.addObject("NSSet", ["NS.objects": .array(elements)])
      let dictionary = archive.addObject("NSDictionary", ["NS.keys": .array(elements), "NS.objects": .array(elements)])
      for root in [set, dictionary] {
        let unarchiver = try archive.unarchiver(root: root, limits: limits)
        let result = soon(LongForm.isWanted ? 20 : 5) { try unarchiver.decode(ArchivedValue.self, forKey: "root") }
        #expect(kind(result) == .limitExceeded, sourceLocation: sourceLocation)
      }
    }
    try expectLimit(datas)
    try expectLimit(decimals)
    try expectLimit(colors)
    let set = archive.addObject("NSSet", ["NS.objects": .array(datas)])
    func unarchiver() throws -> KeyedUnarchiver { try archive.unarchiver(root: set, limits: limits) }
    #expect(kind(soon { try unarchiver().decode(Set<Data>.self, forKey: "root") }) == .limitExceeded)
    #expect(kind(soon { try unarchiver().decode(Set<Archived.Mutable<Data>>.self, forKey: "root") }) != nil)
  }

  @Test func `the message about a duplicate element is short`() throws {
    var archive = HandmadeArchive()
    let heavy = arrays(levels: 13, width: 2, &archive)
    let set = archive.addObject("NSSet", ["NS.objects": [heavy, heavy]])
    let result = soon { try archive.decode(ArchivedValue.self, root: set) }
    #expect(kind(result) == .invalidContents)
    if case .failure(let error) = result { #expect("\(error)".utf8.count < 1000) }
  }

  @Test func `class descriptions are read only up to the names`() throws {
    var file = HandmadeBinary()
    let long = file.add(string: String(repeating: "N", count: 1 << 20))
    let (name, classes, hints) = (
      file.add(string: "$classname"), file.add(string: "$classes"), file.add(string: "$classhints")
    )
    let key = file.add(string: "$class")
    let names = file.add(array: Array(repeating: long, count: 256))
    var objects = [file.add(string: "$null")]
    for _ in 0..<1000 {
      let description = file.add(dictionary: [name: long, classes: names, hints: names])
      objects.append(file.add(dictionary: [key: file.add(uid: objects.count + 1)]))
      objects.append(description)
    }
    let description = file.add(dictionary: [name: file.add(string: "NSArray")])
    let elements = file.add(array: stride(from: 1, to: objects.count, by: 2).map { file.add(uid: $0) })
    objects.append(
      file.add(dictionary: [file.add(string: "NS.objects"): elements, key: file.add(uid: objects.count + 1)]))
    objects.append(description)
    let root = file.addArchive(objects: file.add(array: objects), root: file.add(uid: objects.count - 2))
    let data = file.data(root: root)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let shared = soon { try unarchiver.decode([any SecureCoding].self, of: [TolerantUUID.self], forKey: "root") }
    #expect(kind(shared) == .limitExceeded)
    #expect(kind(soon { try unarchiver.decode([TolerantUUID].self, forKey: "root") }) == .limitExceeded)
    #expect(throws: Never.self) { try soon { try unarchiver.decode(Tolerant.self, forKey: "root") }.get() }
  }

  /// A value that continues after an error in an element of an array.
  private struct Tolerant: SecureCoding {
    static let archivedClass = ArchivedClass("NSArray")
    init(coder: KeyedUnarchiver) throws {
      for _ in 0..<1000 { _ = try? coder.decode([TolerantUUID].self, forKey: "NS.objects") }
    }
    func encode(with coder: KeyedArchiver) throws {}
  }

  private struct TolerantUUID: SecureCoding {
    static let archivedClass = ArchivedClass("Anything", aliases: [String(repeating: "N", count: 1 << 20)])
    init(coder: KeyedUnarchiver) throws {}
    func encode(with coder: KeyedArchiver) throws {}
  }

  @Test func `the keys of objects are read up to the limit`() throws {
    // Each object has its own key, so that no two objects have the same keys, and a long shared one.
    var file = HandmadeBinary()
    let long = file.add(string: String(repeating: "k", count: 1 << 20))
    let (key, name) = (file.add(string: "$class"), file.add(string: "$classname"))
    let one = file.add(integer: 1)
    var objects = [file.add(string: "$null"), file.add(dictionary: [name: file.add(string: "Holder")])]
    let holder = file.add(uid: 1)
    let array = file.add(dictionary: [name: file.add(string: "NSArray")])
    objects.append(array)
    for index in 0..<LongForm.size(20_000, or: 4_000) {
      objects.append(file.add(dictionary: [file.add(string: "key \(index)"): one, long: one, key: holder]))
    }
    let elements = file.add(array: (3..<objects.count).map { file.add(uid: $0) })
    objects.append(file.add(dictionary: [file.add(string: "NS.objects"): elements, key: file.add(uid: 2)]))
    let root = file.addArchive(objects: file.add(array: objects), root: file.add(uid: objects.count - 1))
    let data = file.data(root: root)
    #expect(throws: KeyedArchiveError.self) {
      try soon { try KeyedUnarchiver.unarchivedObject(of: [Holder].self, from: data, limits: Self.smallLimits) }.get()
    }
  }

  @Test func `overlapping keys are read up to the limit`() throws {
    // Each of these bytes begins a string: a marker, a count of 8 bytes, and the characters.
    var file = HandmadeBinary()
    let length = 40_000
    let start = file.offset
    let body = file.add(HandmadeBinary.marker(0x50, length) + [UInt8](repeating: 0x50, count: length))
    _ = body
    var keys: [Int] = []
    var position = start + 10
    // In the text, three consecutive markers begin a string of thirteen characters, so that is the length.
    while keys.count < 20_000 {
      keys.append(file.add(at: position))
      position += 1
    }
    let values = keys.map { _ in body }
    let top = file.add(keys: keys, values: values)
    let root = file.add(dictionary: [
      file.add(string: "$version"): file.add(integer: 100_000), file.add(string: "$objects"): file.add(array: []),
      file.add(string: "$archiver"): file.add(string: "NSKeyedArchiver"), file.add(string: "$top"): top,
    ])
    let data = file.data(root: root)
    #expect(throws: KeyedArchiveError.self) { try soon { try KeyedUnarchiver(forReadingFrom: data) }.get() }
  }

  /// The default limits, or those of the short form, which are reached sooner.
  private static let smallLimits =
    LongForm.isWanted ? ParsingLimits() : ParsingLimits(expandedSize: 1 << 14, expansionRatio: 16)

  /// Many objects with the same list of numbers, strings or Booleans, which is not inline.
  private func lists(of elements: [PropertyList], className: String, key listKey: String) throws -> Data {
    var file = HandmadeBinary()
    let (key, name, list) = (file.add(string: "$class"), file.add(string: "$classname"), file.add(string: listKey))
    var objects = [
      file.add(string: "$null"), file.add(dictionary: [name: file.add(string: "NSArray")]),
      file.add(dictionary: [name: file.add(string: className)]),
    ]
    var uids: [Int] = []
    for element in elements {
      switch element {
      case .string(let text): objects.append(file.add(string: text))
      case .integer(let integer): objects.append(file.add(integer: Int(exactly: integer) ?? 0))
      default: objects.append(file.add([0x09]))
      }
      uids.append(file.add(uid: objects.count - 1))
    }
    let shared = file.add(array: (0..<LongForm.size(10_000, or: 2_500)).map { uids[$0 % uids.count] })
    let inner = file.add(uid: 2)
    let references = (0..<LongForm.size(2000, or: 500)).map { _ in
      objects.append(file.add(dictionary: [list: shared, key: inner]))
      return file.add(uid: objects.count - 1)
    }
    objects.append(
      file.add(dictionary: [file.add(string: "NS.objects"): file.add(array: references), key: file.add(uid: 1)]))
    let root = file.addArchive(objects: file.add(array: objects), root: file.add(uid: objects.count - 1))
    return file.data(root: root)
  }

  @Test func `a list that many objects share takes memory in proportion to the archive`() throws {
    let numbers = (1...100).map { PropertyList.integer(.init($0)) }
    let texts = (100...200).map { PropertyList.string("a text that is no longer than forty: \($0)") }
    func expectSmall<T: SecureCoding>(_ type: T.Type, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation) {
      let before = peakMemory
      let result = soon(60) { try KeyedUnarchiver.unarchivedObject(of: type, from: data, limits: Self.smallLimits) }
      #expect(kind(result) == .limitExceeded, sourceLocation: sourceLocation)
      let growth = peakMemory - before
      #expect(growth < 512 << 20 + 128 * data.count, "\(growth >> 20) MB", sourceLocation: sourceLocation)
    }
    for elements in [numbers, texts, [true]] {
      expectSmall([ArchivedValue].self, try lists(of: elements, className: "NSArray", key: "NS.objects"))
      expectSmall([Holder].self, try lists(of: elements, className: "Holder", key: "list"))
    }
    expectSmall([[Int]].self, try lists(of: numbers, className: "NSArray", key: "NS.objects"))
    expectSmall([[Double]].self, try lists(of: numbers, className: "NSArray", key: "NS.objects"))
    expectSmall([[Bool]].self, try lists(of: [true], className: "NSArray", key: "NS.objects"))
    expectSmall([[String]].self, try lists(of: texts, className: "NSArray", key: "NS.objects"))
    expectSmall([[String?]].self, try lists(of: texts, className: "NSArray", key: "NS.objects"))
  }

  @Test func `packed numbers that many objects share are unpacked up to the limit`() throws {
    let numbers = Data(repeating: 1, count: 1 << 16)
    let text = String(repeating: "t", count: 1 << 15)
    for (className, entries, packed) in [
      ("NSIndexPath", ["NSIndexPathLength": 65536], "NSIndexPathData"),
      ("NSIndexSet", ["NSRangeCount": 32768], "NSRangeData"),
      ("NSAttributedString", [:], "NSAttributeInfo"),
    ] as [(String, OrderedDictionary<String, PropertyList>, String)] {
      var archive = HandmadeArchive()
      var entries = entries
      entries[packed] = archive.add(.data(numbers))
      if className == "NSAttributedString" {
        entries["NSString"] = archive.add(.string(text))
        let attributes = archive.addObject("NSDictionary", ["NS.keys": [], "NS.objects": []])
        entries["NSAttributes"] = archive.addArray([attributes, attributes])
      }
      entries["$class"] = archive.addClass(className)
      let root = archive.addArray((0..<2000).map { _ in archive.add(.dictionary(entries)) })
      let unarchiver = try archive.unarchiver(root: root, limits: Self.smallLimits)
      let before = peakMemory
      let result = soon(60) {
        switch className {
        case "NSIndexPath": _ = try unarchiver.decode([IndexPath].self, forKey: "root")
        case "NSIndexSet": _ = try unarchiver.decode([Archived.IndexSet].self, forKey: "root")
        default: _ = try unarchiver.decode([Archived.AttributedString].self, forKey: "root")
        }
      }
      #expect(kind(result) == .limitExceeded || kind(result) == .invalidContents, "\(className)")
      #expect(peakMemory - before < 1 << 30)
    }
  }

  @Test func `any value can be of an additional type`() throws {
    for types in [[ArchivedValue.self], [ArchivedValue?.self], [[ArchivedValue].self]] as [[any SecureCoding.Type]] {
      let unarchiver = try HandmadeArchive.unarchiver { $0.addArray([$0.addObject("NSObject")]) }
      unarchiver.additionalTypes = types
      #expect(kind(soon { try unarchiver.decode(ArchivedValue.self, forKey: "root") }) == .classNotAllowed)
    }
  }

  @Test func `two arrays that contain themselves can be elements of a set`() throws {
    var archive = HandmadeArchive()
    let first = archive.addArray([archive.next], className: "NSMutableArray")
    let second = archive.addArray([archive.next], className: "NSMutableArray")
    let set = archive.addObject("NSSet", ["NS.objects": [first, second]])
    let unarchiver = try archive.unarchiver(root: set)
    unarchiver.additionalTypes = [Archived.Mutable<[ArchivedValue]>.self]
    guard case .set(let elements) = try unarchiver.decode(ArchivedValue.self, forKey: "root") else {
      Issue.record("no set")
      return
    }
    #expect(elements.count == 2)
    for case .object(let element) in elements { (element as? Archived.Mutable<[ArchivedValue]>)?.value = [] }
  }

  @Test func `an archive with a long prefix of unused objects opens immediately`() throws {
    var file = HandmadeBinary()
    let null = file.add(string: "$null")
    let count = LongForm.size(1_000_000, or: 200_000)
    let objects = file.add(array: Array(repeating: null, count: count))
    let root = file.addArchive(objects: objects, root: file.add(uid: count - 1))
    let data = file.data(root: root)
    let text = soon(LongForm.isWanted ? 1 : 0.2) {
      try KeyedUnarchiver(forReadingFrom: data).decodeIfPresent(String.self, forKey: "root")
    }
    #expect(try text.get() == nil)
  }
}
