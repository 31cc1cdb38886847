/// A type of this package that represents a class of Apple's archives. Error messages name it by that class, such as
/// `NSExpression`, because programs cannot see the type.
package protocol ArchivedForm: SecureCoding {
  /// The name in error messages. The default is the name of ``SecureCoding/archivedClass``.
  static var nameInMessages: String { get }
}

extension ArchivedForm {
  package static var nameInMessages: String { archivedClass.name }
}

extension DefaultStringInterpolation {
  /// Appends the name of a type for an error message.
  mutating func appendInterpolation(_ type: any SecureCoding.Type) {
    appendLiteral((type as? any ArchivedForm.Type)?.nameInMessages ?? String(describing: type))
  }
}
