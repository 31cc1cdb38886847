import ManagedObjects
import Testing

/// Returns the error that a function throws, or nil. An error of another type fails the test.
func thrownError(_ body: () throws -> Void) -> ManagedObjectError? {
  do { try body() } catch let error as ManagedObjectError {
    return error
  } catch {
    Issue.record(error)
  }
  return nil
}

/// Returns the code of the error that a function throws, or nil.
func errorCode(_ body: () throws -> Void) -> ManagedObjectError.Code? { thrownError(body)?.code }
