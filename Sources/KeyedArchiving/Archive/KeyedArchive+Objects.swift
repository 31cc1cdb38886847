@_spi(Archives) public import PropertyLists

extension KeyedArchive {
  /// The objects of an archive, addressed by UID.
  ///
  /// A UID beyond the last is no error: its object is ``Object/Kind/malformed``, so that references can be followed
  /// without a look at where they lead.
  public struct Objects: RandomAccessCollection, Sendable {
    let archive: KeyedArchive

    public var startIndex: PropertyList.UID { PropertyList.UID(0) }

    public var endIndex: PropertyList.UID { PropertyList.UID(UInt32(clamping: archive.objectsNode.count)) }

    public func index(after uid: PropertyList.UID) -> PropertyList.UID { index(uid, offsetBy: 1) }

    public func index(before uid: PropertyList.UID) -> PropertyList.UID { index(uid, offsetBy: -1) }

    public func index(_ uid: PropertyList.UID, offsetBy distance: Int) -> PropertyList.UID {
      PropertyList.UID(UInt32(clamping: Int(uid.value) + distance))
    }

    public func distance(from start: PropertyList.UID, to end: PropertyList.UID) -> Int {
      Int(end.value) - Int(start.value)
    }

    /// The object of a UID.
    ///
    /// - Complexity: O(1).
    public subscript(uid: PropertyList.UID) -> Object { Object(uid, of: archive) }
  }

  /// An object of an archive: a UID, and what the object table has under it.
  public struct Object: Sendable {
    /// The UID, which is the index in the object table.
    public let uid: PropertyList.UID
    let archive: KeyedArchive
    private let content: Result<PropertyListDocument.Node, KeyedArchiveError>

    fileprivate init(_ uid: PropertyList.UID, of archive: KeyedArchive) {
      self.uid = uid
      self.archive = archive
      do { content = .success(try translated(archive.objectsNode.child(at: Int(uid.value)))) } catch {
        content = .failure(error.at(uid))
      }
    }

    /// What an object table can hold.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The text `$null`, which stands for no object.
      case null
      /// A string, number, truth value, data or date that is its own object, with no class.
      case string, integer, real, boolean, data, date
      /// A dictionary with a `$class`.
      case instance
      /// A dictionary with a `$classname`, which describes a class.
      case classDescription
      /// What no object of an archive is: an array, a UID, a dictionary that is neither an instance nor a class
      /// description, a value that cannot be read, and what lies beyond the end of the table.
      case malformed
    }
  }
}

extension KeyedArchive.Object {
  /// What the object is.
  ///
  /// - Complexity: O(*k*) in the number of its keys.
  public var kind: Kind {
    guard let node = try? node else { return .malformed }
    switch node.kind {
    case .string: return archive.document.isNullObject(node.flat) ? .null : .string
    case .integer: return .integer
    case .real: return .real
    case .boolean: return .boolean
    case .data: return .data
    case .date: return .date
    case .null: return .null
    case .uid, .array: return .malformed
    case .dictionary:
      var reader = ArchiveReader(archive)
      return (try? reader.kind(ofDictionary: node.flat)) ?? .malformed
    }
  }

  /// What stands in the object table.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if it cannot be read, or if the UID leads out of the table.
  public var node: PropertyListDocument.Node { get throws(KeyedArchiveError) { try content.get() } }

  /// The value of a string, number, truth value, data or date that is its own object; nil for all other kinds.
  public var value: PropertyListDocument.Node? {
    switch kind {
    case .string, .integer, .real, .boolean, .data, .date: try? node
    case .null, .instance, .classDescription, .malformed: nil
    }
  }

  /// What the object was encoded as, in the order of the file and without its class; nothing for kinds other than
  /// ``Kind/instance``.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` for what cannot be read,
  ///   ``KeyedArchiveError/Kind/limitExceeded`` for overlapping keys.
  /// - Complexity: O(*k*) in the number of its keys.
  public var fields: [KeyedArchive.Field] {
    get throws(KeyedArchiveError) {
      let node = try node
      guard kind == .instance else { return [] }
      var reader = ArchiveReader(archive)
      do { return try reader.fields(of: node, isObject: true) } catch { throw error.at(uid) }
    }
  }

  /// The class of an instance, or the class that a class description describes; nil for all other kinds, and where the
  /// archive contradicts itself about the class.
  ///
  /// - Complexity: O(*k*) in the number of keys of the object.
  public var classDescription: KeyedArchive.ClassDescription? {
    guard let node = try? node, node.kind == .dictionary else { return nil }
    var reader = ArchiveReader(archive)
    do {
      let keys = try reader.keyPositions(of: node.flat)
      if let position = keys.classReference {
        return try reader.classDescription(ofInstance: node.flat, classPosition: position)
      }
      return keys.className == nil ? nil : try reader.classDescription(uid.value)
    } catch {
      return nil
    }
  }

  /// The name of ``classDescription``.
  public var className: String? { classDescription?.name }
}
