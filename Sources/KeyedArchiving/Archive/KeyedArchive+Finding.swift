@_spi(Archives) public import PropertyLists

extension KeyedArchive {
  /// Something that is wrong with an archive.
  public struct Finding: Hashable, Sendable {
    /// What sort of finding it is. Programs decide by it; people read ``message``.
    public let kind: Kind
    /// What is wrong, in one line without a position.
    public let message: String
    /// The object that is wrong, or that has the value that is; nil for the archive as a whole.
    public let uid: PropertyList.UID?
    /// The way from that object, or else from the root of the property list, to the value that is wrong. Empty if it is
    /// the object itself.
    public let path: PropertyListKeyPath

    /// The sorts of finding.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The root of the property list is no dictionary.
      case root
      /// There is no `$archiver`, or it is no text.
      case archiver
      /// The `$archiver` is another than `NSKeyedArchiver`.
      case otherArchiver
      /// There is no `$version`, or it is another than 100000.
      case version
      /// There is no `$top`, or it is no dictionary.
      case top
      /// There is no `$objects`, or it is no array.
      case objectTable
      /// The first object is not `$null`.
      case firstObject
      /// A value or a key cannot be read: its bytes break the rules of the format, or it contains itself.
      case unreadableValue
      /// A key stands twice in a dictionary.
      case duplicateKey
      /// A UID leads out of the object table.
      case danglingReference
      /// A reference to an object leads to the description of a class.
      case referenceToClass
      /// An object is something that no object can be, such as a UID.
      case invalidObject
      /// An object is a dictionary without a `$class`.
      case missingClass
      /// The `$class` of an object is no class description.
      case invalidClass
      /// A dictionary that is no object has a `$class`.
      case inlineObject
      /// A class description has no name, or contradicts itself.
      case classDescription
      /// A class is described twice.
      case classDescribedTwice
      /// An object of one of Foundation's classes has not what Apple's reader needs to make it.
      case invalidContents
      /// An array, set or dictionary that cannot be changed once it is made contains itself.
      case circularCollection
      /// No top-level key leads to an object, or to an object of a class.
      case unreachableObject
      /// Objects overlap, or expand so far that the rest was not looked at.
      case limitExceeded
    }

    /// How bad a finding is.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
      /// Some readers cannot decode the archive, or a part of it.
      case error
      /// The archive can be decoded, but there are readers that refuse it.
      case warning
      /// Every reader can decode the archive.
      case note
    }

    /// How bad the finding is: that of its ``kind``.
    public var severity: Severity {
      switch kind {
      case .unreachableObject: .note
      case .otherArchiver: .warning
      default: .error
      }
    }

    package init(_ kind: Kind, _ message: String, uid: UInt32? = nil, path: PropertyListKeyPath = PropertyListKeyPath())
    {
      self.kind = kind
      self.message = message
      self.uid = uid.map { PropertyList.UID($0) }
      self.path = path
    }
  }
}

extension KeyedArchive.Finding: CustomStringConvertible {
  /// The position and the message: `object 12, friends[3]: the UID 99 leads out of the object table, which has 20
  /// objects`.
  public var description: String {
    var location: [String] = []
    if let uid { location.append("object \(uid.value)") }
    if !path.components.isEmpty { location.append(KeyedArchiveError.spelled(path).printable(limit: 300)) }
    return (location.isEmpty ? "" : location.joined(separator: ", ") + ": ") + message
  }
}
