import FoundationEssentials
import PropertyLists

extension PropertyList {
  /// Returns the value of an option such as `-integer`. `missing` is the message if the next argument is missing.
  /// Throws if the text of the value is malformed; Apple's tool uses the beginning of such text, or ignores it.
  static func plutilValue(
    _ type: String, _ arguments: inout ArraySlice<String>, _ missing: String
  ) throws(PlutilError) -> PropertyList {
    switch type {
    case "-array": return []
    case "-dictionary": return [:]
    case "-bool", "-integer", "-float", "-string", "-date", "-data", "-xml", "-json": break
    default: throw PlutilError("Unknown insert or replace type \(type.printable())")
    }
    guard let text = arguments.popFirst() else { throw PlutilError(missing) }
    try PlutilError.refuseBytes(text)
    do {
      switch type {
      case "-bool": return try PropertyList(rawText: text, as: .boolean)
      case "-integer": return try PropertyList(rawText: text, as: .integer)
      case "-float": return try PropertyList(rawText: text, as: .real)
      case "-date": return try PropertyList(rawText: text, as: .date)
      case "-data": return try PropertyList(rawText: text, as: .data)
      case "-xml": return try PropertyList(Data(text.utf8), format: .xml)
      case "-json": return try PropertyList(Data(text.utf8), format: .json)
      default: return .string(text)
      }
    } catch {
      switch type {
      case "-bool": throw PlutilError("Invalid boolean \(text.quoted) in argument; use YES or NO")
      case "-date": throw PlutilError("Invalid date \(text.quoted) in argument; use 2001-01-01T00:00:00Z")
      case "-data": throw PlutilError("Invalid base64 data in argument")
      case "-xml": throw PlutilError("Unable to parse xml property list: \(error)")
      case "-json": throw PlutilError("Unable to parse JSON: \(error)")
      default: throw PlutilError("Invalid \(type.dropFirst()) \(text.quoted) in argument")
      }
    }
  }
}
