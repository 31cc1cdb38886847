import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

struct Compile: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "compile",
    abstract: "Compile a model, as Xcode's momc does.",
    discussion: """
      A model with versions (.xcdatamodeld) becomes a folder .momd, a single one (.xcdatamodel) a file .mom.

      Example: storeutil compile Notes.xcdatamodeld -o Notes.momd
      """)

  @Argument(file: "The model.", "model")
  var model: String

  @Option(file: "What to write.", "file", name: .shortAndLong)
  var outfile: String

  @Option(help: ArgumentHelp("The module of classes that name none.", valueName: "name"))
  var module: String?

  func run() throws {
    let file = try ModelFile(model)
    let target = URL(filePath: outfile)
    if target.pathExtension.lowercased() == "momd" {
      return try file.versions.writeCompiled(to: target, moduleName: module)
    }
    let data = try file.version().compiledData(moduleName: module)
    try PropertyListError.converting(FileSystem.replace(outfile, with: data))
  }
}
