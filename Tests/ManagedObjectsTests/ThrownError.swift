import ManagedObjects
import Testing

/// The error that a function throws; nil if it throws none. An error of another type fails the test.
func thrownError(_ body: () throws -> Void) -> ManagedObjectError? {
  do { try body() } catch let error as ManagedObjectError {
    return error
  } catch {
    Issue.record(error)
  }
  return nil
}

/// The code of the error that a function throws; nil if it throws none.
func errorCode(_ body: () throws -> Void) -> ManagedObjectError.Code? { thrownError(body)?.code }
