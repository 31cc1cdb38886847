internal import ArchiveViews
import ArgumentParser
import BrowsingPages
import KeyedArchiving
internal import Nibs
import PropertyLists
import SystemFiles

struct ArchiveHTML: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "html",
    abstract: "Write the objects of an archive as an HTML page.",
    discussion: """
      The page is one file, and needs neither a server nor a network. It shows the objects as a tree and by class, the \
      references to each object, and a search. Archives nested in data are opened, so any property list can be shown. \
      Data is shown in hexadecimal, and pictures as pictures. The page runs no code from the archive, and loads \
      nothing.

      The fields under the headings of a table filter its rows: ada, =Ada, 5, >5, 5..9, 2026-06, >2026-06, = for no \
      value and != for any. Several filters, the order of a column and a search work together.

      Examples:
        plistutil archive html Session.data -o Session.html
        plistutil archive html --extension html *.nib
      """)

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ArchiveArguments
  @OptionGroup var destination: Destination

  func validate() throws {
    if destination.inPlace {
      throw ValidationError("--in-place would replace the archive with a page; use --outfile or --extension.")
    }
  }

  func run() throws {
    try files.process(to: destination) { [self] input, report throws(PropertyListError) in
      let page = try page(of: input)
      try destination.write(for: input, to: &report) { output throws(PropertyListError) in try page.write(to: output) }
    }
  }

  /// The greatest number of findings in a page.
  private static let greatestFindingCount = 100

  private func page(of input: Input) throws(PropertyListError) -> ArchivePage {
    let source = try reading.source(input)
    var unwrapper = Unwrapper()
    var notes = try notes(of: source)
    let archive: KeyedArchive
    do { archive = try source.unwrapped(&unwrapper) } catch {
      // Nested archives that cannot be opened are shown as data.
      archive = try source.archive()
      notes.append("Nested archives are shown as data: \(error.message)")
    }
    for data in unwrapper.unreadable.prefix(Self.greatestFindingCount) {
      let subject = data.path.components.isEmpty ? "data" : "the data at \(data.path)"
      notes.append("\(subject) is shown as data: \(data.error)")
    }
    var page = ArchivePage(archive, title: input.pageTitle)
    page.facts = [("File", input.machineName), ("Format", source.formatName)]
    if unwrapper.openedCount > 0 { page.facts.append(("Opened in data", "\(unwrapper.openedCount)")) }
    page.notes = notes
    return page
  }

  private func notes(of source: ArchiveSource) throws(PropertyListError) -> [String] {
    if case .propertyList(let document) = source, (try? KeyedArchive(document)) == nil {
      return ["The file is a property list, not an archive. Its entries are at the top level."]
    }
    let findings = try source.check()
    var notes = findings.prefix(Self.greatestFindingCount).map(\.text)
    if findings.count > notes.count { notes.append("\(findings.count - notes.count) more findings") }
    return notes
  }
}

extension ArchiveSource {
  /// Returns the archive, with the archives and property lists that are nested in its data. If the file is a property
  /// list but not an archive, its keys and values are at the top level of the returned archive.
  fileprivate func unwrapped(_ unwrapper: inout Unwrapper) throws(KeyedArchiveError) -> KeyedArchive {
    if case .propertyList(let document) = self { return try unwrapper.archive(in: document) }
    let archive: KeyedArchive
    do { archive = try self.archive() } catch { throw KeyedArchiveError(error) }
    return try unwrapper.archive(archive)
  }

  fileprivate var formatName: String {
    switch self {
    case .propertyList(let document):
      (try? KeyedArchive(document)) == nil
        ? "property list, \(document.format.rawValue)" : "keyed archive, \(document.format.rawValue)"
    case .typedstream: "typedstream"
    case .nib(let nib): "NIBArchive \(nib.formatVersion).\(nib.coderVersion)"
    }
  }
}

extension Input {
  /// The name of the file without its folder.
  fileprivate var pageTitle: String {
    isStandard ? "Archive" : machineName.split(separator: "/").last.map(String.init) ?? machineName
  }
}
