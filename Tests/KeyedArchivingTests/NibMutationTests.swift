import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import PropertyLists
import TestSupport
import Testing

@Suite("Randomly changed compiled nibs") struct NibMutationTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a generated nib has no findings, and has all views`(_ seed: UInt64) throws {
    var generator = ValidNib(seed: seed)
    let nib = try generator.make()
    #expect(nib.check().map(\.description) == [])
    #expect(try NIBArchive(nib.data()) == nib)
    let archive = try nib.keyedArchive()
    #expect(try archive.tree().contains("UISubviews"))
    #expect(try NIBArchive.Tables(nib).nib() == nib)
  }

  /// Calls every function of a nib. Only errors of the module may be thrown.
  private func use(_ nib: NIBArchive) throws -> Bool {
    do {
      let read = try NIBArchive(nib.data())
      try read.look()
      let archive = try read.keyedArchive()
      _ = archive.check()
      var unwrapper = Unwrapper()
      _ = try unwrapper.document(archive.document)
      return true
    } catch let error where error is NIBArchiveError || error is KeyedArchiveError {
      return false
    }
  }

  @Test(arguments: 1...UInt64(LongForm.size(4, or: 2)))
  func `nibs with changed tables have views or an error`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var used = 0
    for round in 0..<LongForm.size(20_000, or: 6) {
      // The short form ends with the third round, or the first usable nib after it.
      if !LongForm.isWanted, round >= 3, used > 0 { break }
      var generator = ValidNib(seed: seed &* 1_000_003 &+ UInt64(round))
      var tables = NIBArchive.Tables(try generator.make(viewCount: LongForm.size(12, or: 6)))
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        tables.bend(using: &random)
        if try use(tables.nib()) { used += 1 }
      }
    }
    #expect(used > 0)
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `nibs with changed bytes have views or an error`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<LongForm.size(50_000, or: 15) {
      var generator = ValidNib(seed: seed &* 7919 &+ UInt64(round))
      var bytes = [UInt8](try generator.make().data())
      bytes.damage(using: &random)
      guard let nib = try? NIBArchive(Data(bytes)) else { continue }
      _ = try use(nib)
    }
  }

  @Test(arguments: LongForm.isWanted ? [100, 1000, 5000] : [100, 700])
  func `nested views of any depth are shown or refused, on a small stack too`(_ depth: Int) throws {
    var objects: [NIBArchive.NewObject] = [.init("NSObject", [.init("UINibTopLevelObjectsKey", .object(1))])]
    for level in 0..<depth {
      objects.append(.init("UIView", [.init("UISubviews", .object(2 * level + 2))]))
      objects.append(.collection("NSArray", level + 1 < depth ? [2 * level + 3] : []))
    }
    let nib = try NIBArchive(objects: objects)
    let outcome = OnSmallStack.run { _ = try use(nib) }
    #expect(outcome.error == nil)
    #expect(nib.check().allSatisfy { $0.kind == .limitExceeded })
  }
}
