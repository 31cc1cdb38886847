import ArgumentParser
import FoundationEssentials
import ManagedObjects
import SQLiteStore
import ToolSupport

/// Completes the command line of storeutil: verbs, options, and the names of entities and properties of the store whose
/// path is on the line.
enum StoreCompletion {
  static func answer(to line: CommandLineWords) -> CompletionAnswer {
    VerbCompletion(of: StoreUtil.self) { _ in values }.answer(to: line)
  }

  private static func values(
    of argument: OptionCompletion.Argument, _ text: String, _ line: CommandLineWords
  ) -> CompletionAnswer? {
    switch argument.valueName {
    case "entity": .texts(model(on: line)?.entities.map(\.name) ?? [])
    case "key[:desc]", "attribute": .texts(keys(on: line))
    case "column=property":
      text.lastIndex(of: "=").map { equals in
        CompletionAnswer.texts(keys(on: line).map { text[...equals] + $0 })
      }
    case "keys":
      CompletionAnswer(
        candidates: keys(on: line).map { key in
          let start = text.lastIndex(of: ",").map { text[...$0] } ?? ""
          return CompletionAnswer.Candidate(text: start + key)
        }, mayGoOn: true)
    case "store", "model": .files
    default: nil
    }
  }

  /// Returns the property names of the entity on the command line.
  private static func keys(on line: CommandLineWords) -> [String] {
    let model = model(on: line)
    let entity = line.others.lazy.compactMap { model?.entity(named: $0) }.first
    return entity?.properties.map(\.name) ?? []
  }

  /// Returns the model of the first SQLite store on the command line.
  private static func model(on line: CommandLineWords) -> ManagedObjectModel? {
    line.others.lazy.compactMap { path in
      guard let kind = try? StoreKind(path), kind == .sqlite else { return nil }
      return try? SQLiteStore.model(inFile: URL(filePath: path), writesNothing: kind.isUnused(path))
    }.first
  }
}
