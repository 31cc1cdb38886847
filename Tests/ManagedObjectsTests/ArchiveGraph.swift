import Foundation
import OrderedCollections
import PropertyLists

/// Compares two archives as graphs: classes, keys and values, regardless of the order of objects in the tables.
struct ArchiveGraph {
  private let first: [PropertyList]
  private let second: [PropertyList]
  private var known: Set<[UInt32]> = []
  private var differences: [String] = []

  /// Returns the differences. A nil value equals a missing key. The order of dictionaries and sets is ignored.
  ///
  /// - Parameter isOfStore: True if the first archive is the model in a store. Such models repeat inherited properties,
  ///   have collections of other classes, and have empty collections where compiled models have none.
  static func differences(_ first: Data, _ second: Data, isOfStore: Bool = false) throws -> [String] {
    let archives = try [first, second].map { try PropertyList($0) }
    var graph = ArchiveGraph(
      first: archives[0]["$objects"]?.array ?? [], second: archives[1]["$objects"]?.array ?? [], isOfStore: isOfStore)
    graph.compare(archives[0]["$top"]?["root"] ?? .null, archives[1]["$top"]?["root"] ?? .null, "root")
    return graph.differences
  }

  private let isOfStore: Bool

  /// Keys for the version of the compiler, and for the way in which a store used a request.
  private static let ignored: Set<String> = [
    "$class", "CDMCompilerToolVersion", "CDMCompilerXcodeVersion", "NSAllocationType",
  ]

  private init(first: [PropertyList], second: [PropertyList], isOfStore: Bool) {
    self.first = first
    self.second = second
    self.isOfStore = isOfStore
  }

  /// True if an object is missing. In the model of a store, an empty collection counts as missing.
  private func isNothing(_ object: PropertyList?) -> Bool {
    object == nil || isOfStore && (object?["NS.objects"]?.array?.isEmpty ?? false)
  }

  private static func object(_ value: PropertyList, _ objects: [PropertyList]) -> PropertyList? {
    guard case .uid(let uid) = value else { return value }
    guard uid.value > 0, uid.value < objects.count else { return nil }
    let object = objects[Int(uid.value)]
    return object == .string("$null") ? nil : object
  }

  private mutating func compare(_ a: PropertyList, _ b: PropertyList, _ path: String) {
    if differences.count > 20 { return }
    if case .uid(let a) = a, case .uid(let b) = b, !known.insert([a.value, b.value]).inserted { return }
    var one = Self.object(a, first)
    if isOfStore, let text = one?["NS.string"] { one = text }
    let other = Self.object(b, second)
    guard let one, let other else {
      if !isNothing(one) || !isNothing(other) { differences.append("\(path): \(short(one)) ≠ \(short(other))") }
      return
    }
    switch (one, other) {
    case (.dictionary(let one), .dictionary(let other)) where one["$class"] != nil: compare(one, other, path)
    case (.array(let one), .array(let other)):
      if one.count != other.count { differences.append("\(path): \(one.count) elements ≠ \(other.count)") }
      for (index, (a, b)) in zip(one, other).enumerated() { compare(a, b, "\(path)[\(index)]") }
    default: if one != other { differences.append("\(path): \(short(one)) ≠ \(short(other))") }
    }
  }

  private func short(_ value: PropertyList?) -> String { value.map { String("\($0)".prefix(120)) } ?? "nothing" }

  private func classes(_ entries: OrderedDictionary<String, PropertyList>, _ objects: [PropertyList]) -> PropertyList? {
    Self.object(entries["$class"] ?? .null, objects)?["$classes"]
  }

  private mutating func compare(
    _ one: OrderedDictionary<String, PropertyList>, _ other: OrderedDictionary<String, PropertyList>, _ path: String
  ) {
    let (a, b) = (classes(one, first), classes(other, second))
    let isCollection = one["NS.objects"] != nil || one["searchMapping"] != nil
    // The array of a method's arguments is mutable or not, depending on the source of the expression.
    let isFree = isCollection && (isOfStore || path.hasSuffix(".NSArguments"))
    if a != b, !isFree { differences.append("\(path): class \(short(a)) ≠ \(short(b))") }
    if let values = table(one, first), let otherValues = table(other, second) {
      let keys = isOfStore && path.hasSuffix(".NSProperties") ? [] : Set(values.keys)
      for key in keys.union(otherValues.keys).sorted() {
        compare(values[key] ?? .uid(.init(0)), otherValues[key] ?? .uid(.init(0)), "\(path).\(key)")
      }
      return
    }
    if let name = a?[0]?.string, name.contains("Set"), let elements = one["NS.objects"]?.array,
      let others = other["NS.objects"]?.array
    {
      let sorted = elements.sorted { label($0, first) < label($1, first) }
      let otherSorted = others.sorted { label($0, second) < label($1, second) }
      compare(.array(sorted), .array(otherSorted), path)
      return
    }
    // A decimal number without digits is 0 with any exponent: momc archives "0.0" with the exponent -1.
    let isZero = one["NS.length"] == 0 && other["NS.length"] == 0
    let ignored = isZero ? Self.ignored.union(["NS.exponent", "NS.compact"]) : Self.ignored
    for key in Set(one.keys).union(other.keys).subtracting(ignored).sorted() {
      compare(one[key] ?? .uid(.init(0)), other[key] ?? .uid(.init(0)), "\(path).\(key)")
    }
  }

  /// Returns the entries of a dictionary; nil for other objects.
  private func table(
    _ object: OrderedDictionary<String, PropertyList>, _ objects: [PropertyList]
  ) -> [String: PropertyList]? {
    if let keys = object["NS.keys"]?.array { return entries(keys, object["NS.objects"]?.array ?? [], objects) }
    guard let mapping = object["searchMapping"], let values = object["values"] else { return nil }
    let keys = Self.object(Self.object(mapping, objects)?["keys"] ?? .null, objects)?["NS.objects"]?.array
    return entries(keys ?? [], Self.object(values, objects)?["NS.objects"]?.array ?? [], objects)
  }

  private func entries(
    _ keys: [PropertyList], _ values: [PropertyList], _ objects: [PropertyList]
  ) -> [String: PropertyList] {
    Dictionary(zip(keys.map { label($0, objects) }, values)) { $1 }
  }

  private func label(_ value: PropertyList, _ objects: [PropertyList]) -> String {
    let object = Self.object(value, objects)
    if let text = object?.string { return text }
    if let text = object?["NS.string"]?.string { return text }
    return object?["NSEntityName"].flatMap { Self.object($0, objects)?.string } ?? short(object)
  }
}
