public import KeyedArchiving
public import Nibs

extension NIBArchive {
  /// Something that is wrong with an archive, or odd about it.
  public struct Finding: Hashable, Sendable {
    /// What sort of finding it is. Programs decide by it; people read ``message``.
    public let kind: Kind
    /// What is wrong, in one line without a position.
    public let message: String
    /// The index of the object that is wrong, or that has the value that is; nil for the archive as a whole.
    public let object: Int?
    /// The index in the table of values of the value that is wrong.
    public let value: Int?

    /// The sorts of finding.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// There is no object, and so no root.
      case noRoot
      /// The root is of another class than `NSObject`.
      case rootClass
      /// The class of an object is not in the table of class names.
      case missingClass
      /// An object has values beyond the table of values.
      case missingValues
      /// The key of a value is not in the table of keys.
      case missingKey
      /// A reference leads out of the table of objects.
      case danglingReference
      /// A fallback of a class is not in the table of class names, or the class itself.
      case invalidFallback
      /// A collection says that its values are its elements, and has others, or a key without a value.
      case invalidCollection
      /// An object of one of Foundation's classes has not what Apple's reader needs to make it.
      case invalidContents
      /// An array, set or dictionary that cannot be changed once it is made contains itself.
      case circularCollection
      /// An object has a key twice, and is no collection.
      case duplicateKey
      /// A key or a class stands twice in its table.
      case duplicateName
      /// No reference leads from the root to an object.
      case unreachableObject
      /// A value belongs to no object.
      case unusedValue
      /// No value has a key.
      case unusedKey
      /// No object is of a class, and no other class names it as a fallback.
      case unusedClass
      /// The bytes after the last table.
      case trailingBytes
      /// The file is laid out in another way than the coder does it.
      case otherLayout
      /// Ranges of values overlap so far, or there are so many findings, that the rest was not looked at.
      case limitExceeded
    }

    /// How bad the finding is: that of its ``kind``.
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
  /// The position and the message: `object 12, value 40: a reference to object 99, and there are 20`.
  public var description: String {
    var location: [String] = []
    if let object { location.append("object \(object)") }
    if let value { location.append("value \(value)") }
    return (location.isEmpty ? "" : location.joined(separator: ", ") + ": ") + message
  }
}
