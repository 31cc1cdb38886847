import ArgumentParser
import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "search",
    abstract: "Find a text, a URL or a UUID in all objects of stores.",
    discussion: """
      Finds texts and URLs that contain the text, ignoring case and diacritics. A UUID is also found in UUID \
      attributes, and as 16 bytes of data. Prints a line for each value: the store, the object, the attribute and the \
      value.

      Exit codes: 0 found; 1 not found, or a store cannot be read; 3 not a store.

      Examples:
        storeutil search milk Notes.sqlite Tasks.sqlite
        storeutil search E621E1F8-C36C-495A-93FC-0C247A3E6E5F *.sqlite --json | jq -r '.[].object'
      """)

  @Argument(help: ArgumentHelp("The text, the URL or the UUID.", valueName: "text"))
  var text: String

  @Argument(files: "The files of the stores.", "store")
  var stores: [String]

  @OptionGroup var opening: OpeningArguments

  @Flag(name: .customLong("json"), help: "Print a JSON array with a JSON object for each value.")
  var isJSON = false

  func validate() throws {
    if text.isEmpty { throw ValidationError("The text to search for is empty.") }
  }

  func run() throws {
    let text = try ProgramArguments.text(text)
    var output = ListOutput(isJSON: isJSON, plain: PlainForm())
    var exitCode: Int32 = ExitCodes.success
    for path in stores {
      do {
        let search = StoreSearch(try opening.open(path), text, path)
        for part in search.parts {
          // If one attribute cannot be read, the others are still searched.
          do { try search.run(part, &output) } catch let error as ManagedObjectError {
            note(StoreExit.text(of: error))
            exitCode = max(exitCode, StoreExit.exitCode(of: error) ?? ExitCodes.inputOutput)
          }
        }
      } catch {
        // A usage error would be the same for each store, so it ends the search.
        guard !(error is ValidationError), let code = StoreExit.exitCode(of: error) else { throw error }
        note(StoreExit.text(of: error))
        exitCode = max(exitCode, code)
      }
    }
    try output.finish()
    if exitCode == ExitCodes.success, output.isEmpty { exitCode = ExitCodes.noSuchValue }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }
}

/// The search of one store.
private struct StoreSearch {
  private let opened: OpenStore
  private let reader: ObjectReader
  private let text: String
  private let uuid: UUID?
  private let path: String

  init(_ opened: OpenStore, _ text: String, _ path: String) {
    self.opened = opened
    reader = ObjectReader(opened, skipsUnreadable: true)
    self.text = text
    uuid = UUID(uuidString: text)
    self.path = path
  }

  /// A part of the search: an attribute, or an element of a composite attribute, with the topmost entity that has this
  /// attribute.
  struct Part {
    let entity: String
    /// The key path to the value: the attribute's name, followed by the names of nested elements if the attribute is
    /// composite.
    let keys: [String]
    let condition: ManagedPredicate
  }

  /// The attributes that can contain the text.
  var parts: [Part] {
    opened.model.entities.flatMap { entity in
      entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0).filter { !$0.isTransient }
        .flatMap { parts(of: $0.definition, [], entity.name) }
    }
  }

  private func parts(of attribute: AttributeDescription, _ names: [String], _ entity: String) -> [Part] {
    let keys = names + [attribute.name]
    if attribute.type == .composite { return attribute.elements.flatMap { parts(of: $0, keys, entity) } }
    return condition(keys, attribute.type).map { [Part(entity: entity, keys: keys, condition: $0)] } ?? []
  }

  func run(_ part: Part, _ output: inout ListOutput) throws {
    let keys = try reader.keys(FetchRequest(part.entity, where: part.condition))
    let name = part.keys.joined(separator: ".")
    try reader.forEach(keys, [part.keys.count == 1 ? ObjectColumn(key: name) : ObjectColumn(name)]) { key, values in
      guard let value = values.first ?? nil else { return }
      let object = ManagedObjectID(key, model: opened.model, storeIdentifier: opened.store.identifier)
      let store = FileSystem.showingBytes(path)
      try output.write(
        [
          "store": .string(store), "object": .string(object.uriRepresentation),
          "entity": .string(object.entity.name), "attribute": .string(name), "value": value,
        ],
        line: "\(store.printable()): \(object) \(name.printable()): \(value.cellText.printable(limit: 200))")
    }
  }

  /// Returns the condition that an attribute contains the text; nil for an attribute whose type cannot contain text.
  private func condition(_ keys: [String], _ type: AttributeType) -> ManagedPredicate? {
    guard let path = PredicateKeyPath(keys: keys) else { return nil }
    switch type {
    case .string:
      return .comparing(
        .keyPath(path), .contains, .value(.string(text)), options: [.caseInsensitive, .diacriticInsensitive])
    case .uri:
      return .comparing(
        .function(.cast, [.keyPath(path), .value(.string("NSString"))]), .contains, .value(.string(text)),
        options: [.caseInsensitive, .diacriticInsensitive])
    case .uuid: return uuid.map { .comparing(.keyPath(path), .equal, .value(.uuid($0))) }
    case .binary:
      return uuid.map { .comparing(.keyPath(path), .equal, .value(.data($0.data))) }
    default: return nil
    }
  }
}
