internal import ManagedObjects

/// The checked pragmas of ``SQLiteStoreOptions/pragmas``.
///
/// The allowed pragmas can neither damage the file nor change the results of requests. These are not allowed:
///
/// * `synchronous = OFF`, `journal_mode = OFF` and `MEMORY`: a crash could damage the file;
/// * `cache_spill` and `automatic_index`: a request on an undamaged file could exceed its work limit;
/// * `cell_size_check` and `trusted_schema`: they protect against damaged files;
/// * all that write to the file, or change the meaning of SQL.
struct StorePragmas: Sendable {
  private enum Values {
    case numbers(ClosedRange<Int64>)
    case words([String])
  }

  private static let allowed: [String: Values] = [
    "analysis_limit": .numbers(0...Int64(Int32.max)),
    "cache_size": .numbers(-Int64(Int32.max)...Int64(Int32.max)),
    "journal_mode": .words(["WAL", "DELETE", "TRUNCATE", "PERSIST"]),
    "journal_size_limit": .numbers(-1...Int64.max),
    "mmap_size": .numbers(0...Int64.max),
    "secure_delete": .words(["ON", "OFF", "FAST"]),
    "synchronous": .words(["NORMAL", "FULL", "EXTRA"]),
    "temp_store": .words(["DEFAULT", "FILE", "MEMORY"]),
    "threads": .numbers(0...64),
    "wal_autocheckpoint": .numbers(1...Int64(Int32.max)),
  ]

  /// The pragmas that are not in the following properties, sorted by name.
  private var settings: [(name: String, value: String)] = []
  private var cacheSize: Int64?
  private var journalMode: String?
  private var isNormal = false

  /// Checks pragmas.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a pragma that is not allowed, and for a value that the
  ///   pragma does not allow.
  init(_ pragmas: [String: String]) throws(ManagedObjectError) {
    for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
      guard let values = Self.allowed[name] else {
        let names = Self.allowed.keys.sorted().joined(separator: ", ")
        throw ManagedObjectError(.invalidValue, "the pragma \(name.quoted) is not allowed; allowed are \(names)")
      }
      switch values {
      case .numbers(let range):
        guard let number = Int64(value), range.contains(number) else {
          throw Self.wrong(name, value, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        if name == "cache_size" { cacheSize = number } else { settings.append((name, "\(number)")) }
      case .words(let words):
        guard let word = words.first(where: { $0 == value.uppercased() }) else {
          throw Self.wrong(name, value, words.joined(separator: ", "))
        }
        if name == "journal_mode" { journalMode = word } else { settings.append((name, word)) }
        if name == "synchronous" { isNormal = word == "NORMAL" }
      }
    }
  }

  private static func wrong(_ name: String, _ value: String, _ expected: String) -> ManagedObjectError {
    ManagedObjectError(.invalidValue, "the pragma \(name): expected \(expected), found \(value.quoted)")
  }

  /// Sets all pragmas except the journal mode.
  func apply(to database: Database) throws(ManagedObjectError) {
    for (name, value) in settings { try database.execute("PRAGMA \(name) = \(value)") }
    if let cacheSize { try database.setCacheSize(cacheSize) }
  }

  /// Sets the journal mode of a file after its tables were created, and checks that the other pragmas are safe with the
  /// mode.
  ///
  /// - Throws: ``ManagedObjectError/Code/locked`` if another connection uses the file,
  ///   ``ManagedObjectError/Code/invalidValue`` for a mode in a read-only store, and for
  ///   `synchronous = NORMAL` without a write-ahead log.
  func applyJournalMode(to database: Database, isReadOnly: Bool) throws(ManagedObjectError) {
    if let journalMode {
      if isReadOnly {
        throw ManagedObjectError(
          .invalidValue, "\(database.path): the pragma journal_mode cannot be set in a read-only store")
      }
      let found = try database.journalMode(journalMode)
      guard found.uppercased() == journalMode else {
        throw ManagedObjectError(
          .locked, "\(database.path): the journal mode stays \(found), because another process uses the store")
      }
    }
    if isNormal, !isReadOnly, try database.journalMode() != "wal" {
      throw ManagedObjectError(
        .invalidValue,
        "\(database.path): the pragma synchronous can be NORMAL only with the journal mode WAL; with a rollback "
          + "journal, a power failure could damage the file")
    }
  }
}
