import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import TestSupport

extension NIBArchive.NewObject {
  static func text(_ text: String) -> Self { Self("NSString", [.init("NS.bytes", .data(Data(text.utf8)))]) }

  /// A collection. A dictionary has alternating keys and values.
  static func collection(_ className: String, _ elements: [Int]) -> Self {
    Self(
      className,
      [.init("NSInlinedValue", .boolean(true))] + elements.map { .init("UINibEncoderEmptyKey", .object($0)) })
  }
}

extension NIBArchive {
  /// The nib of a label in a view, with the top-level objects of an iOS nib. Object 3 has the label, which is object 5.
  static func label() throws -> NIBArchive {
    try NIBArchive(objects: [
      NewObject(
        "NSObject",
        [
          .init("UINibTopLevelObjectsKey", .object(1)), .init("UINibObjectsKey", .object(1)),
          .init("UINibConnectionsKey", .object(10)),
        ]),
      .collection("NSArray", [2, 3]),
      NewObject("UIProxyObject", [.init("UIProxiedObjectIdentifier", .object(4))]),
      NewObject(
        "UIView",
        [
          .init("UIBounds", .data(packed([0, 0, 320, 480.5] as [Float]))),
          .init("UICenter", .data(packed([160, 240.25] as [Double]))), .init("UISubviews", .object(9)),
          .init("UIOpaque", .boolean(false)), .init("UITag", .int16(-300)),
        ]),
      .text("IBFilesOwner"),
      NewObject(
        "UILabel",
        [
          .init("UIText", .object(6)), .init("UIFont", .object(7)), .init("UITextColor", .object(8)),
          .init("UIAlpha", .float(0.5)), .init("UIShadow", .null), .init("UILines", .int8(-1)),
          .init("UISuperview", .object(3)),
        ]),
      .text("Hello, 🌍"),
      NewObject("UIFont", [.init("UIFontPointSize", .double(17)), .init("UIWeight", .int32(400_000))]),
      NewObject("UIColor", fallbackClassNames: ["NSColor"], [.init("UIColorID", .int64(1 << 40))]),
      .collection("NSMutableArray", [5]), .collection("NSDictionary", [4, 6]),
    ])
  }

  /// Floats or doubles in the coder's packed form of structures.
  static func packed(_ numbers: [Float]) -> Data {
    Data([6]) + numbers.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
  }

  static func packed(_ numbers: [Double]) -> Data {
    Data([7]) + numbers.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
  }

  /// Tables with random contents, most of them connected.
  static func random(using random: inout SeededGenerator) throws -> NIBArchive {
    func count(_ limit: Int, using random: inout SeededGenerator) -> Int { Int.random(in: 0...limit, using: &random) }
    func index(_ count: Int, using random: inout SeededGenerator) -> Int {
      Int.random(in: 0..<8, using: &random) == 0
        ? Int.random(in: 0...Int(UInt32.max), using: &random) : Int.random(in: 0..<max(count, 1), using: &random)
    }
    let texts = [
      "", "a", "NSArray", "NSDictionary", "NSString", "NS.bytes", "NSInlinedValue", "UINibEncoderEmptyKey", "é",
      "e\u{301}", "$class", "$0", "\0", String(repeating: "long", count: 100), "NSObject",
    ]
    let (keys, classes) = (count(20, using: &random), count(12, using: &random))
    let (values, objects) = (count(200, using: &random), count(60, using: &random))
    let valueList: [(Int, Value)] = (0..<values).map { _ in
      let value: Value =
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .int8(.random(in: .min ... .max, using: &random))
        case 1: .int16(.random(in: .min ... .max, using: &random))
        case 2: .int32(.random(in: .min ... .max, using: &random))
        case 3: .int64(.random(in: .min ... .max, using: &random))
        case 4: .boolean(.random(using: &random))
        case 5: .float(Float(bitPattern: .random(in: .min ... .max, using: &random)))
        case 6: .double(Double(bitPattern: .random(in: .min ... .max, using: &random)))
        case 7:
          .data(Data((0..<count(300, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
        case 8: .null
        default: .object(index(objects, using: &random))
        }
      return (index(keys, using: &random), value)
    }
    return try NIBArchive(
      objects: (0..<objects).map { _ in
        let first = index(values, using: &random)
        return (index(classes, using: &random), first..<first + count(12, using: &random))
      }, keys: (0..<keys).map { _ in texts.randomElement(using: &random)! },
      values: valueList.map { (keyIndex: $0.0, value: $0.1) },
      classNames: (0..<classes).map { _ in
        ClassName(
          texts.randomElement(using: &random)!,
          fallbackIndices: (0..<count(2, using: &random)).map { _ in index(classes, using: &random) })
      }, coderVersion: .random(in: .min ... .max, using: &random),
      trailingBytes: Data((0..<count(3, using: &random)).map { UInt8($0) }))
  }

  /// Calls every function of an archive. Throws the errors of its views.
  func look() throws {
    for object in objects {
      _ = (object.className, object.fallbackClassNames, object["NS.bytes"])
      for field in object.values.prefix(100) { _ = (field.key, field.value.integer, field.value.numbers) }
    }
    _ = check()
    _ = try data()
    let archive = try keyedArchive()
    _ = try (archive.tree(), archive.jsonData(), archive.graph(), archive.classes, archive.references())
  }
}
