public import FoundationEssentials
internal import ObjectModels
public import Predicates
public import PropertyLists

/// An error of an operation on objects or their store.
///
/// ```swift
/// do throws(ManagedObjectError) {
///   try context.save()
/// } catch {
///   for problem in error.details.isEmpty ? [error] : error.details {
///     print(problem.code, problem.key ?? "", problem.message)   // stringTooShort title the text is too short: …
///   }
///   context.rollback()
/// }
/// ```
public struct ManagedObjectError: Error, Sendable {
  /// The kind of error. The raw values are those of Cocoa (`NSCocoaErrorDomain`). Programs check the code; people read
  /// ``ManagedObjectError/message``.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// The file of a store does not exist, and must not be created.
    case noSuchFile = 260
    /// A value does not satisfy a validation rule that has its own message, or for which there is no more specific
    /// code.
    case validation = 1550
    /// Two objects contain the same object in a to-many relationship without an inverse. The error for a uniqueness
    /// constraint is ``constraintMerge``.
    case constraintValidation = 1551
    /// There are several errors: see ``ManagedObjectError/details``.
    case multipleErrors = 1560
    /// A mandatory attribute has no value, or a mandatory to-one relationship has no object.
    case missingMandatoryProperty = 1570
    /// A to-many relationship has fewer objects than its minimum count.
    case relationshipLacksMinimumCount = 1580
    /// A to-many relationship has more objects than its maximum count.
    case relationshipExceedsMaximumCount = 1590
    /// An object cannot be deleted while it refers to other objects.
    case deleteDenied = 1600
    /// A number is greater than its maximum.
    case numberTooLarge = 1610
    /// A number is less than its minimum.
    case numberTooSmall = 1620
    /// A date is after the latest one that is allowed.
    case dateTooLate = 1630
    /// A date is before the earliest one that is allowed.
    case dateTooSoon = 1640
    /// A date is not valid. Only models and programs use this code, in rules of their own.
    case invalidDate = 1650
    /// A string is longer than its maximum length.
    case stringTooLong = 1660
    /// A string is shorter than its minimum length.
    case stringTooShort = 1670
    /// A string does not match its regular expression.
    case stringPatternMismatch = 1680
    /// A URL is not valid. Only models and programs use this code, in rules of their own.
    case invalidURI = 1690
    /// A stored value is not of the property's type (`NSCoderReadCorruptError`). ``ManagedObjectError/value`` is the
    /// stored value, and ``ManagedObjectError/underlyingError`` the error of decoding it, if it is an archive.
    case coderReadCorrupt = 4864
    /// Another process has locked the file of the store.
    case locked = 132_000
    /// The object does not exist in its store any more.
    case referentialIntegrity = 133_000
    /// A relationship refers to an object of another store.
    case externalRelationship = 133_010
    /// Another context or process saved the object after it was read.
    case merge = 133_020
    /// Several objects have the same values for all properties of a uniqueness constraint.
    case constraintMerge = 133_021
    /// The type of the store is unknown.
    case invalidStoreType = 134_000
    /// The file is not a store of the expected type.
    case storeTypeMismatch = 134_010
    /// The store cannot represent the model, for example its names.
    case incompatibleSchema = 134_020
    /// A store cannot be saved.
    case save = 134_030
    /// Some stores were saved and others were not.
    case incompleteSave = 134_040
    /// An object, a context or a store is in the wrong state for an operation, or belongs to another context,
    /// coordinator or model than the operation requires.
    case invalidState = 134_060
    /// A store cannot perform an operation.
    case operation = 134_070
    /// A store cannot be opened.
    case open = 134_080
    /// An operation took too long, or other saves prevented it again and again.
    case timeout = 134_090
    /// A request cannot be executed.
    case unsupportedRequest = 134_091
    /// The store was made with another version of the model.
    case incompatibleVersionHash = 134_100
    /// A store cannot be migrated.
    case migration = 134_110
    /// Objects share the values for a uniqueness constraint that a migration adds.
    case migrationConstraint = 134_111
    /// The program cancelled a migration.
    case migrationCancelled = 134_120
    /// A store cannot be migrated without the model that it was made with.
    case missingSourceModel = 134_130
    /// A function that migrates objects is missing or failed.
    case entityMigrationPolicy = 134_170
    /// The database of a store failed: see ``ManagedObjectError/sqliteCode``.
    case sqlite = 134_180
    /// A mapping between two versions of a model cannot be inferred.
    case inferredMapping = 134_190
    /// The history of a store no longer has all transactions after a transaction number: they were deleted, or a
    /// migration created the objects again.
    case historyTokenExpired = 134_301
    /// A migration would drop values or objects for which the new model has no property or entity, and the caller does
    /// not allow dropping them.
    case droppedValues = 134_905
    /// A store cannot be opened with an encryption key: it has another key, or it is not encrypted.
    case wrongEncryptionKey = 134_906
    /// The linked SQLite library does not support encryption.
    case encryptionUnavailable = 134_907
    /// A function executed more SQL statements than expected: see ``ManagedObjectContext/withStatementLimit(_:_:)``.
    case statementLimitExceeded = 134_908
    /// The entity has no property, or the model has no entity, with the name (`NSUndefinedKeyException`).
    case undefinedKey = 134_901
    /// Another context or process saved objects with the keys that this save uses for new objects. Contexts assign
    /// other keys and save again, unless the keys come from ``ManagedObjectContext/obtainPermanentIDs(for:)``.
    case keysTaken = 134_903
    /// The property or the option cannot have the value (`NSInvalidArgumentException`).
    case invalidValue = 134_902
  }

  /// A suggestion for the caller. ``description`` appends it to the message.
  public enum Remedy: Hashable, Sendable {
    /// Open the store with the model of its program, because the store's file does not contain the model.
    case openingWithModel
    /// Open the store with `writesNothing`, because SQLite cannot create files next to it.
    case openingWithoutWriting

    var text: String {
      switch self {
      case .openingWithModel: "open it with the model of its program, from a .mom, .momd or .xcdatamodel file"
      case .openingWithoutWriting: "open it with writesNothing, because SQLite cannot create files next to it"
      }
    }
  }

  /// The kind of error. Programs check it; people read ``message``.
  public var code: Code
  /// The description of the error in one line, without the file, the object and the property.
  public var message: String
  /// A suggestion for the caller, if any.
  public var remedy: Remedy?
  /// The object that has the error.
  public var objectID: ManagedObjectID?
  /// Other objects that the error concerns. For ``Code/constraintValidation``: the object that two objects contain in
  /// the relationship, and the second of these two.
  public var relatedObjectIDs: [ManagedObjectID] = []
  /// The name of the property that has the error.
  public var key: String?
  /// The invalid value.
  public var value: AttributeValue?
  /// The validation predicate that the value does not satisfy.
  public var predicate: ManagedPredicate?
  /// The error of a fetch request's predicate.
  public var predicateError: ManagedPredicateError?
  /// The file of the store. Every error in opening a file store has it.
  public var fileURL: URL?
  /// The defect in the file of a store.
  public var fileError: PropertyListError?
  /// The extended result code of SQLite (`NSSQLiteErrorDomain`).
  public var sqliteCode: Int?
  /// The SQL statement that failed, without the values of its parameters; or the statements that a function executed,
  /// in order, if the code is ``Code/statementLimitExceeded``. Empty for other errors.
  public var statements: [String] = []
  /// The error that caused this one (`NSUnderlyingErrorKey`): that of a function of the program, such as a function
  /// that migrates objects, or that of an archive that cannot be decoded.
  public var underlyingError: (any Error)?
  /// The individual errors, if the code is ``Code/multipleErrors``.
  public var details: [ManagedObjectError] = []
  /// The changes that a batch request has made in some stores before another one failed, if the code is
  /// ``Code/incompleteSave``.
  public var savedChanges: SavedChanges?
  /// The conflicts, if the code is ``Code/merge`` or ``Code/constraintMerge``.
  public var conflicts: [MergeConflict] = []
  /// The names of the entities that differ between the store and the model, in order, if the code is
  /// ``Code/incompatibleVersionHash``.
  public var differingEntities: [String] = []

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, objectID: ManagedObjectID? = nil, key: String? = nil,
    value: AttributeValue? = nil
  ) {
    self.code = code
    self.message = message
    self.objectID = objectID
    self.key = key
    self.value = value
  }

  /// Creates one error from several; nil if there are none.
  ///
  /// ```swift
  /// let errors = notes.filter(\.title.isEmpty).map {
  ///   ManagedObjectError(.stringTooShort, "has no title", objectID: $0.objectID, key: "title")
  /// }
  /// if let error = ManagedObjectError(all: errors) { throw error }
  /// ```
  public init?(all errors: [ManagedObjectError]) {
    guard let first = errors.first else { return nil }
    self = first
    guard errors.count > 1 else { return }
    self.init(.multipleErrors, "\(errors.count) errors")
    details = errors
  }
}

