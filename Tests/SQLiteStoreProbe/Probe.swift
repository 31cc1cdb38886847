import Foundation
import ManagedObjects
import SQLiteStore

/// What tests have another process do with a store: `sqlite-store-probe FILE VERB …`.
@main
struct Probe {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else { throw Usage() }
    let file = URL(filePath: arguments[0])
    let rest = arguments.dropFirst(2).compactMap { Int($0) }
    switch arguments[1] {
    // Makes the store if there is none, and says so.
    case "open":
      _ = try SQLiteStore(file, model: Chain.model)
      say("open")
    // Saves one link of the chain after the other, and says the number of each that is saved.
    case "chain":
      var chain = try Chain(file)
      while true { say("\(try chain.save())") }
    // Adds 1 to the counter that processes have in common, and to its own, as often as it is told.
    case "count":
      guard rest.count == 2 else { throw Usage() }
      var conflicts = 0
      let counter = try Counter(file, name: "\(rest[0])")
      for _ in 0..<rest[1] {
        conflicts += try counter.add()
        say("saved")
      }
      say("conflicts \(conflicts)")
    // Locks the database for writing until a file tells it to commit.
    case "hold": try hold(file.path)
    // Saves objects with much data until a save fails, says which, and saves them again when there is room.
    case "fill": try fill(file, room: rest.first ?? 0)
    // Makes a store of so many links and counters.
    case "make":
      guard rest.count == 2 else { throw Usage() }
      try ChainVersions.make(file, links: rest[0], counters: rest[1])
    // Changes the store to another version in one of several ways.
    case "migrate":
      guard arguments.count >= 3 else { throw Usage() }
      try migrate(file, arguments[2], room: rest.first)
    // Makes a store of so many rows; looks at one, and says what that takes.
    case "rows":
      guard rest.count == 1 else { throw Usage() }
      try Inspection.make(file, notes: rest[0])
    case "check": try Inspection.check(file)
    case "info": try Inspection.info(file)
    case "compare":
      guard arguments.count >= 3 else { throw Usage() }
      try Inspection.compare(file, URL(filePath: arguments[2]), key: arguments.count > 3 ? arguments[3] : nil)
    default: throw Usage()
    }
  }

  /// Says a line by one call, so that a process that is killed has said whole lines.
  static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
  }
}

struct Usage: Error {}
