public import Foundation
public import KeyedArchiving

// `KeyedArchiving` has the code for these types, but recognizes them by their names, so that it need not link full
// Foundation. Only the conformances are here.

/// Archived as an `NSIndexSet`. `NSMutableIndexSet` is also read.
///
/// ```swift
/// let pages: IndexSet = [1, 2, 5]
/// let data = try KeyedArchiver.archivedData(withRootObject: pages)
/// try KeyedUnarchiver.unarchivedObject(of: IndexSet.self, from: data) == pages  // true
/// ```
extension IndexSet: KeyedArchiving.SecureCoding {}

/// Archived as an `NSPersonNameComponents`.
///
/// ```swift
/// var name = PersonNameComponents()
/// name.givenName = "Ada"
/// try archiver.encode(name, forKey: "name")
/// ```
extension PersonNameComponents: KeyedArchiving.SecureCoding {}

/// Archived as an `NSRange` in an `NSValue`.
///
/// ```swift
/// try archiver.encode([NSRange(location: 0, length: 5)], forKey: "matches")
/// ```
extension NSRange: KeyedArchiving.SecureCoding {}
