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
      If the name of the output ends in .momd, it is a folder with all versions of the model. Otherwise it is a .mom \
      file with the current version.

      Example: storeutil compile Notes.xcdatamodeld -o Notes.momd
      """)

  @Argument(file: "The model.", "model")
  var model: String

  @Option(file: "The .momd folder or .mom file to write.", "file", name: .shortAndLong)
  var outfile: String

  @Option(
    help: ArgumentHelp("The Swift module of classes that the model assigns to the current module.", valueName: "name"))
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
