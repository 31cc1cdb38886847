import ArchiveViews
import CLibFuzzer
import Foundation
import KeyedArchiving
import Typedstreams

/// Reads bytes as a typedstream, and does with it all that can be done: walks it, writes it and reads it again, shows
/// it, decodes it, takes it for a message.
///
/// Errors are what a damaged stream should lead to; the process ends for anything else, and for a stream that is not
/// the same after it was written and read.
private func fuzzTypedstream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Less is no stream.
  guard count >= 14, count <= 1 << 16 else { return -1 }
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let stream = try? Typedstream(bytes: bytes) else { return 0 }
  for byteOrder in [stream.byteOrder, .littleEndian, .bigEndian] {
    do throws(TypedstreamError) {
      let again = try Typedstream(stream.data(byteOrder: byteOrder))
      precondition(byteOrder != stream.byteOrder || again == stream, "what was written is read as something else")
    } catch {
      // With narrow numbers the values may be too many for the size.
      precondition(error.kind == .limitExceeded, "what was written cannot be read: \(error)")
    }
  }
  walk(stream.groups)
  _ = try? stream.jsonData(isIndented: false)
  if let archive = try? stream.keyedArchive() { _ = try? archive.tree() }
  decode(stream)
  readMessage(stream)
  return 0
}

/// Looks at all groups and values, but not twice at an object.
private func walk(_ groups: Typedstream.Groups) {
  var groups = [groups]
  while let next = groups.popLast() {
    for group in next {
      var values = [group.values]
      while let next = values.popLast() {
        for value in next {
          switch value.content {
          case .object(let object): groups.append(object.groups)
          case .array(let parts), .structure(let parts): values.append(parts)
          case .class(let found): _ = found.chain
          default: break
          }
        }
      }
    }
  }
}

private func decode(_ stream: Typedstream) {
  let types: [any TypedstreamDecodable.Type] = [
    ArchivedValue.self, Archived.AttributedString.self, Archived.Color.self, Archived.Value.self, Archived.Rect.self,
    [String].self, [String: Int].self, Set<Data>.self, Double.self, Typedstream.Object.self,
  ]
  for type in types {
    let unarchiver = TypedstreamUnarchiver(stream)
    unarchiver.keepsUnknownObjects = true
    while !unarchiver.isAtEnd {
      guard let value = try? unarchiver.decode(of: [type]) else { break }
      guard let value = value as? ArchivedValue else { continue }
      _ = value.hashValue
      var builder = TypedstreamBuilder()
      guard (try? builder.beginGroup("@")) != nil, (try? builder.append(value)) != nil else { continue }
      precondition((try? builder.finish()) != nil, "a value that has been appended does not end")
    }
  }
}

private func readMessage(_ stream: Typedstream) {
  guard let body = try? MessageBody(stream) else { return }
  let text = body.runs.map { String(body.text[$0.range]) }.joined()
  // A run may begin in the middle of a character, which no text of Messages' does.
  precondition(body.runs.isEmpty || text.utf8.count >= body.text.utf8.count, "the runs are not the text")
  _ = body.parts
  for detected in body.runs.flatMap(\.detected) { _ = try? detected.result() }
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { fuzzTypedstream($0, $1) })
