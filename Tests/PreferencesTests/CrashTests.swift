import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Processes that are killed during a save") struct CrashTests {
  @Test(
    "killed before any system call: the file is old or new, and the next process continues",
    arguments: SaveSituation.Kind.allCases)
  func beforeEachOfItsSystemCalls(_ kind: SaveSituation.Kind) throws {
    // By default every fourth call, of which the first is another one in each situation.
    let step = LongForm.size(1, or: 4)
    var number = 1 + (SaveSituation.Kind.allCases.firstIndex(of: kind) ?? 0) % step
    var wasOld = false
    var wasNew = false
    while true {
      let situation = try SaveSituation(kind)
      let process = try situation.file.start("crash", String(number), kind.isRemoval ? "remove" : "update")
      let end = process.waitUntilExit()
      #expect(situation.error() == nil, "killed before call \(number)")
      #expect(situation.isLinkKept)
      // The hard link that replaces the file is a temporary name.
      #expect(situation.temporaryNames.count <= 1)
      wasOld = try wasOld || situation.isOld()
      wasNew = try wasNew || situation.isNew()
      let next = situation.file.open()
      if kind.isRemoval {
        next.removePersistentDomain(next.domain)
        try next.synchronize()
      } else {
        try next.update(forKey: "changed") { $0 = "new" }
      }
      #expect(try situation.isNew(), "killed before call \(number)")
      try situation.goOn(next)
      if end == .exited(0) { break }
      try #require(end == .killed(signal: SIGKILL), "\(end) \(process.errors)")
      number += step
      try #require(number < 200)
    }
    #expect(number > 6 && wasNew)
    #expect(wasOld || kind == .removedDomain)
  }

  @Test("leftover files are removed later, but not files that are being written")
  func abandonedFiles() throws {
    let file = try SavedFile(["a": 1])
    // Killed when the temporary file exists, before it is written, which is in the middle of the calls.
    var number = 9
    while file.temporaryNames.count < 3 {
      _ = try file.start("crash", String(number % 25 + 1), "update").waitUntilExit()
      number += 1
      try #require(number < 200)
    }
    let names = file.temporaryNames
    for name in names.dropFirst() { try file.age(file.location.path + "/" + name) }
    #expect(try file.start("set", "b", "2").waitUntilExit() == .exited(0))
    #expect(file.temporaryNames == [names[0]])
    #expect(try file.contents()?["b"] == "2")
  }
}
