public import Foundation
public import KeyedArchiving

// `KeyedArchiving` has the code for these types, but recognizes them by their names, so that it need not link full
// Foundation. Only the conformances are here.

/// Archived as an `NSIndexSet`. `NSMutableIndexSet` is also read.
extension IndexSet: KeyedArchiving.SecureCoding {}

/// Archived as an `NSPersonNameComponents`.
extension PersonNameComponents: KeyedArchiving.SecureCoding {}

/// Archived as an `NSRange` in an `NSValue`.
extension NSRange: KeyedArchiving.SecureCoding {}
