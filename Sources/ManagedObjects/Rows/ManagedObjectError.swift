public import FoundationEssentials
internal import ObjectModels
public import Predicates
public import PropertyLists

/// A failure of an operation on objects or their store.
public struct ManagedObjectError: Error, Sendable {
  /// The sort of failure. The raw values are those of Cocoa (`NSCocoaErrorDomain`). Programs decide by it; people read
  /// ``ManagedObjectError/message``.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// The file of a store is not there, and is not to be made.
    case noSuchFile = 260
    /// A value does not fulfil a rule that has no code of its own.
    case validation = 1550
    /// A uniqueness constraint is not fulfilled, or an object is in a to-many relationship without an inverse of two
    /// others.
    case constraintValidation = 1551
    /// Several things are wrong: ``ManagedObjectError/details``.
    case multipleErrors = 1560
    case missingMandatoryProperty = 1570
    case relationshipLacksMinimumCount = 1580
    case relationshipExceedsMaximumCount = 1590
    /// An object cannot be deleted as long as others are there that it refers to.
    case deleteDenied = 1600
    case numberTooLarge = 1610
    case numberTooSmall = 1620
    case dateTooLate = 1630
    case dateTooSoon = 1640
    case invalidDate = 1650
    case stringTooLong = 1660
    case stringTooShort = 1670
    case stringPatternMismatch = 1680
    case invalidURI = 1690
    /// Another process has the file of the store locked.
    case locked = 132_000
    /// The object is not in its store any more.
    case referentialIntegrity = 133_000
    /// A relationship refers to an object of another store.
    case externalRelationship = 133_010
    /// Somebody else saved the object after it was read.
    case merge = 133_020
    /// Objects have the same values of a uniqueness constraint.
    case constraintMerge = 133_021
    /// A type of store that there is not, or that the file is not of.
    case invalidStoreType = 134_000
    case storeTypeMismatch = 134_010
    case incompatibleSchema = 134_020
    /// A store cannot be saved.
    case save = 134_030
    /// Some stores were saved and others not.
    case incompleteSave = 134_040
    /// An object, a context or a store is not in a state for what is asked, or is none of the one who is asked.
    case invalidState = 134_060
    /// A store cannot do what is asked.
    case operation = 134_070
    /// A store cannot be opened.
    case open = 134_080
    case timeout = 134_090
    /// A request that cannot be executed.
    case unsupportedRequest = 134_091
    /// The store was made with another version of the model.
    case incompatibleVersionHash = 134_100
    case migration = 134_110
    /// Objects have the same values of a uniqueness constraint that a store is to have from now on.
    case migrationConstraint = 134_111
    /// Somebody stopped a migration.
    case migrationCancelled = 134_120
    /// A store cannot be migrated without the model that it was made with.
    case missingSourceModel = 134_130
    /// A function that migrates objects is missing, or failed.
    case entityMigrationPolicy = 134_170
    /// The database of a store fails: ``ManagedObjectError/sqliteCode``.
    case sqlite = 134_180
    /// Two versions of a model do not tell how objects of one become those of the other.
    case inferredMapping = 134_190
    /// A migration would drop values or objects that the new model does not have, and the caller does not allow it.
    case droppedValues = 134_905
    /// A name that the entity or the model does not have (`NSUndefinedKeyException`).
    case undefinedKey = 134_901
    /// Somebody else saved objects under the keys of new ones. They need others; a context gives them those by itself,
    /// unless ``ManagedObjectContext/obtainPermanentIDs(for:)`` made them known.
    case keysTaken = 134_903
    /// A value that the property cannot have (`NSInvalidArgumentException`).
    case invalidValue = 134_902
  }

  /// What the caller can do, where an error tells. ``description`` says it behind the message.
  public enum Remedy: Hashable, Sendable {
    /// To open a store, which has no model in it, with the model of its program.
    case openingWithModel
    /// To open a store with `writesNothing`, since SQLite cannot make files beside it.
    case openingWithoutWriting

    var text: String {
      switch self {
      case .openingWithModel: "open it with the model of its program, from a .mom, .momd or .xcdatamodel file"
      case .openingWithoutWriting: "SQLite reads it only if it can write beside it, but for opening with writesNothing"
      }
    }
  }

  /// The sort of failure. Programs decide by it; people read ``message``.
  public var code: Code
  /// The defect, in one line without a location.
  public var message: String
  /// What the caller can do; nil where nothing but the message tells.
  public var remedy: Remedy?
  /// The object that it is about.
  public var objectID: ManagedObjectID?
  /// Other objects that it is about. Of ``Code/constraintValidation``, the object that two have, and the other one that
  /// has it.
  public var relatedObjectIDs: [ManagedObjectID] = []
  /// The property that it is about.
  public var key: String?
  /// The value that is wrong.
  public var value: AttributeValue?
  /// The rule that the value does not fulfil.
  public var predicate: ManagedPredicate?
  /// The defect of a fetch request's predicate.
  public var predicateError: ManagedPredicateError?
  /// The file of the store that it is about. Every error in opening a store in a file has it.
  public var fileURL: URL?
  /// The defect of the file of a store.
  public var fileError: PropertyListError?
  /// The extended result code of SQLite (`NSSQLiteErrorDomain`).
  public var sqliteCode: Int?
  /// The error of a program's own function that stopped the work (`NSUnderlyingErrorKey`), such as a function that
  /// migrates objects.
  public var underlyingError: (any Error)?
  /// Of ``Code/multipleErrors``, all that is wrong.
  public var details: [ManagedObjectError] = []
  /// Of ``Code/merge`` and ``Code/constraintMerge``, the objects.
  public var conflicts: [MergeConflict] = []
  /// Of ``Code/incompatibleVersionHash``, the names of the entities that differ, in order.
  public var differingEntities: [String] = []

  /// An error.
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

  /// One error for several; nil for none.
  public init?(all errors: [ManagedObjectError]) {
    guard let first = errors.first else { return nil }
    self = first
    guard errors.count > 1 else { return }
    self.init(.multipleErrors, "\(errors.count) errors")
    details = errors
  }
}

