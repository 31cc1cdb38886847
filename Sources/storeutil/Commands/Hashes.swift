import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import ToolSupport

struct Hashes: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "hashes",
    abstract: "Print the version hashes of a model's entities.",
    discussion: """
      A store can be opened with a model that has the same version hashes. For a store, the hashes in its metadata are \
      printed.

      Example: storeutil hashes Notes.momd --json
      """)

  @Argument(file: "The file of a model or a store.", "file")
  var file: String

  @Option(help: ArgumentHelp("The version to use of a model with several versions.", valueName: "name"))
  var version: String?

  @Flag(name: .customLong("json"), help: "Print JSON: {\"Entity\": \"hex\"}.")
  var isJSON = false

  @OptionGroup var opening: OpeningArguments

  func run() throws {
    let hashes = try NamedModel(file, version: version, opening).hashes().sorted { $0.key < $1.key }
    let texts = hashes.map { name, hash in
      (name, hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }
    if isJSON {
      let object = OrderedDictionary(uniqueKeysWithValues: texts.map { ($0, PropertyList.string($1)) })
      return try output(PropertyList.dictionary(object).data(format: .json))
    }
    for (name, hash) in texts { try output("\(hash)  \(name.printable())") }
  }
}