extension ManagedObjectError: CustomStringConvertible {
  /// The file, the object and the property, then the message: `Note/p12 title: the text is too long`,
  /// `/home/ada/notes.xml:12:5: no such entity`. If there are several errors, each is on its own line. If a function
  /// executed too many statements, the first 20 follow, each on its own line.
  public var description: String { description(\.text) }

  /// Returns the ``description`` with other texts for the remedies, such as those of a command-line tool, which name
  /// its options.
  package func description(_ textOfRemedy: (Remedy) -> String) -> String {
    if !details.isEmpty { return details.map { $0.description(textOfRemedy) }.joined(separator: "\n") }
    let location = [objectID?.description, key?.printable(limit: 100)].compactMap(\.self).joined(separator: " ")
    let others = relatedObjectIDs.isEmpty ? "" : " (\(relatedObjectIDs.map(\.description).joined(separator: ", ")))"
    let text = withFile((location.isEmpty ? message : "\(location): \(message)") + others + end(textOfRemedy))
    guard code == .statementLimitExceeded else { return text }
    let shown = statements.prefix(20).map { "\n  " + $0.printable(limit: 300) }
    return text + shown.joined()
      + (statements.count > shown.count ? "\n  … \(statements.count - shown.count) more" : "")
  }

  /// The message and the remedy.
  package var messageWithRemedy: String { message + end(\.text) }

