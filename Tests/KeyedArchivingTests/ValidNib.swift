import Foundation
import KeyedArchiving
import Nibs
import TestSupport

/// Creates nibs in the form of Interface Builder, deterministic for a seed, and changes them at random.
struct ValidNib {
  private var random: SeededGenerator
  private var objects: [NIBArchive.NewObject] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Returns a nib without findings: nested views with strings, fonts, colors, constraints and references back.
  ///
  /// - Parameter viewCount: the greatest number of views.
  mutating func make(viewCount: Int = 12) throws -> NIBArchive {
    objects = [.init("NSObject")]
    var views: [Int] = []
    for _ in 0..<Int.random(in: 1...viewCount, using: &random) {
      views.append(view(in: views.randomElement(using: &random)))
    }
    for view in views { add("UISubviews", collection("NSArray", children[view] ?? []), to: view) }
    let owner = text("IBFilesOwner")
    let proxy = append(.init("UIProxyObject", [.init("UIProxiedObjectIdentifier", .object(owner))]))
    let roots = views.filter { parents[$0] == nil }
    let top = collection("NSArray", [proxy] + roots)
    let names = collection("NSDictionary", roots.flatMap { [text("view \($0)"), $0] })
    objects[0].values = [
      .init("UINibTopLevelObjectsKey", .object(top)), .init("UINibObjectsKey", .object(top)),
      .init("UINibConnectionsKey", .object(connections(from: proxy, to: views))), .init("UINames", .object(names)),
    ]
    return try NIBArchive(objects: objects)
  }

  /// The subviews of each view, and its superview.
  private var children: [Int: [Int]] = [:]
  private var parents: [Int: Int] = [:]

  private mutating func append(_ object: NIBArchive.NewObject) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  private mutating func add(_ key: String, _ object: Int, to owner: Int) {
    objects[owner].values.append(.init(key, .object(object)))
  }

  private mutating func text(_ text: String) -> Int { append(.text(text)) }

  private mutating func collection(_ className: String, _ elements: [Int]) -> Int {
    append(.collection(className, elements))
  }

  private mutating func view(in parent: Int?) -> Int {
    let className = ["UIView", "UILabel", "UIButton", "UIImageView"].randomElement(using: &random) ?? "UIView"
    let bounds = (0..<4).map { _ in Float(Int.random(in: 0...500, using: &random)) }
    let view = append(
      .init(
        className, fallbackClassNames: className == "UIView" ? [] : ["UIView"],
        [
          .init("UIBounds", .data(NIBArchive.packed(bounds))), .init("UIOpaque", .boolean(.random(using: &random))),
          .init("UITag", .int16(.random(in: .min ... .max, using: &random))), .init("UIShadow", .null),
          .init("UIAlpha", .float(.random(in: 0...1, using: &random))),
        ]))
    if let parent {
      children[parent, default: []].append(view)
      parents[view] = parent
      add("UISuperview", parent, to: view)
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: add("UIText", text("Label \(view), größer"), to: view)
    case 1: add("UIFont", append(.init("UIFont", [.init("UIFontPointSize", .double(17))])), to: view)
    case 2:
      add(
        "UIColor", append(.init("UIColor", fallbackClassNames: ["NSColor"], [.init("UIColorID", .int64(1 << 40))])),
        to: view)
    default: break
    }
    return view
  }

  private mutating func connections(from source: Int, to views: [Int]) -> Int {
    let connections = views.prefix(3).map { view in
      append(
        .init(
          "UIRuntimeOutletConnection",
          [
            .init("UILabel", .object(text("outlet \(view)"))), .init("UISource", .object(source)),
            .init("UIDestination", .object(view)),
          ]))
    }
    return collection("NSArray", connections)
  }
}

extension NIBArchive {
  /// The tables, to change and convert to a nib again.
  struct Tables {
    var objects: [(classIndex: Int, values: Range<Int>)]
    var keys: [String]
    var values: [(keyIndex: Int, value: Value)]
    var classNames: [ClassName]

    init(_ nib: NIBArchive) {
      objects = nib.objects.map { ($0.classIndex ?? 0, $0.valueRange) }
      keys = nib.keys
      values = nib.values.map { ($0.keyIndex, $0.value) }
      classNames = nib.classNames
    }

    func nib() throws -> NIBArchive {
      try NIBArchive(objects: objects, keys: keys, values: values, classNames: classNames)
    }

    /// Makes one change after which all tables can still be read: the target of a reference, the values of an object,
    /// its class, or the kind or the key of a value.
    mutating func bend(using random: inout SeededGenerator) {
      guard let object = objects.indices.randomElement(using: &random),
        let value = values.indices.randomElement(using: &random),
        let other = values.indices.randomElement(using: &random),
        let target = (objects.indices).randomElement(using: &random)
      else { return }
      switch Int.random(in: 0..<11, using: &random) {
      case 0, 1: values[value].value = .object(target)
      case 2: values[value].value = .object(objects.count + Int.random(in: 0...3, using: &random))
      case 3: objects[object].classIndex = classNames.indices.randomElement(using: &random) ?? 0
      case 4: objects[object].classIndex = classNames.count
      case 5:
        let range = objects[object].values
        let start = max(0, range.lowerBound - Int.random(in: 0...2, using: &random))
        objects[object].values = start..<start + range.count + Int.random(in: 0...2, using: &random)
      case 6: objects[object].values = objects[target].values
      case 7: values[value].keyIndex = values[other].keyIndex
      case 8: values[value].value = values[other].value
      case 9: classNames[Int.random(in: 0..<classNames.count, using: &random)].fallbackIndices = [0, classNames.count]
      default: values.swapAt(value, other)
      }
    }
  }
}
