package import ManagedObjects
internal import PropertyLists
package import SQLiteAccess

/// Conversion of the errors of a connection.
extension ManagedObjectError: ConnectionFailure {
  package init(_ error: SQLiteError) {
    var message = error.line
    if error.origin == .path { message = "\(error.path.quoted) is not the path of a file" }
    if error.origin == .preparing, error.code.primary == .error, let sql = error.sql {
      message += " in \(sql.prefix(200))"
    }
    self.init(Self.code(error), message)
    if error.isReadOnly, [.cannotOpen, .readOnly].contains(error.code.primary) { remedy = .openingWithoutWriting }
    if let beginning = error.beginning {
      if let kind = StoreFileKind(beginning), kind != .sqlite {
        self.init(.storeTypeMismatch, "\(error.path): the file is \(kind.name ?? "XML"), not an SQLite store")
      } else {
        self.message += ", or is encrypted"
      }
    }
    if error.isReported { sqliteCode = Int(error.code.rawValue) }
    if let sql = error.sql { statements = [sql] }
  }

  private static func code(_ error: SQLiteError) -> Code {
    switch error.origin {
    case .path, .opening: return .open
    case .moved: return .save
    case .limit: return .sqlite
    case .encryption: return .encryptionUnavailable
    case .key: return error.code.primary == .notADatabase ? .wrongEncryptionKey : .sqlite
    case .preparing, .running: break
    }
    return switch error.code.primary {
    case .busy, .locked, .protocolError: .locked
    case .notADatabase: .open
    case .cannotOpen, .readOnly: error.isWriting ? .save : .open
    case .full: .save
    case .inputOutput:
      error.isWriting || [.writing, .syncing, .truncating].contains(error.code) ? .save : .sqlite
    case .interrupted: .timeout
    default: .sqlite
    }
  }
}

// Tests of the result code that SQLite returned for an error.

extension ManagedObjectError {
  private var resultCode: SQLiteResultCode? { sqliteCode.map { SQLiteResultCode(rawValue: Int32($0)) } }

  /// True if SQLite rejects the statement, or if a function in it has failed.
  var isFailedStatement: Bool { resultCode?.primary == .error }

  /// True if a statement or a value is longer than SQLite allows.
  var isTooBig: Bool { resultCode?.primary == .tooBig }

  /// True if another row already has the primary key.
  var isTakenKey: Bool { resultCode == .constraintPrimaryKey || resultCode == .constraintRowID }

  /// True if another row has the same values in a unique index.
  var isUniqueness: Bool { resultCode == .constraintUnique }
}