  /// Returns the text of the remedy, to append to the message.
  func end(_ textOfRemedy: (Remedy) -> String) -> String { remedy.map { "; \(textOfRemedy($0))" } ?? "" }

  /// Prepends the file to a text, unless the text contains it.
  func withFile(_ text: String) -> String {
    guard let fileURL else { return text }
    let file = (fileURL.isFileURL ? fileURL.path : fileURL.absoluteString).printable()
    if text.contains(file) { return text }
    // If the error has a position, the text begins with the line and the column, as in `notes.xml:12:5: …`.
    return file + (fileError?.position == nil ? ": " : ":") + text
  }

  /// Returns the error with a file URL. An error that has one keeps it.
  package func naming(_ file: URL?) -> ManagedObjectError {
    var error = self
    error.fileURL = fileURL ?? file
    return error
  }

  /// Returns the error with the URL of a store's file, unless it is about an object or a request, not about the file.
  package func namingStore(_ file: URL) -> ManagedObjectError {
    objectID == nil && details.isEmpty && conflicts.isEmpty && predicateError == nil ? naming(file) : self
  }

  /// Runs a function, and adds a file URL to the error that it throws.
  package static func naming<Result>(
    _ file: URL, _ body: () throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    do { return try body() } catch { throw error.naming(file) }
  }
}

