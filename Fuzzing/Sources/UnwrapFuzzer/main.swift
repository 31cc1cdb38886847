import ArchiveViews
import CLibFuzzer
import Foundation
import KeyedArchiving
import PropertyLists
import Typedstreams

/// Opens all that is nested in bytes: as a property list or an archive, and as data in a list and in a typedstream.
///
/// Errors are what damaged bytes should lead to; the process ends for anything else, and if the limits are not kept.
private func fuzzUnwrapper(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let data = Data(UnsafeBufferPointer(start: start, count: count))
  if let document = try? PropertyListDocument(data) { unwrap(document) }
  if let archive = try? KeyedArchive(ofOtherFormat: data) { unwrap(archive.document) }
  let list = PropertyList.array([.data(data), .data(data)])
  if let nested = try? list.data(format: .binary), let document = try? PropertyListDocument(nested) {
    unwrap(document)
  }
  decode(data)
  return 0
}

private func unwrap(_ document: PropertyListDocument) {
  // With the usual limit, 200 bytes with nested references take half a minute in a build for fuzzing.
  var unwrapper = Unwrapper(limits: ParsingLimits(expandedSize: 1 << 14))
  if let opened = try? unwrapper.document(document) { _ = try? PropertyList(opened.root) }
  if let archive = try? unwrapper.archive(in: document) {
    _ = archive.check()
    _ = try? (archive.tree(), archive.jsonData(), archive.classes)
  }
  _ = try? (unwrapper.check(document), unwrapper.typedstreams(in: document))
  for path in ["0.0.0", "root", "0.NS\\.objects.0", "0.$class"] {
    guard let path = try? PropertyListKeyPath(path) else { continue }
    _ = try? unwrapper.value(at: path, in: document)
  }
  precondition(unwrapper.unreadable.count <= Unwrapper.greatestUnreadable, "the list of broken data has no end")
}

/// Decodes the bytes as an archive of any kind, alone and in the data of a typedstream.
private func decode(_ data: Data) {
  _ = try? AnyUnarchiver.unarchivedObject(of: ArchivedValue.self, from: data)
  _ = try? AnyUnarchiver.unarchivedObject(of: [String].self, from: data)
  var builder = TypedstreamBuilder()
  guard (try? builder.beginGroup("@@")) != nil, (try? builder.append(.data(data))) != nil,
    (try? builder.append(.data(data))) != nil, let stream = try? builder.finish()
  else { return }
  let types: [any TypedstreamDecodable.Type] = [
    String.self, Int.self, [String: Int].self, Archived.Color.self, Archived.AttributedString.self, PropertyList.self,
  ]
  for type in types { _ = try? TypedstreamUnarchiver(stream).decode(of: [type]) }
  _ = try? TypedstreamUnarchiver(stream).decode(of: types)
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { fuzzUnwrapper($0, $1) })
