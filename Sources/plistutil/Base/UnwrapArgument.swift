internal import ArchiveViews
import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists

/// Whether what is nested in data is opened.
struct UnwrapArgument: ParsableArguments {
  @Flag(
    name: .customLong("unwrap"),
    help: """
      Open property lists, keyed archives, typedstreams and compiled nibs that are nested in data, as deep as they go, and \
      a file that is an archive.
      """)
  var isGiven = false

  /// The whole file with all that is nested in it.
  func document(
    _ input: Input, _ reading: ReadingArguments, _ report: inout FileReport
  ) throws(PropertyListError) -> PropertyListDocument {
    let document = try file(input, reading)
    return try unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in try unwrapper.document(document) }
  }

  /// The value at a path that goes on inside of data.
  func value(
    at path: PropertyListKeyPath, in document: PropertyListDocument, _ input: Input, _ report: inout FileReport
  ) throws(PropertyListError) -> PropertyListDocument.Node {
    try unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in try unwrapper.value(at: path, in: document) }
  }

  /// The archive in a file with all that is nested in it; of a property list that is none, the archives in it.
  func archive(in document: PropertyListDocument, _ input: Input, _ report: inout FileReport)
    throws(PropertyListError) -> KeyedArchive
  {
    try unwrap(input, &report) { unwrapper throws(KeyedArchiveError) in try unwrapper.archive(in: document) }
  }

  /// Does something with an unwrapper, and tells what it could not open, also if that is why something is not found.
  func unwrap<Result>(
    _ input: Input, _ report: inout FileReport,
    _ body: (inout Unwrapper) throws(KeyedArchiveError) -> Result
  ) throws(PropertyListError) -> Result {
    var unwrapper = Unwrapper()
    defer { reportUnreadable(of: unwrapper, input, &report) }
    do { return try body(&unwrapper) } catch { throw PropertyListError(error) }
  }

  /// Reports what an unwrapper could not open.
  func reportUnreadable(of unwrapper: Unwrapper, _ input: Input, _ report: inout FileReport) {
    for note in unwrapper.notes { report.note("\(input.name): note: \(note)") }
  }

  /// The file as a property list. Typedstreams and nibs are in the shape of keyed archives.
  func file(_ input: Input, _ reading: ReadingArguments) throws(PropertyListError) -> PropertyListDocument {
    try file(input, reading, input.data())
  }

  /// Bytes that were read from the file, as a property list.
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
