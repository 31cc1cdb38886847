import Foundation
import KeyedArchiving
import ManagedObjects

/// Archives of predicates.
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
