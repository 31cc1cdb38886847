import ArchiveViews
import CLibFuzzer
import Foundation
import KeyedArchiving
import Nibs

/// Reads bytes as a nib, looks at all of it, and writes it again.
///
/// Errors are what damaged bytes should lead to; the process ends for anything else, and where what was written is not
/// read as the same.
private func fuzzNib(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let data = Data(UnsafeBufferPointer(start: start, count: count))
  guard let nib = try? Nib(data) else { return 0 }
  if case .nibArchive(let nib) = nib {
    for object in nib.objects {
      _ = (object.className, object.fallbackClassNames, object["NS.bytes"])
      for field in object.values.prefix(100) { _ = (field.key, field.value.integer, field.value.numbers) }
    }
    _ = nib.check()
    guard let written = try? nib.data(), let read = try? NIBArchive(written), read == nib else {
      fatalError("what was written is not read as the same")
    }
  }
  guard let archive = try? nib.keyedArchive() else { return 0 }
  _ = archive.check()
  _ = try? (archive.tree(), archive.jsonData(), archive.graph(), archive.classes, archive.references())
  return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { fuzzNib($0, $1) })
