internal import ArchiveViews
import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists

/// An option that opens the archives and property lists that are nested in data.
struct UnwrapArgument: ParsableArguments {
  @Flag(
    name: .customLong("unwrap"),
    help: """
      Open property lists, keyed archives, typedstreams and compiled nibs that are nested in data, to any depth, and \
      files that are archives.
      """)
  var isGiven = false

  /// Returns the document of a file. Replaces data that contains an archive by the archived values, and data that
  /// contains a property list by that property list.
  func document(
    _ input: Input, _ reading: ReadingArguments, _ report: inout FileReport
  ) throws(PropertyListError) -> PropertyListDocument {
    let document = try file(input, reading)
    return try unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in try unwrapper.document(document) }
  }

  /// Returns the value at a path. The path may lead into property lists and archives that are nested in data.
  func value(
    at path: PropertyListKeyPath, in document: PropertyListDocument, _ input: Input, _ report: inout FileReport
  ) throws(PropertyListError) -> PropertyListDocument.Node {
    try unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in try unwrapper.value(at: path, in: document) }
  }

  /// Returns the archive in a file, with the archives and property lists that are nested in its data. If the file is a
  /// property list but not an archive, its keys and values are at the top level of the returned archive.
  func archive(in document: PropertyListDocument, _ input: Input, _ report: inout FileReport)
    throws(PropertyListError) -> KeyedArchive
  {
    try unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in try unwrapper.archive(in: document) }
  }

  /// Calls `body` with an unwrapper. Reports the data that the unwrapper could not open, even if `body` throws.
  func unwrap<Result>(
    _ input: Input, _ report: inout FileReport,
    _ body: (inout Unwrapper) throws(KeyedArchiveError) -> Result
  ) throws(PropertyListError) -> Result {
    var unwrapper = Unwrapper()
    defer { reportUnreadable(of: unwrapper, input, &report) }
    do { return try body(&unwrapper) } catch { throw PropertyListError(error) }
  }

  /// Reports the data that an unwrapper could not open.
  func reportUnreadable(of unwrapper: Unwrapper, _ input: Input, _ report: inout FileReport) {
    for note in unwrapper.notes { report.note("\(input.name): note: \(note)") }
  }

  /// Reads a file as a property list. Typedstreams and nibs are converted to the structure of a keyed archive.
  func file(_ input: Input, _ reading: ReadingArguments) throws(PropertyListError) -> PropertyListDocument {
    try file(input, reading, input.data())
  }

  /// Does the same as ``file(_:_:)`` with the bytes of a file that has already been read.
  func file(
    _ input: Input, _ reading: ReadingArguments, _ data: Data
  ) throws(PropertyListError) -> PropertyListDocument {
    if reading.inputFormat == nil {
      do {
        if let archive = try KeyedArchive(ofOtherFormat: data) { return archive.document }
      } catch {
        throw PropertyListError(error)
      }
    }
    return try reading.document(input, data)
  }
}
