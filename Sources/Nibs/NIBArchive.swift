public import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists

/// A compiled nib in Apple's format `NIBArchive`, as it is stored: objects, keys, values and names of classes.
///
/// No object is instantiated. You need no types for the objects, and can safely open a nib from any source.
///
/// ```swift
/// let nib = try NIBArchive(contentsOf: url)
/// for object in nib.objects where object.className == "UILabel" {
///   print(object.index, object["UIText"] as Any)
/// }
/// ```
///
/// The tables of the file are flat arrays in memory. Data is not copied from the bytes of the file, and objects and
/// values are created when you read them. An invalid index is not an error when a nib is opened, so that you can
/// inspect damaged nibs. `check()` of the module `ArchiveViews` finds all invalid indices.
///
/// <doc:CompiledNibs> describes the format and gives the source of each fact.
public struct NIBArchive: Sendable {
  /// The version of the file's layout: 1 in all known files.
  public let formatVersion: UInt32
  /// The version of the coder that wrote the file. 9 and 10 are known.
  public let coderVersion: UInt32
  /// The names of the keys, by index.
  public let keys: [String]
  /// The names of the classes, by index.
  public let classNames: [ClassName]
  /// The bytes after the last table. Their meaning is unknown. Files of coder version 10 are reported to have such
  /// bytes.
  public let trailingBytes: Data

  package let objectTable: [ObjectRow]
  package let valueTable: [ValueRow]
  /// The bytes of all data values. If ``isFromFile`` is true, they are the whole file.
  package let bytes: Data
  package let isFromFile: Bool

  init(
    formatVersion: UInt32, coderVersion: UInt32, objects: [ObjectRow], keys: [String], values: [ValueRow],
    classNames: [ClassName], bytes: Data, isFromFile: Bool, trailingBytes: Data
  ) {
    self.formatVersion = formatVersion
    self.coderVersion = coderVersion
    objectTable = objects
    self.keys = keys
    valueTable = values
    self.classNames = classNames
    self.bytes = bytes
    self.isFromFile = isFromFile
    self.trailingBytes = trailingBytes
  }

  /// The only known version of the layout.
  static var knownFormatVersion: UInt32 { 1 }

  /// The key of the elements of collections.
  package static var elementKey: String { "UINibEncoderEmptyKey" }

  /// The key of the first value of a collection, which marks its other values as its elements.
  package static var inlinedKey: String { "NSInlinedValue" }

  /// The name of a class, and the classes that a reader may use instead if it does not know this class.
  public struct ClassName: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The indices in ``NIBArchive/classNames`` of the classes that a reader may use instead of this one, best first.
    public var fallbackIndices: [Int]

    /// Creates a class name, with the indices of the classes that a reader may use instead.
    public init(_ name: String, fallbackIndices: [Int] = []) {
      self.name = name
      self.fallbackIndices = fallbackIndices
    }
  }

  /// A row of the table of objects.
  package struct ObjectRow: Hashable, Sendable {
    package let classIndex: UInt32
    package let firstValue: UInt32
    package let valueCount: UInt32
  }

  /// A row of the table of values.
  package struct ValueRow: Sendable {
    package let keyIndex: UInt32
    package let type: ValueType
    /// The bits of a number, or the index of an object. For data, the offset in the upper half and the length in the
    /// lower half.
    package let payload: UInt64

    /// The range of data in ``NIBArchive/bytes``.
    package var range: Range<Int> {
      let start = Int(payload >> 32)
      return start..<start + Int(payload & 0xFFFF_FFFF)
    }
  }

  /// The types of value. The raw value is the number of the type in a file.
  package enum ValueType: UInt8 {
    case int8, int16, int32, int64, `false`, `true`, float, double, data, null, object

    /// The size of a value of the type in a file, in bytes. Nil for data, whose size differs from value to value.
    var width: Int? {
      switch self {
      case .int8: 1
      case .int16: 2
      case .int32, .float, .object: 4
      case .int64, .double: 8
      case .true, .false, .null: 0
      case .data: nil
      }
    }
  }

  /// The objects, by index. The first one is the root. The class of the root is `NSObject`, and its values lead to all
  /// other objects.
  public var objects: Objects { Objects(archive: self) }

  /// All values of all objects, in the order of the file.
  public var values: Values { Values(archive: self, range: valueTable.indices) }

  /// The objects of an archive, addressed by their index.
  ///
  /// An index beyond the end is not an error: it gives an object without class and values. So you can follow a
  /// reference without checking its index first.
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
  ///
  /// ```swift
  /// let label = nib.objects[3]
  /// label.className              // "UILabel"
  /// label["UIBounds"]?.numbers   // [0.0, 0.0, 320.0, 21.0]
  /// for field in label.values { print(field.key ?? "no key", field.value) }
  /// ```
  public struct Object: Sendable {
    let archive: NIBArchive
    /// The index in the table of objects.
    public let index: Int

    private var row: ObjectRow? { archive.objectTable.indices.contains(index) ? archive.objectTable[index] : nil }

    /// The index of the class in ``NIBArchive/classNames``. In a damaged file it may be invalid. Nil if the index of
    /// the object is beyond the end.
    public var classIndex: Int? { row.map { Int($0.classIndex) } }

    /// The name of the class. Nil if the index of the class is invalid.
    public var className: String? { archiveClass?.name }

    /// The names of the classes that a reader may use instead of ``className``, best first.
    public var fallbackClassNames: [String] {
      (archiveClass?.fallbackIndices ?? []).compactMap { index in
        archive.classNames.indices.contains(index) ? archive.classNames[index].name : nil
      }
    }

    private var archiveClass: ClassName? {
      guard let classIndex, classIndex < archive.classNames.count else { return nil }
      return archive.classNames[classIndex]
    }

    /// The range of the values, as it is in the file. In a damaged file it may extend beyond the end of the table.
    public var valueRange: Range<Int> { row.map { $0.values } ?? 0..<0 }

    /// The encoded values of the object, in the order of the file. In a collection, all elements have the same key.
    public var values: Values { Values(archive: archive, range: valueRange.clamped(to: archive.valueTable.indices)) }

    /// The first value with a key; nil if not found.
    ///
    /// - Complexity: O(*k*), where *k* is the number of values of the object.
    public subscript(key: String) -> Value? { values.first { $0.key == key }?.value }
  }

  /// Values with their keys, in the order of the file.
  public struct Values: RandomAccessCollection, Sendable {
    let archive: NIBArchive
    let range: Range<Int>

    public var startIndex: Int { range.lowerBound }

    public var endIndex: Int { range.upperBound }

    /// The value at an index of the archive's table of values.
    ///
    /// - Precondition: `index` is one of the indices of this collection.
    /// - Complexity: O(1).
    public subscript(index: Int) -> Field {
      precondition(range.contains(index), "the index is out of range")
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
    /// The key. Nil if the index of the key is invalid.
    public let key: String?
    /// The value.
    public let value: Value
  }

  /// Returns the bytes of data.
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
  /// The range of the values. The sum of two 32-bit numbers cannot overflow.
  package var values: Range<Int> { Int(firstValue)..<Int(firstValue) + Int(valueCount) }
}

extension NIBArchive: Equatable {
  /// Compares the versions, the tables and the trailing bytes. Texts and data are equal if their bytes are equal.
  /// Numbers are equal if their bits are equal.
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
