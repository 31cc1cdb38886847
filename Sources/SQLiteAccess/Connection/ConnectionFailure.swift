/// An error that a ``Connection`` throws. A module above converts the errors of SQLite to its own error in
/// ``init(_:)``, so that its functions can throw one type.
package protocol ConnectionFailure: Error {
  init(_ error: SQLiteError)
}

extension SQLiteError: ConnectionFailure {
  package init(_ error: SQLiteError) { self = error }
}
