@_spi(Archives) public import PropertyLists

extension KeyedArchive {
  /// The objects of an archive, addressed by UID.
  ///
  /// A UID beyond the end of the table is not an error. Its object has the kind ``Object/Kind/malformed``, so you can
  /// follow a reference without checking its UID first.
  ///
  /// ```swift
  /// let strings = try archive.objects.filter { $0.kind == .string }.compactMap { try $0.node.string }
  /// ```
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

    /// The object with a UID.
    ///
    /// - Complexity: O(1).
    public subscript(uid: PropertyList.UID) -> Object { Object(uid, of: archive) }
  }

  /// An object of an archive: a UID, and the value at that index of the object table.
  ///
  /// ```swift
  /// let note = archive.objects[PropertyList.UID(1)]
  /// note.className               // "Note"
  /// try note.fields.map(\.key)   // ["tags", "title", "priority"]
  /// ```
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

    /// The kinds of value in an object table.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The string `$null`, which represents nil.
      case null
      /// A string, number, Boolean, data or date that is stored directly in the object table, without a class.
      case string, integer, real, boolean, data, date
      /// A dictionary with a `$class`.
      case instance
      /// A dictionary with a `$classname`, which describes a class.
      case classDescription
      /// A value that cannot be an object: an array, a UID, a dictionary that is neither an instance nor a class
      /// description, a value that cannot be read, or a UID beyond the end of the table.
      case malformed
    }
  }
}

extension KeyedArchive.Object {
  /// The kind of the object.
  ///
  /// - Complexity: O(*k*), where *k* is the number of keys of the object.
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

  /// The value in the object table.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if the value cannot be read, or if the UID is beyond the end
  ///   of the table.
  public var node: PropertyListDocument.Node { get throws(KeyedArchiveError) { try content.get() } }

  /// The value of a string, number, Boolean, data or date that is stored directly in the object table. Nil for all
  /// other kinds.
  public var value: PropertyListDocument.Node? {
    switch kind {
    case .string, .integer, .real, .boolean, .data, .date: try? node
    case .null, .instance, .classDescription, .malformed: nil
    }
  }

  /// The encoded keys and values of the object, in the order of the file and without its class. Empty for kinds other
  /// than ``Kind/instance``.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` if a key or value cannot be read,
  ///   ``KeyedArchiveError/Kind/limitExceeded`` if the keys of a binary file overlap too much.
  /// - Complexity: O(*k*), where *k* is the number of keys of the object.
  public var fields: [KeyedArchive.Field] {
    get throws(KeyedArchiveError) {
      let node = try node
      guard kind == .instance else { return [] }
      var reader = ArchiveReader(archive)
      do { return try reader.fields(of: node, isObject: true) } catch { throw error.at(uid) }
    }
  }

  /// The class of an instance, or the class that a class description describes. Nil for all other kinds, and if there
  /// is no readable class description.
  ///
  /// - Complexity: O(*k*), where *k* is the number of keys of the object.
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

  /// The name of the object's ``classDescription``.
  public var className: String? { classDescription?.name }
}
