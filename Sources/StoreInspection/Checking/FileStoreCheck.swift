internal import FoundationEssentials
internal import ManagedObjects
internal import ObjectModels
internal import PropertyLists
internal import SystemFiles

/// A check of an XML or binary store, which is read as a whole.
struct FileStoreCheck {
  private let file: URL
  private let model: ManagedObjectModel?
  private let configuration: String?
  private let kind: StoreFileKind
  private let data: Data

  /// Creates a check of a file; nil for an SQLite store, and for a file that cannot be read or is not in the format of
  /// a store.
  init?(_ file: URL, model: ManagedObjectModel?, configuration: String?) {
    // An SQLite store can be large, and is not read as a whole.
    guard let path = try? StoreFile.path(of: file), let kind = StoreFileKind(ofFile: path), kind != .sqlite,
      let (data, _) = try? StoreFile.read(path)
    else { return nil }
    self.file = file
    self.model = model
    self.configuration = configuration
    self.kind = kind
    self.data = data
  }

  /// Checks the file.
  ///
  /// - Throws: ``ManagedObjectError`` if the file is not a store.
  func run(_ log: FindingLog) throws(ManagedObjectError) {
    guard let model else {
      let metadata = try kind.metadata(of: data)
      log.storeIdentifier = metadata.identifier
      log.report(.noModel, "a store of this kind does not contain its model, so its objects were not checked")
      return
    }
    var defects: [StoreDefects.Defect] = []
    let contents: StoreFileContents
    do {
      contents = try kind.contents(
        of: data, model: model, configuration: configuration, defects: StoreDefects { defects.append($0) })
    } catch {
      // Such errors are not defects of the file: it is a store of another kind, or an XML store cannot have the model.
      if error.code == .storeTypeMismatch || error.code == .incompatibleSchema { throw error }
      if let mismatched = try? kind.metadata(of: data) {
        log.checkHashes(mismatched, model, own: nil, configuration: configuration)
      }
      log.report(.unreadableRows, error.message)
      return
    }
    log.storeIdentifier = contents.metadata.identifier
    log.checkHashes(contents.metadata, model, own: nil, configuration: configuration)
    for defect in defects { report(defect, model, log) }
    let highest = contents.table.lastNumber
    if let counter = contents.counter, counter < highest {
      log.report(.lowCounter, "the counter is \(counter), but an object has the primary key \(highest)")
    }
    for entity in model.entities { check(entity, contents.table, log) }
    checkConstraints(contents.table, log)
  }

  private func report(_ defect: StoreDefects.Defect, _ model: ManagedObjectModel, _ log: FindingLog) {
    let code: StoreFinding.Code =
      switch defect.kind {
      case .missing: .danglingReference
      case .wrongEntity: .wrongEntity
      case .brokenInverse: .brokenInverse
      }
    let entity = ManagedObjectModel.Entity(model: model, index: Int(defect.key.entityIndex))
    log.report(code, defect.message) { finding in
      finding.entity = entity.name
      finding.number = defect.key.number
      finding.property = entity.relationships.first { $0.slot == defect.slot }?.name
    }
  }

  private func check(_ entity: ManagedObjectModel.Entity, _ table: RowTable, _ log: FindingLog) {
    if table.entityRows[entity.index].count == 0 { return }
    let rules = ValidationRules(entity)
    let transient = Set(
      entity.attributes.filter(\.isTransient).map(\.slot) + entity.relationships.filter(\.isTransient).map(\.slot))
    for row in table.entityRows[entity.index].rows {
      func report(_ code: StoreFinding.Code, _ message: @autoclosure () -> String, _ property: String) {
        log.report(code, message()) { finding in
          finding.entity = entity.name
          finding.number = row.key.number
          finding.property = property
        }
      }
      for rule in rules.attributes where !transient.contains(rule.slot) {
        guard case .attribute(let value) = row.values[rule.slot], let failure = rule.failure(value) else { continue }
        switch failure.code {
        case .missingMandatoryProperty: report(.missingValue, "the required value is missing", rule.name)
        case .invalidValue:
          report(.outOfRange, "\(value) is outside the range of the type \(rule.type.name)", rule.name)
        default: report(.invalidValue, "\(value): \(failure.message)", rule.name)
        }
      }
      for rule in rules.relationships where !transient.contains(rule.slot) {
        guard let failure = rule.failure(count: row.values[rule.slot].count) else { continue }
        if rule.isToMany {
          report(.objectCount, failure.message, rule.name)
        } else {
          report(.missingValue, "the required object is missing", rule.name)
        }
      }
    }
  }

  private func checkConstraints(_ table: RowTable, _ log: FindingLog) {
    for index in table.uniquenessIndexes {
      var known: Set<UniquenessIndex.Values> = []
      for entity in index.entities {
        for row in table.entityRows[entity].rows {
          guard let values = index.values(row), !known.insert(values).inserted else { continue }
          log.report(.duplicateValue, "another object has the same values") { finding in
            finding.entity = table.model.entity(at: entity).name
            finding.number = row.key.number
            finding.property = index.names.joined(separator: ", ")
          }
        }
      }
    }
  }
}
