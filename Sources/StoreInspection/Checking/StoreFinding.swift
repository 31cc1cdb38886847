internal import ManagedObjects

/// A defect that a ``StoreCheck`` has found.
///
/// ```
/// error dangling-reference Note/p6 author: it refers to row 99 of ZPERSON, which is missing
/// ```
public struct StoreFinding: Hashable, Sendable {
  /// The kind of defect.
  public var code: Code
  /// The description of the defect, in one line, without the location.
  public var message: String
  /// The name of the entity that the defect concerns, if any.
  public var entity: String?
  /// The primary key (`Z_PK`) of the object with the defect; nil if the defect does not concern one object.
  public var number: Int64?
  /// The URI of the object's ID, as in ``ManagedObjectID/uriRepresentation``; nil without an object.
  public var objectURI: String?
  /// The name of the attribute or relationship with the defect, or the names in a uniqueness constraint, separated by
  /// commas; nil if the defect concerns neither.
  public var property: String?
  /// The name of the SQLite table with the defect, if any.
  public var table: String?
  /// The name of the column with the defect, if any.
  public var column: String?

  /// Creates a finding.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The severity of the defect, which follows from ``code``.
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
    /// Rows of a table, or the tables of the file, cannot be read.
    case unreadableRows = "unreadable-rows"
    /// The store has a write-ahead log or a rollback journal that belongs to it. The log contains the last changes; the
    /// journal contains the data that an interrupted save has overwritten.
    case logPresent = "log-present"
    /// A file next to the store has the name of the store's write-ahead log, but is not a valid log. SQLite ignores it.
    case unusableLog = "unusable-log"

    // The model.

    /// The model is missing: the caller passed none, and the store embeds none. The check of an SQLite store was
    /// limited to facts that its tables show, and the objects of other stores were not checked.
    case noModel = "no-model"
    /// The model in the store cannot be read.
    case unreadableModel = "unreadable-model"
    /// The metadata of the store cannot be read, or lacks a required value.
    case unreadableMetadata = "unreadable-metadata"
    /// The version hash of an entity differs between the store and the model, or one of the two does not have the
    /// entity.
    case hashMismatch = "hash-mismatch"
    /// The metadata has no version hashes, so it is unknown if the model fits.
    case missingHashes = "missing-hashes"
    /// The digest or the checksum in the metadata does not match the version hashes next to it.
    case digestMismatch = "digest-mismatch"
    /// The embedded model does not match the version hashes of the store.
    case cachedModelMismatch = "cached-model-mismatch"

    // The tables.

    /// The entities that the store lists (`Z_PRIMARYKEY`), or their inheritance, differ from the model.
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

    /// A row has a primary key that is not positive.
    case invalidNumber = "invalid-number"
    /// A row has no valid version number (`Z_OPT`), which increases with each save of the object.
    case invalidVersion = "invalid-version"
    /// A row has an entity that does not belong to its table.
    case unknownEntity = "unknown-entity"
    /// A row has an abstract entity.
    case abstractEntity = "abstract-entity"

    // Relationships.

    /// A relationship refers to a missing row. References to deleted objects are not reported if the to-one
    /// relationship keeps them, because of its delete rule or because it has no inverse.
    case danglingReference = "dangling-reference"
    /// A row of a join table refers to a missing row.
    case danglingJoin = "dangling-join"
    /// A relationship refers to an object whose entity is neither the destination entity nor a subentity of it.
    case wrongEntity = "wrong-entity"
    /// The entity column of a relationship contains another entity than that of the related object.
    case wrongEntityColumn = "wrong-entity-column"
    /// Object A refers to object B in a one-to-one relationship, but the inverse of B refers to a third object.
    case brokenInverse = "broken-inverse"
    /// Object A refers to object B in a one-to-one relationship, but the inverse of B is empty. Core Data has written
    /// such pairs, and reads them.
    case oneSidedRelationship = "one-sided-relationship"
    /// An object in an ordered relationship has no position in the order.
    case missingOrder = "missing-order"
    /// Two objects in an ordered relationship have the same position.
    case duplicateOrder = "duplicate-order"
    /// A to-many relationship has more or fewer objects than the model allows.
    case objectCount = "object-count"

    // Values.

    /// A value does not have the type of its attribute.
    case wrongType = "wrong-type"
    /// A number is outside the range of its attribute's type.
    case outOfRange = "out-of-range"
    /// A required attribute or relationship has no value.
    case missingValue = "missing-value"
    /// A value violates a validation rule of the model.
    case invalidValue = "invalid-value"
    /// Several objects have the same values for a uniqueness constraint.
    case duplicateValue = "duplicate-value"
    /// The external file that contains a value is missing.
    case missingExternalFile = "missing-external-file"
    /// An external file belongs to no object.
    case orphanedExternalFile = "orphaned-external-file"

    // The history.

    /// A row of the history refers to a missing row.
    case danglingHistory = "dangling-history"
    /// A row of the history has an invalid value, such as an unknown kind of change.
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
  /// The location of the defect: entity, primary key and property, as in `Note/p6 author`, or table and column, as in
  /// `ZNOTE.ZAUTHOR`, if the entity is unknown. Empty if the defect concerns the whole store.
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

/// The numbers of findings that a ``StoreCheck`` made.
///
/// ```swift
/// let summary = try StoreCheck(file).run { _ in }
/// print("errors: \(summary.errorCount), warnings: \(summary.warningCount)")  // errors: 2, warnings: 0
/// print(summary.counts[.danglingReference] ?? 0)  // 2
/// ```
public struct StoreCheckSummary: Hashable, Sendable {
  /// The number of findings of each kind, reported or not.
  public internal(set) var counts: [StoreFinding.Code: Int] = [:]
  /// The number of findings that were passed to the caller.
  public internal(set) var reportedCount = 0

  /// The number of all findings.
  public var count: Int { counts.values.reduce(0, +) }
  /// The number of errors.
  public var errorCount: Int { count(of: .error) }
  /// The number of warnings.
  public var warningCount: Int { count(of: .warning) }
  /// The number of findings that were not reported, because the limit for their kind was reached.
  public var omittedCount: Int { count - reportedCount }

  /// The number of findings of a severity.
  public func count(of severity: StoreFinding.Severity) -> Int {
    counts.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }
}