/// Errors that every kind of store throws when it saves.
extension ManagedObjectError {
  /// Creates the error for rows that another save changed or deleted since they were read; nil if `conflicts` is empty.
  package init?(merge conflicts: [MergeConflict]) {
    if conflicts.isEmpty { return nil }
    self.init(.merge, "another context or process has saved \(conflicts.count) of the objects since they were read")
    self.conflicts = conflicts
  }

  /// Creates the error for rows that share the values for a uniqueness constraint; nil if `conflicts` is empty.
  package init?(constraintMerge conflicts: [MergeConflict]) {
    guard let first = conflicts.first else { return nil }
    self.init(
      .constraintMerge,
      "another object has the same values for the uniqueness constraint "
        + first.constraint.joined(separator: ", ").quoted)
    self.conflicts = conflicts
  }
}

/// A conflict over an object that another context or process saved after it was read, or over objects that share the
/// values for a uniqueness constraint.
///
/// ```swift
/// do throws(ManagedObjectError) {
///   try context.save()
/// } catch {
///   for conflict in error.conflicts {
///     print(conflict.snapshot?.version ?? 0, conflict.stored?.version ?? 0)   // 1 2
///   }
/// }
/// ```
public struct MergeConflict: Hashable, Sendable {
  /// The row to save; nil for an object to delete.
  public var object: StoreRow?
  /// The row as it was read; nil for a new object. A store may leave it nil for other objects, too; the context then
  /// sets it.
  public var snapshot: StoreRow?
  /// The row that is in the store now; nil if it is deleted. If the conflict is over a uniqueness constraint, the row
  /// in the store that has the same values; nil if only objects of the save have them.
  public var stored: StoreRow?
  /// The names of the properties in the violated uniqueness constraint; empty if the conflict is over a changed or
  /// deleted row.
  public var constraint: [String] = []

  /// Creates a conflict.
  public init(object: StoreRow?, snapshot: StoreRow?, stored: StoreRow?, constraint: [String] = []) {
    self.object = object
    self.snapshot = snapshot
    self.stored = stored
    self.constraint = constraint
  }
}

/// Functions that return localized descriptions of errors. The localization is a parameter instead of a part of the
/// model, so that a process can use several languages. The code and the key of an error are not localized.
extension ManagedObjectError {
  /// Returns the ``description`` with the names and texts of a localization: `Notiz, Titel: zu lang`. If there are
  /// several errors, each is on its own line.
  ///
  /// The names of the entity and the property are localized, and so is the message: see
  /// ``ModelLocalization/text(of:)``.
  ///
  /// ```swift
  /// let german = ModelLocalization(["Entity/Note": "Notiz", "Property/title": "Titel", "ErrorString/1670": "zu kurz"])
  /// print(error.description(in: german))                   // Notiz, Titel: zu kurz
  /// ```
  public func description(in localization: ModelLocalization) -> String {
    if !details.isEmpty { return details.map { $0.description(in: localization) }.joined(separator: "\n") }
    var location: [String] = []
    if let entity = objectID?.entity {
      location.append(localization.name(of: entity))
      if let key { location.append(localization.name(ofProperty: key, in: entity).printable(limit: 100)) }
    } else if let key {
      location.append(key.printable(limit: 100))
    }
    let text = localization.text(of: self)
    return withFile((location.isEmpty ? text : "\(location.joined(separator: ", ")): \(text)") + end(\.text))
  }
}

extension ModelLocalization {
  /// Returns the text of an error, without a location.
  ///
  /// The first key is `ErrorString/` and the error's message. If the model has a warning for the violated validation,
  /// the message is that warning. The second key is `ErrorString/` and the error's code, such as `ErrorString/1570` for
  /// a missing value. If the localization has neither key, the result is the message.
  public func text(of error: ManagedObjectError) -> String {
    entries["ErrorString/\(error.message)"] ?? entries["ErrorString/\(error.code.rawValue)"] ?? error.message
  }
}
