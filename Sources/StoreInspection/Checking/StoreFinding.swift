internal import ManagedObjects

/// A finding of a store check.
///
/// ```
/// error dangling-reference Note/p6 author: it refers to row 99 of ZPERSON, which is missing
/// ```
public struct StoreFinding: Hashable, Sendable {
  /// The kind of defect.
  public var code: Code
  /// The defect, in one line without a location.
  public var message: String
  /// The name of the entity.
  public var entity: String?
  /// The primary key of the object (`Z_PK`).
  public var number: Int64?
  /// The URI of the object ID, as in ``ManagedObjectID/uriRepresentation``.
  public var objectURI: String?
  /// The name of the attribute or relationship.
  public var property: String?
  /// The name of the table.
  public var table: String?
  /// The name of the column.
  public var column: String?

  /// Creates a finding.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The severity of the kind of defect.
  public var severity: Severity { code.severity }

  /// The severity of a finding.
  public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// The store can be used, and its data is complete.
    case warning
    /// Data is lost, contradictory or unreadable.
    case error

    public static func < (first: Severity, second: Severity) -> Bool { first == .warning && second == .error }
  }

  /// The kind of a finding. The raw values are meant for scripts, and do not change.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // The file.

    /// A page of the file is damaged.
    case damagedPage = "damaged-page"
    /// An index does not match its table.
    case damagedIndex = "damaged-index"
    /// Rows cannot be read.
    case unreadableRows = "unreadable-rows"
    /// The last changes are in a log next to the store, and not in the store itself.
    case logPresent = "log-present"
    /// The log next to the store is not one that SQLite would read.
    case unusableLog = "unusable-log"

    // The model.

    /// The model is missing: it was neither given nor embedded in the store. Only what the tables reveal was checked.
    case noModel = "no-model"
    /// The model in the store cannot be read.
    case unreadableModel = "unreadable-model"
    /// The metadata cannot be read, or lack a required value.
    case unreadableMetadata = "unreadable-metadata"
    /// The version hash of an entity differs from that of the model.
    case hashMismatch = "hash-mismatch"
    /// The metadata have no version hashes, so it is unknown if the model fits.
    case missingHashes = "missing-hashes"
    /// The digest or the checksum of the version hashes does not match the hashes.
    case digestMismatch = "digest-mismatch"
    /// The embedded model does not match the version hashes of the store.
    case cachedModelMismatch = "cached-model-mismatch"

    // The tables.

    /// The entities of the store or their inheritance differ from the model.
    case entityMismatch = "entity-mismatch"
    /// An entity of the model has another name in the store.
    case entityName = "entity-name"
    /// The primary key counter is lower than the highest primary key, so new objects would get primary keys in use.
    case lowCounter = "low-counter"
    /// A table of the model is missing.
    case missingTable = "missing-table"
    /// A column of the model is missing.
    case missingColumn = "missing-column"

    // Rows.

    /// A row has a primary key that is not valid for an object.
    case invalidNumber = "invalid-number"
    /// A row has no version, or an invalid one.
    case invalidVersion = "invalid-version"
    /// A row has an entity that does not belong to its table.
    case unknownEntity = "unknown-entity"
    /// A row has an abstract entity.
    case abstractEntity = "abstract-entity"

    // Relationships.

    /// A relationship refers to a missing row. It is not a finding if a to-one relationship keeps references to deleted
    /// objects, because of its delete rule or because it has no inverse.
    case danglingReference = "dangling-reference"
    /// A row of a join table refers to a missing row.
    case danglingJoin = "dangling-join"
    /// A relationship refers to a row of an entity that it cannot lead to.
    case wrongEntity = "wrong-entity"
    /// The entity column of a relationship differs from the entity of the row that it refers to.
    case wrongEntityColumn = "wrong-entity-column"
    /// An object refers to another one, which refers to a third one.
    case brokenInverse = "broken-inverse"
    /// An object refers to another one, which does not refer back. Core Data has written such pairs, and reads them.
    case oneSidedRelationship = "one-sided-relationship"
    /// An object of an ordered relationship has no position in the order.
    case missingOrder = "missing-order"
    /// Two objects of an ordered relationship have the same position.
    case duplicateOrder = "duplicate-order"
    /// A relationship has more or fewer objects than the model allows.
    case objectCount = "object-count"

    // Values.

    /// A value does not have the type of its attribute.
    case wrongType = "wrong-type"
    /// A number is outside the range of its attribute's type.
    case outOfRange = "out-of-range"
    /// A required attribute or relationship has no value.
    case missingValue = "missing-value"
    /// A value violates a rule of the model.
    case invalidValue = "invalid-value"
    /// Several objects have the same values of a uniqueness constraint.
    case duplicateValue = "duplicate-value"
    /// The external file of a value is missing.
    case missingExternalFile = "missing-external-file"
    /// An external file belongs to no object.
    case orphanedExternalFile = "orphaned-external-file"

    // The history.

    /// A row of the history refers to a missing row.
    case danglingHistory = "dangling-history"
    /// A row of the history has an unknown value.
    case invalidHistory = "invalid-history"

    /// The severity of findings of this kind.
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
  /// The location of the defect: `Note/p6 author`, or `ZNOTE.ZAUTHOR` without an object; empty for the whole store.
  public var location: String {
    let object: String? = entity.map { name in
      name.printable(limit: 100) + (number.map { "/p\($0)" } ?? "")
    }
    let stored = [table, column].compactMap { $0?.printable(limit: 100) }.joined(separator: ".")
    let parts = [object ?? (stored.isEmpty ? nil : stored), property?.printable(limit: 100)]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// The severity, the code, the location and the message, in one line.
  public var description: String {
    let location = location
    return "\(severity.rawValue) \(code.rawValue)\(location.isEmpty ? "" : " \(location)"): \(message)"
  }
}

/// The numbers of findings of a check.
public struct StoreCheckSummary: Hashable, Sendable {
  /// The number of findings of each kind, reported or not.
  public internal(set) var counts: [StoreFinding.Code: Int] = [:]
  /// The number of reported findings.
  public internal(set) var reportedCount = 0

  /// The number of all findings.
  public var count: Int { counts.values.reduce(0, +) }
  /// The number of errors.
  public var errorCount: Int { count(of: .error) }
  /// The number of warnings.
  public var warningCount: Int { count(of: .warning) }
  /// The number of findings that were not reported because of the limit of their kind.
  public var omittedCount: Int { count - reportedCount }

  /// The number of findings of a severity.
  public func count(of severity: StoreFinding.Severity) -> Int {
    counts.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }
}
