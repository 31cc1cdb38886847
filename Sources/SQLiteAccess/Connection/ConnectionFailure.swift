/// An error that a ``Connection`` throws. A module that uses this one converts the errors of SQLite to its own error
/// type in ``init(_:)``, so that its functions can throw that type.
package protocol ConnectionFailure: Error {
  init(_ error: SQLiteError)
}

extension SQLiteError: ConnectionFailure {
  package init(_ error: SQLiteError) { self = error }
}