extension ManagedObjectError: CustomStringConvertible {
  /// The file, the object and the property, then the message; a line for each of several: `Note/p12 title: the text is
  /// too long`, `/home/ada/notes.xml:12:5: no such entity`.
  public var description: String { description(\.text) }

  /// As ``description``, with the words that a tool has for remedies.
  package func description(_ textOfRemedy: (Remedy) -> String) -> String {
    if !details.isEmpty { return details.map { $0.description(textOfRemedy) }.joined(separator: "\n") }
    let location = [objectID?.description, key?.printable(limit: 100)].compactMap(\.self).joined(separator: " ")
    let others = relatedObjectIDs.isEmpty ? "" : " (\(relatedObjectIDs.map(\.description).joined(separator: ", ")))"
    return withFile((location.isEmpty ? message : "\(location): \(message)") + others + end(textOfRemedy))
  }

  /// The message, and what the caller can do.
  package var messageWithRemedy: String { message + end(\.text) }

  /// What follows the message.
  func end(_ textOfRemedy: (Remedy) -> String) -> String { remedy.map { "; \(textOfRemedy($0))" } ?? "" }

  /// A text about the error with the file before it, unless the text names it already.
  func withFile(_ text: String) -> String {
    guard let fileURL else { return text }
    let file = (fileURL.isFileURL ? fileURL.path : fileURL.absoluteString).printable()
    if text.contains(file) { return text }
    // A line and a column follow the file as compilers have it.
    return file + (fileError?.position == nil ? ": " : ":") + text
  }

  /// The error with the file that it is about, if it names none yet.
  package func naming(_ file: URL?) -> ManagedObjectError {
    var error = self
    error.fileURL = fileURL ?? file
    return error
  }

  /// Does something with a file, which its errors name.
  package static func naming<Result>(
    _ file: URL, _ body: () throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    do { return try body() } catch { throw error.naming(file) }
  }
}

/// Errors of saves, alike in every store.
extension ManagedObjectError {
  /// The error for rows that have another version by now or are gone; nil for none.
  package init?(merge conflicts: [MergeConflict]) {
    if conflicts.isEmpty { return nil }
    self.init(.merge, "\(conflicts.count) of the objects were saved by somebody else after they were read")
    self.conflicts = conflicts
  }

  /// The error for rows with the values of others in a uniqueness constraint; nil for none.
  package init?(constraintMerge conflicts: [MergeConflict]) {
    guard let first = conflicts.first else { return nil }
    self.init(
      .constraintMerge,
      "another object has the same values of the uniqueness constraint "
        + first.constraint.joined(separator: ", ").quoted)
    self.conflicts = conflicts
  }
}

/// An object that somebody else saved after it was read, or objects that have the same values of a constraint.
public struct MergeConflict: Hashable, Sendable {
  /// The row that the save would have written; nil for an object that it deletes.
  public var object: StoreRow?
  /// The object as it was read; nil for a new one.
  public var snapshot: StoreRow?
  /// The object as the store has it now; nil if it is gone.
  public var stored: StoreRow?
  /// Of a uniqueness constraint, the names of its properties.
  public var constraint: [String] = []

  /// A conflict.
  public init(object: StoreRow?, snapshot: StoreRow?, stored: StoreRow?, constraint: [String] = []) {
    self.object = object
    self.snapshot = snapshot
    self.stored = stored
    self.constraint = constraint
  }
}

/// Errors in the words of a language. It is given with each call and not kept by a model, so that one process can
/// answer in several languages, and programs still decide by codes and keys.
extension ManagedObjectError {
  /// As ``description``, with the names and texts of a localisation: `Notiz, Titel: zu lang`. Several errors have a
  /// line each.
  ///
  /// Entity and property have their names there, and what is wrong is ``ModelLocalization/text(of:)``.
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
  /// The text of an error, without a location.
  ///
  /// It is the text under `ErrorString/` and the error's message, which of a validation with a warning is the warning;
  /// without that the text under `ErrorString/` and the error's code, such as `ErrorString/1570` for a value that is
  /// missing; else the message.
  public func text(of error: ManagedObjectError) -> String {
    entries["ErrorString/\(error.message)"] ?? entries["ErrorString/\(error.code.rawValue)"] ?? error.message
  }
}
