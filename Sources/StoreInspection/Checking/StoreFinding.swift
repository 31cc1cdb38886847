internal import ManagedObjects

/// Something that a check of a store has found.
///
/// ```
/// error dangling-reference Note/p6 author: it leads to the row 99 of ZPERSON, which is not there
/// ```
public struct StoreFinding: Hashable, Sendable {
  /// The kind of defect.
  public var code: Code
  /// The defect, in one line without a location.
  public var message: String
  /// The name of the entity.
  public var entity: String?
  /// The number of the object (`Z_PK`).
  public var number: Int64?
  /// The name of the object, as in ``ManagedObjectID/uriRepresentation``.
  public var objectURI: String?
  /// The name of the attribute or relationship.
  public var property: String?
  /// The name of the table.
  public var table: String?
  /// The name of the column.
  public var column: String?

  /// A finding.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The severity of the kind of defect.
  public var severity: Severity { code.severity }

  /// The severity of a finding.
  public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// The store can be used, and has all that it should have.
    case warning
    /// Something is lost or contradicts something else, or a program cannot read it.
    case error

    public static func < (first: Severity, second: Severity) -> Bool { first == .warning && second == .error }
  }

  /// The kind of a finding. The raw values are for scripts, and stay what they are.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // The file.

    /// A page of the file is damaged.
    case damagedPage = "damaged-page"
    /// An index does not have what its table has.
    case damagedIndex = "damaged-index"
    /// Rows cannot be read.
    case unreadableRows = "unreadable-rows"
    /// The last changes are in a file beside the store, and not in the store itself.
    case logPresent = "log-present"
    /// The file of the last changes beside the store is none that SQLite would read.
    case unusableLog = "unusable-log"

    // The model.

    /// Nobody has given a model, and the store does not have its own: only what its tables tell was checked.
    case noModel = "no-model"
    /// The model in the store cannot be read.
    case unreadableModel = "unreadable-model"
    /// The metadata cannot be read, or lack something that all stores have.
    case unreadableMetadata = "unreadable-metadata"
    /// The version hash of an entity is not that of the model.
    case hashMismatch = "hash-mismatch"
    /// The metadata have no version hashes, so that nothing tells whether the model is the right one.
    case missingHashes = "missing-hashes"
    /// The digest or the checksum of the version hashes is not that of the hashes.
    case digestMismatch = "digest-mismatch"
    /// The model in the store is not the one that its version hashes are of.
    case cachedModelMismatch = "cached-model-mismatch"

    // The tables.

    /// The entities of the store, or what they inherit from, are not those of the model.
    case entityMismatch = "entity-mismatch"
    /// The store has another name for an entity of the model.
    case entityName = "entity-name"
    /// The counter of row numbers is lower than the highest row number: new objects would get numbers of old ones.
    case lowCounter = "low-counter"
    /// A table of the model is not there.
    case missingTable = "missing-table"
    /// A column of the model is not there.
    case missingColumn = "missing-column"

    // Rows.

    /// A row has a number that no object can have.
    case invalidNumber = "invalid-number"
    /// A row has no version, or one that no row can have.
    case invalidVersion = "invalid-version"
    /// A row is of an entity that its table does not have.
    case unknownEntity = "unknown-entity"
    /// A row is of an abstract entity.
    case abstractEntity = "abstract-entity"

    // Relationships.

    /// A relationship leads to a row that is missing. A deleted object in a to-one relationship that keeps it, by its
    /// delete rule or without an inverse, is not a finding.
    case danglingReference = "dangling-reference"
    /// A row of a join table leads to a row that is not there.
    case danglingJoin = "dangling-join"
    /// A relationship leads to a row of another entity than it may.
    case wrongEntity = "wrong-entity"
    /// The column that says of which entity a relationship's object is says another one.
    case wrongEntityColumn = "wrong-entity-column"
    /// An object refers to another one, which refers to a third.
    case brokenInverse = "broken-inverse"
    /// An object refers to another one, which refers to nothing. Core Data has written such pairs, and reads them.
    case oneSidedRelationship = "one-sided-relationship"
    /// An object of an ordered relationship has no position in the order.
    case missingOrder = "missing-order"
    /// Two objects of an ordered relationship have the same position.
    case duplicateOrder = "duplicate-order"
    /// A relationship refers to more or fewer objects than the model allows.
    case objectCount = "object-count"

    // Values.

    /// A value is not of the attribute's type.
    case wrongType = "wrong-type"
    /// A number is beyond the range of the attribute's type.
    case outOfRange = "out-of-range"
    /// A required attribute or relationship has no value.
    case missingValue = "missing-value"
    /// A value does not fulfil a rule of the model.
    case invalidValue = "invalid-value"
    /// Several objects have the same values of a uniqueness constraint.
    case duplicateValue = "duplicate-value"
    /// The file of a large value is not there.
    case missingExternalFile = "missing-external-file"
    /// A file of a large value belongs to no object.
    case orphanedExternalFile = "orphaned-external-file"

    // The history.

    /// A row of the history leads to one that is not there.
    case danglingHistory = "dangling-history"
    /// A row of the history says something that nobody knows.
    case invalidHistory = "invalid-history"

    /// The severity of all findings of the kind.
    public var severity: Severity {
      switch self {
      case .logPresent, .noModel, .missingHashes, .digestMismatch, .cachedModelMismatch, .entityName, .invalidVersion,
        .abstractEntity, .objectCount, .oneSidedRelationship, .outOfRange, .invalidValue, .orphanedExternalFile,
        .invalidHistory:
        .warning
      case .damagedPage, .damagedIndex, .unreadableRows, .unusableLog, .unreadableModel, .unreadableMetadata,
        .hashMismatch, .entityMismatch, .lowCounter, .missingTable, .missingColumn, .invalidNumber, .unknownEntity,
        .danglingReference, .danglingJoin, .wrongEntity, .wrongEntityColumn, .brokenInverse, .missingOrder,
        .duplicateOrder, .wrongType, .missingValue, .duplicateValue, .missingExternalFile, .danglingHistory:
        .error
      }
    }
  }
}

extension StoreFinding: CustomStringConvertible {
  /// The location of the defect: `Note/p6 author`, `ZNOTE.ZAUTHOR` if there is no object; empty for the whole store.
  public var location: String {
    let object: String? = entity.map { name in
      name.printable(limit: 100) + (number.map { "/p\($0)" } ?? "")
    }
    let stored = [table, column].compactMap { $0?.printable(limit: 100) }.joined(separator: ".")
    let parts = [object ?? (stored.isEmpty ? nil : stored), property?.printable(limit: 100)]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// The severity, the code, the location and the message, on one line.
  public var description: String {
    let location = location
    return "\(severity.rawValue) \(code.rawValue)\(location.isEmpty ? "" : " \(location)"): \(message)"
  }
}

/// The sums of a check.
public struct StoreCheckSummary: Hashable, Sendable {
  /// The findings of each kind, whether they were handed out or not.
  public internal(set) var counts: [StoreFinding.Code: Int] = [:]
  /// The number of findings that were handed out.
  public internal(set) var reportedCount = 0

  /// The number of all findings.
  public var count: Int { counts.values.reduce(0, +) }
  /// The number of errors.
  public var errorCount: Int { count(of: .error) }
  /// The number of warnings.
  public var warningCount: Int { count(of: .warning) }
  /// The number of findings that were not handed out, because there were too many of their kind.
  public var omittedCount: Int { count - reportedCount }

  /// The number of findings of a severity.
  public func count(of severity: StoreFinding.Severity) -> Int {
    counts.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }
}
