/// An internal type of this package that represents a class in Apple's archives. Programs cannot see the type, so error
/// messages contain the name of the class instead, such as `NSExpression`.
package protocol ArchivedForm: SecureCoding {
  /// The name of the type in error messages. The default is the name of ``SecureCoding/archivedClass``.
  static var nameInMessages: String { get }
}

extension ArchivedForm {
  package static var nameInMessages: String { archivedClass.name }
}

extension DefaultStringInterpolation {
  /// Appends the name of a type to an error message.
  mutating func appendInterpolation(_ type: any SecureCoding.Type) {
    appendLiteral((type as? any ArchivedForm.Type)?.nameInMessages ?? String(describing: type))
  }
}
