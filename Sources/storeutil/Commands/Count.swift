import ArgumentParser
import ManagedObjects
import ToolSupport

struct Count: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "count",
    abstract: "Print the number of objects of an entity.",
    discussion: """
      Example: storeutil count Notes.sqlite Note 'SUBQUERY(pages, $p, $p.number > 9).@count > 0'
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments
  @OptionGroup var request: RequestArguments

  func run() throws {
    let opened = try opening.open(storePath)
    let request = try request.request(opened.entity(request.entity), opened)
    try output("\(ObjectReader(opened).count(request))")
  }
}
