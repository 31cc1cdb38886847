import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import StoreInspection
import ToolSupport

struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "info",
    abstract: "Print what a store or model file is, with its entities and counts.",
    discussion: """
      Prints the kind, the identifier, the version of the framework that wrote the store, the source of the model, the \
      entities with their numbers of objects, whether the version hashes match the model, the log, the history and the \
      large values. Nothing is written.

      Example: storeutil info Notes.sqlite
      """)

  @Argument(file: "The file of a store or a model.", "file")
  var path: String

  @Option(file: "The model of the store, if the store does not contain it.", "model")
  var model: String?

  @OptionGroup var immutable: ImmutableArgument

  @Flag(name: .customLong("json"), help: "Print JSON.")
  var isJSON = false

  @OptionGroup var plain: PlainArgument

  func validate() throws { try plain.checkGoes(withJSON: isJSON) }

  func run() throws {
    let url = URL(filePath: path)
    let writesNothing = immutable.writesNothing(path)
    let metadata = model == nil ? ModelFile.metadata(ofStoreWithoutModel: url, writesNothing: writesNothing) : nil
    let found = metadata.flatMap { ModelFile.model(beside: path, with: $0) }
    let model = try found?.model ?? model.flatMap { try ModelFile.model($0, of: url, writesNothing: writesNothing) }
    let info = try StoreInfo(url, model: model, writesNothing: writesNothing)
    if info.kind == .other {
      throw ManagedObjectError(.storeTypeMismatch, "\(path.printable()) is not a store or a model")
    }
    if isJSON { return try output(info.propertyList(modelFile: found?.path).json(plain.form)) }
    try output(info.lines(modelFile: found?.path).joined(separator: "\n"))
  }
}

