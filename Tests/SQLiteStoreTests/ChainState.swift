import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Testing

/// The contents of a store of the probe's chain, and the expected contents after a number of links.
enum ChainState {
  static func expected(_ last: Int) -> [String] {
    let live = last < 1 ? [] : Array(max(1, last - 4)...last)
    var lines: [String] = []
    for number in live {
      var items = ["\(number).0", "\(number).1", "\(number).2"]
      if number > 1 { items.append("\(number - 1).0") }
      if number < last { items.removeFirst() }
      let previous = live.contains(number - 1) ? "\(number - 1)" : ""
      let next = live.contains(number + 1) ? "\(number + 1)" : ""
      lines.append("\(number): \(items.joined(separator: " ")) <\(previous) >\(next)")
    }
    for tag in 0..<3 {
      let links = live.filter { $0 % 3 == tag || ($0 + 1) % 3 == tag }
      lines.append("tag \(tag) \(last): " + links.map(String.init).joined(separator: " "))
    }
    lines.append("\(live.count) \(lines.prefix(live.count).reduce(0) { $0 + $1.filter { $0 == "." }.count })")
    return lines
  }

  /// Returns the number of the last link, and the contents of the store. Checks that both sides of relationships agree.
  static func read(_ file: URL) throws -> (last: Int, lines: [String]) {
    let model = try SQLiteStore.model(inFile: file)
    let context = try ManagedObjectContext(SQLiteStore(file, model: model))
    func targets(_ object: ManagedObject, _ key: String) -> [ManagedObject] {
      switch object[key] {
      case .object(let target): [target]
      case .array(let all), .set(let all): all.compactMap { if case .object(let target) = $0 { target } else { nil } }
      case .attribute, nil: []
      }
    }
    func number(_ object: ManagedObject, _ key: String = "number") -> Int {
      if case .attribute(.integer(let number))? = object[key] { Int(number) } else { -1 }
    }
    var lines: [String] = []
    let links = try context.fetch(FetchRequest("Link", sortedBy: [.init("number")]))
    for link in links {
      let items = targets(link, "items").map { item in
        if case .attribute(.string(let name))? = item["name"], targets(item, "link") == [link] { name } else { "?" }
      }
      let previous = targets(link, "previous").map { targets($0, "next") == [link] ? "\(number($0))" : "?" }
      let next = targets(link, "next").map { targets($0, "previous") == [link] ? "\(number($0))" : "?" }
      lines.append("\(number(link)): \(items.joined(separator: " ")) <\(previous.joined()) >\(next.joined())")
    }
    let tags = try context.fetch(FetchRequest("Tag", sortedBy: [.init("number")]))
    for tag in tags {
      let numbers = targets(tag, "links").map { targets($0, "tags").contains(tag) ? "\(number($0))" : "?" }
      lines.append("tag \(number(tag)) \(number(tag, "last")): \(numbers.joined(separator: " "))")
    }
    lines.append("\(links.count) \(try context.count(for: FetchRequest("Item")))")
    return (tags.first.map { number($0, "last") } ?? 0, lines)
  }
}
