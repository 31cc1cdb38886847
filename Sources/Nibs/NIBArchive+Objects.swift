internal import FoundationEssentials
internal import KeyedArchiving

extension NIBArchive {
  /// The objects by their index. The first one is the root: it is of the class `NSObject`, and its values lead to all
  /// others.
  public var objects: Objects { Objects(archive: self) }

  /// All values of all objects, in the order of the file.
  public var values: Values { Values(archive: self, range: valueTable.indices) }

  /// The objects of an archive, addressed by their index.
  ///
  /// An index beyond the last is no error: its object has no class and no values, so that references can be followed
  /// without a look at where they lead.
  public struct Objects: RandomAccessCollection, Sendable {
    let archive: NIBArchive

    public var startIndex: Int { 0 }

    public var endIndex: Int { archive.objectTable.count }

    /// The object at an index.
    ///
    /// - Complexity: O(1).
    public subscript(index: Int) -> Object { Object(archive: archive, index: index) }
  }

  /// An object of an archive: a class, and a range of the values.
  public struct Object: Sendable {
    let archive: NIBArchive
    /// The index in the table of objects.
    public let index: Int

    private var row: ObjectRow? { archive.objectTable.indices.contains(index) ? archive.objectTable[index] : nil }

    /// The index of the class in ``NIBArchive/classNames``, where a damaged file may have no class; nil if there is no
    /// such object.
    public var classIndex: Int? { row.map { Int($0.classIndex) } }

    /// The name of the class; nil if the archive has none at that index.
    public var className: String? { archiveClass?.name }

    /// The names of the classes that a reader may take instead of ``className``, the best first.
    public var fallbackClassNames: [String] {
      (archiveClass?.fallbackIndices ?? []).compactMap { index in
        archive.classNames.indices.contains(index) ? archive.classNames[index].name : nil
      }
    }

    private var archiveClass: ClassName? {
      guard let classIndex, classIndex < archive.classNames.count else { return nil }
      return archive.classNames[classIndex]
    }

    /// The range of the values as it stands in the file. In a damaged one it may reach beyond the last.
    public var valueRange: Range<Int> { row.map { $0.values } ?? 0..<0 }

    /// What the object was encoded as, in the order of the file. Collections have one key several times.
    public var values: Values { Values(archive: archive, range: valueRange.clamped(to: archive.valueTable.indices)) }

    /// The first value with a key; nil if there is none.
    ///
    /// - Complexity: O(*k*) in the number of values of the object.
    public subscript(key: String) -> Value? { values.first { $0.key == key }?.value }
  }

  /// Values with their keys, in the order of the file.
  public struct Values: RandomAccessCollection, Sendable {
    let archive: NIBArchive
    let range: Range<Int>

    public var startIndex: Int { range.lowerBound }

    public var endIndex: Int { range.upperBound }

    /// The value at an index in the table of values of the archive.
    ///
    /// - Precondition: the index is one of these.
    /// - Complexity: O(1).
    public subscript(index: Int) -> Field {
      precondition(range.contains(index), "the index is none of these values")
      let row = archive.valueTable[index]
      let keyIndex = Int(row.keyIndex)
      let key = keyIndex < archive.keys.count ? archive.keys[keyIndex] : nil
      return Field(keyIndex: keyIndex, key: key, value: archive.value(of: row))
    }
  }

  /// A value with its key.
  public struct Field: Hashable, Sendable {
    /// The index of the key in ``NIBArchive/keys``.
    public let keyIndex: Int
    /// The key; nil if the archive has none at that index.
    public let key: String?
    /// The value.
    public let value: Value
  }

  /// The bytes of data.
  func data(at range: Range<Int>) -> Data {
    bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
  }

  func value(of row: ValueRow) -> Value {
    switch row.type {
    case .int8: .int8(Int8(truncatingIfNeeded: row.payload))
    case .int16: .int16(Int16(truncatingIfNeeded: row.payload))
    case .int32: .int32(Int32(truncatingIfNeeded: row.payload))
    case .int64: .int64(Int64(truncatingIfNeeded: row.payload))
    case .false: .boolean(false)
    case .true: .boolean(true)
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: row.payload)))
    case .double: .double(Double(bitPattern: row.payload))
    case .data: .data(data(at: row.range))
    case .null: .null
    case .object: .object(Int(row.payload))
    }
  }
}

extension NIBArchive.ObjectRow {
  /// The range of the values. Two numbers of 32 bits have no sum that does not fit.
  package var values: Range<Int> { Int(firstValue)..<Int(firstValue) + Int(valueCount) }
}

extension NIBArchive: Equatable {
  /// Compares versions, tables and trailing bytes; texts and data by their bytes, and numbers by their bits.
  ///
  /// - Complexity: O(*n*) in the size of the archives.
  public static func == (first: NIBArchive, second: NIBArchive) -> Bool {
    first.formatVersion == second.formatVersion && first.coderVersion == second.coderVersion
      && first.objectTable == second.objectTable && first.trailingBytes == second.trailingBytes
      && first.keys.elementsEqual(second.keys) { $0.utf8.elementsEqual($1.utf8) }
      && first.classNames.elementsEqual(second.classNames) { left, right in
        left.fallbackIndices == right.fallbackIndices && left.name.utf8.elementsEqual(right.name.utf8)
      }
      && first.valueTable.count == second.valueTable.count
      && zip(first.valueTable, second.valueTable).allSatisfy { left, right in
        guard left.keyIndex == right.keyIndex, left.type == right.type else { return false }
        guard left.type == .data else { return left.payload == right.payload }
        return first.data(at: left.range) == second.data(at: right.range)
      }
  }
}
