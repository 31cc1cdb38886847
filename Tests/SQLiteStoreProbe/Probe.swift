import Foundation
import ManagedObjects
import SQLiteStore

/// Uses a store in another process, for tests: `sqlite-store-probe FILE VERB …`.
@main
struct Probe {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else { throw Usage() }
    let file = URL(filePath: arguments[0])
    let rest = arguments.dropFirst(2).compactMap { Int($0) }
    switch arguments[1] {
    // Creates the store if it is missing, and prints a line.
    case "open":
      _ = try SQLiteStore(file, model: Chain.model)
      say("open")
    // Saves the links of the chain one after another, and prints the number of each saved link. With "history" as an
    // argument, the store records its history.
    case "chain":
      var chain = try Chain(file, tracksHistory: arguments.contains("history") ? true : nil)
      while true { say("\(try chain.save())") }
    // Adds 1 to the shared counter and to its own, a given number of times.
    case "count":
      guard rest.count == 2 else { throw Usage() }
      var conflicts = 0
      let counter = try Counter(file, name: "\(rest[0])")
      for _ in 0..<rest[1] {
        conflicts += try counter.add()
        say("saved")
      }
      say("conflicts \(conflicts)")
    // Counts with a main context that follows other processes, until it shows a sum.
    case "follow":
      guard rest.count == 2 else { throw Usage() }
      try await Followers(file).follow(rounds: Int64(rest[0]), until: Int64(rest[1]))
    // Counts in a number of tasks.
    case "serve":
      guard rest.count == 2 else { throw Usage() }
      try await Followers(file).serve(tasks: rest[0], rounds: rest[1])
    // Holds a write lock until a file with the suffix `.release` exists.
    case "hold": try hold(file.path)
    // Saves objects with much data until a save fails, prints which, and saves them again when there is room.
    case "fill": try fill(file, room: rest.first ?? 0)
    // Creates a store with a number of links and counters.
    case "make":
      guard rest.count == 2 else { throw Usage() }
      try ChainVersions.make(file, links: rest[0], counters: rest[1])
    // Migrates the store to another version in one of several ways.
    case "migrate":
      guard arguments.count >= 3 else { throw Usage() }
      try migrate(file, arguments[2], room: rest.first)
    // Creates a store with a number of rows; inspects one, and prints the cost.
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

  /// Prints a line by one call, so that a killed process has printed complete lines.
  static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
  }
}

struct Usage: Error {}
