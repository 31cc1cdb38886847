import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
import StorePages
import SystemFiles
import ToolSupport

struct HTML: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "html",
    abstract: "Write a store as a page for a browser.",
    discussion: """
      The page is one file, and needs no server and no network. It shows the rows of each entity in parts, sorted by \
      any column, and has a search and links that follow relationships in both directions. Archives in binary and \
      transformable values are opened, and pictures are shown. The page runs no code from the store, and loads \
      nothing.

      The fields under the headings of a table filter its rows: ada, =Ada, 5, >5, 5..9, 2026-06, >2026-06, = for no \
      value and != for any value. Filters, sorting and search can be combined.

      Browsers can open a page with about 50000 rows of an entity. By default, the page has at most that many of each \
      entity, and says so if there are more; --limit changes the number. Values that cannot be read are reported in \
      the page and on standard error.

      Example: storeutil html Notes.sqlite -o Notes.html
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Option(file: "Write the page to FILE; - is standard output.", "file", name: .shortAndLong)
  var outfile: String

  @Option(help: ArgumentHelp("Write only the first N rows of each entity; 0 for all.", valueName: "n"))
  var limit = StorePage.usualRowLimit

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit must be at least 0.") }
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let path = storePath + suffix
      if path == outfile || FileSystem.isSameFile(path, outfile) {
        throw ValidationError("--outfile would replace \(FileSystem.showingBytes(path).printable()) with the page.")
      }
    }
  }

  func run() throws {
    let opened = try opening.open(storePath)
    var page = StorePage(opened.store, title: URL(filePath: storePath).lastPathComponent)
    page.rowLimit = limit == 0 ? nil : limit
    page.facts = facts(of: opened)
    // An error means that the path is unknown: another program may have changed the object since it was read.
    page.fileOfValue = { slot, key in (try? (opened.store as? SQLiteStore)?.externalFile(ofSlot: slot, key)) ?? nil }
    var total = 0
    // Rows that cannot be counted cannot be written either; the page reports the error.
    for entity in opened.model.entities where !entity.isAbstract {
      total += min((try? rowCount(of: entity, in: opened.store)) ?? 0, page.rowLimit ?? .max)
    }
    var progress = ProgressBar(total: total, unit: "rows")
    var done = 0
    let path = outfile == "-" ? "/dev/stdout" : outfile
    let replacement = try PropertyListError.converting(Replacement(of: path))
    let defects = try page.write(to: replacement.output) { count in
      progress.advance(by: count - done)
      done = count
    }
    progress.clear()
    do { try replacement.commit() } catch { throw PropertyListError(error) }
    for line in defects.unopened.lines { note("note: \(line.withoutCommands)") }
    for line in defects.missing.lines { note("\(ToolName.current): error: \(line.withoutCommands)") }
    if !defects.missing.lines.isEmpty { throw ExitCode(StoreExit.inputOutput) }
  }

  private func rowCount(
    of entity: ManagedObjectModel.Entity, in store: any PersistentStore
  ) throws(ManagedObjectError) -> Int {
    var request = FetchRequest(entity.name)
    request.includesSubentities = false
    request.resultType = .count
    guard case .count(let count) = try store.fetch(request, of: entity) else { return 0 }
    return count
  }

  private func facts(of opened: OpenStore) -> [(name: String, text: String)] {
    var facts = [("File", FileSystem.showingBytes(storePath)), ("UUID", opened.store.identifier)]
    if let type = opened.store.metadata[StoreMetadataKey.type]?.string { facts.append(("Type", type)) }
    if let version = opened.store.metadata[StoreMetadataKey.frameworkVersion]?.integer {
      facts.append(("Framework", "\(version)"))
    }
    return facts
  }
}
