import Foundation
import KeyedArchiving
import ManagedObjects

/// A writer of predicate archives.
struct KeyedArchiverOfPredicates {
  func data(_ predicate: ManagedPredicate) throws -> Data {
    let archiver = KeyedArchiver()
    try archiver.encode(predicate, forKey: "predicate")
    return try archiver.encodedData()
  }

  func predicate(_ data: Data) throws -> ManagedPredicate? {
    try KeyedUnarchiver(forReadingFrom: data).decodePredicateIfPresent(forKey: "predicate")
  }
}
