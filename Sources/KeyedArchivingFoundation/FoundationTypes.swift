public import Foundation
public import KeyedArchiving

// `KeyedArchiving` knows these types by their names, so that programs that need no full Foundation do not link it. What
// is missing there is that they conform.

/// `NSIndexSet`, and `NSMutableIndexSet` where an archive has one.
extension IndexSet: KeyedArchiving.SecureCoding {}

/// `NSPersonNameComponents`.
extension PersonNameComponents: KeyedArchiving.SecureCoding {}

/// `NSRange`, in an `NSValue`.
extension NSRange: KeyedArchiving.SecureCoding {}