extension StoreInfo {
  /// Returns the facts about the store as text, one per line.
  ///
  /// - Parameter modelFile: the path of the model if it was found in the folder of the store; nil in all other cases.
  fileprivate func lines(modelFile: String?) -> [String] {
    var rows: [(String, String)] = [("kind", kind.isModel ? "model (\(kind.rawValue))" : "\(kind.rawValue) store")]
    if let fileSize { rows.append(("size", "\(grouped(fileSize)) bytes")) }
    if let identifier { rows.append(("identifier", identifier.printable())) }
    if let frameworkVersion { rows.append(("framework", "\(frameworkVersion)")) }
    if kind.isStore {
      let versions = modelVersionIdentifiers.filter { !$0.isEmpty }.map { $0.printable() }.joined(separator: ", ")
      let source = modelFile.map { "\($0.printable()), next to the store" } ?? modelSource.text
      rows.append(("model", source + (versions.isEmpty ? "" : ", version \(versions)")))
      rows.append(("hashes", hasEqualHashes.map { $0 ? "those of the model" : "of another model" } ?? "unknown"))
    }
    if !versions.isEmpty {
      rows.append(
        (
          "versions",
          versions.map { $0.printable() + ($0 == currentVersion ? " (current)" : "") }.joined(separator: ", ")
        ))
    }
    if let database {
      rows.append(
        (
          "pages",
          "\(grouped(Int(database.pageCount))) of \(database.pageSize) bytes, "
            + "\(grouped(Int(database.freePageCount))) free"
        ))
      let log = database.logSize.map { "\(grouped($0)) bytes in the log file" } ?? "no log file"
      rows.append(("log", database.journalSize.map { "\(log), an unfinished save (\(grouped($0)) bytes)" } ?? log))
    }
    if let history {
      let saves = history.transactionCount == 1 ? "save" : "saves"
      var text = "\(grouped(Int(history.transactionCount))) \(saves) of \(grouped(Int(history.changeCount))) objects"
      if let first = history.firstDate, let last = history.lastDate {
        text += ", \(AttributeValue.date(first)) to \(AttributeValue.date(last))"
      }
      if !history.authors.isEmpty { text += ", by \(history.authors.map { $0.printable() }.joined(separator: ", "))" }
      rows.append(("history", text))
    }
    if let externalData {
      rows.append(("large values", "\(grouped(externalData.fileCount)) files, \(grouped(externalData.size)) bytes"))
    }
    if let defect { rows.append(("defect", defect.printable())) }
    for obstacle in writingObstacles.prefix(5) { rows.append(("cannot be written", obstacle.printable())) }
    let width = rows.map(\.0.count).max() ?? 0
    var lines = rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
    if entities.isEmpty { return lines }
    lines.append("entities")
    let superentities = Dictionary(entities.map { ($0.name, $0.superentity) }) { first, _ in first }
    func depth(_ entity: Entity) -> Int {
      var (next, depth) = (entity.superentity, 0)
      while let name = next, depth < entities.count {
        next = superentities[name] ?? nil
        depth += 1
      }
      return depth
    }
    let hasEqualHash = entities.contains { $0.hash == .equal }
    let names = entities.map { String(repeating: "  ", count: depth($0)) + $0.name.printable() }
    let nameWidth = names.map(\.count).max() ?? 0
    let counts = entities.map { entity in entity.totalCount.map { grouped(Int($0)) } ?? "" }
    let countWidth = counts.map(\.count).max() ?? 0
    for (index, entity) in entities.enumerated() {
      var line = "  " + names[index] + String(repeating: " ", count: nameWidth - names[index].count + 2)
      line += String(repeating: " ", count: countWidth - counts[index].count) + counts[index]
      if let own = entity.ownCount, own != entity.totalCount { line += " (\(grouped(Int(own))) of its own)" }
      if entity.isAbstract { line += " abstract" }
      if entity.hash == .different || entity.hash == .missing { line += " another version hash" }
      if entity.hash == .unknown, hasEqualHash { line += " unknown version hash" }
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    return lines
  }

  /// Returns the facts as a JSON object, for scripts.
  fileprivate func propertyList(modelFile: String?) -> PropertyList {
    var fields: OrderedDictionary<String, PropertyList> = ["kind": .string(kind.rawValue)]
    func number(_ value: Int64?) -> PropertyList { value.map { .integer(PropertyList.Integer($0)) } ?? .null }
    if let fileSize { fields["size"] = number(Int64(fileSize)) }
    if let identifier { fields["identifier"] = .string(identifier) }
    if kind.isStore {
      fields["model"] = .string(modelSource.rawValue)
      if let modelFile { fields["modelFile"] = .string(modelFile) }
      fields["hashesEqual"] = hasEqualHashes.map { .boolean($0) } ?? .null
      fields["metadata"] = .dictionary(metadata)
    }
    if !versions.isEmpty {
      fields["versions"] = .array(versions.map { .string($0) })
      fields["currentVersion"] = currentVersion.map { .string($0) } ?? .null
    }
    fields["entities"] = .array(
      entities.map { entity in
        var values: OrderedDictionary<String, PropertyList> = ["name": .string(entity.name)]
        if let superentity = entity.superentity { values["superentity"] = .string(superentity) }
        if entity.isAbstract { values["abstract"] = .boolean(true) }
        if kind.isStore {
          values["count"] = number(entity.totalCount)
          values["ownCount"] = number(entity.ownCount)
          values["hash"] = .string(entity.hash.rawValue)
        }
        return .dictionary(values)
      })
    if let database {
      fields["pages"] = [
        "size": number(database.pageSize), "count": number(database.pageCount), "free": number(database.freePageCount),
      ]
      fields["log"] = database.logSize.map { number(Int64($0)) } ?? .null
      fields["journal"] = database.journalSize.map { number(Int64($0)) } ?? .null
    }
    if let history {
      fields["history"] = [
        "saves": number(history.transactionCount), "changes": number(history.changeCount),
        "first": history.firstDate.map { .date($0) } ?? .null, "last": history.lastDate.map { .date($0) } ?? .null,
        "authors": .array(history.authors.map { .string($0) }),
      ]
    }
    if let externalData {
      fields["largeValues"] = [
        "folder": .string(externalData.folder), "files": number(Int64(externalData.fileCount)),
        "size": number(Int64(externalData.size)),
      ]
    }
    if let defect { fields["fault"] = .string(defect) }
    fields["writingObstacles"] = .array(writingObstacles.map { .string($0) })
    return .dictionary(fields)
  }
}

extension StoreInfo.ModelSource {
  fileprivate var text: String {
    switch self {
    case .given: "from --model"
    case .store: "in the store"
    case .tables: "derived from the tables"
    case .none: "none"
    }
  }
}
