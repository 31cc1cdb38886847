public import KeyedArchiving
public import Nibs

extension NIBArchive {
  /// A defect or peculiarity of an archive.
  public struct Finding: Hashable, Sendable {
    /// The kind of finding, for use in code. The text for people is ``message``.
    public let kind: Kind
    /// A description of the problem, in one line and without its position.
    public let message: String
    /// The index of the object with the problem, or of the object that contains the value with the problem. Nil if the
    /// finding is about the archive as a whole.
    public let object: Int?
    /// The index of the value in the table of values. Nil if the finding is not about a value.
    public let value: Int?

    /// The kinds of finding.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The archive has no objects, so it has no root.
      case noRoot
      /// The class of the root is not `NSObject`.
      case rootClass
      /// The class of an object is not in the table of class names.
      case missingClass
      /// The values of an object extend beyond the table of values.
      case missingValues
      /// The key of a value is not in the table of keys.
      case missingKey
      /// A reference leads beyond the table of objects.
      case danglingReference
      /// The fallbacks of a class, which a reader may use instead of it, include the class itself or an index that is
      /// not in the table of class names.
      case invalidFallback
      /// A collection is marked as one whose values are all elements, but a value has another key than elements have.
      /// Or a dictionary has a last key without a value.
      case invalidCollection
      /// An object of a Foundation class has no value for a key that its class requires, or an invalid value.
      case invalidContents
      /// An immutable array, set or dictionary contains itself.
      case circularCollection
      /// An object that is not a collection has two values with the same key.
      case duplicateKey
      /// A key or a class occurs twice in its table.
      case duplicateName
      /// An object cannot be reached from the root.
      case unreachableObject
      /// A value belongs to no object.
      case unusedValue
      /// A key is not used by any value.
      case unusedKey
      /// A class has no objects, and is not a fallback of another class.
      case unusedClass
      /// The file has bytes after the last table.
      case trailingBytes
      /// The layout of the file differs from the one that Apple's coder writes.
      case otherLayout
      /// The check ended early, because ranges of values overlap too much, or because there are too many findings.
      case limitExceeded
    }

    /// The severity of findings of this ``kind``.
    public var severity: KeyedArchive.Finding.Severity {
      switch kind {
      case .noRoot, .missingClass, .missingValues, .missingKey, .danglingReference, .invalidFallback,
        .invalidCollection, .invalidContents, .circularCollection, .limitExceeded:
        .error
      case .rootClass, .duplicateKey: .warning
      case .duplicateName, .unreachableObject, .unusedValue, .unusedKey, .unusedClass, .trailingBytes, .otherLayout:
        .note
      }
    }

    init(_ kind: Kind, _ message: String, object: Int? = nil, value: Int? = nil) {
      self.kind = kind
      self.message = message
      self.object = object
      self.value = value
    }
  }
}

extension NIBArchive.Finding: CustomStringConvertible {
  /// The position and the message, for example
  /// `object 12, value 40: the reference to object 99 is out of range: the number of objects is 20`.
  public var description: String {
    var location: [String] = []
    if let object { location.append("object \(object)") }
    if let value { location.append("value \(value)") }
    return (location.isEmpty ? "" : location.joined(separator: ", ") + ": ") + message
  }
}
