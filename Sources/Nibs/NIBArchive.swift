public import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists

/// A compiled nib in Apple's format `NIBArchive`, as it stands in its file: objects, keys, values and names of classes.
///
/// Nothing is instantiated, so no class has to be known, and a nib of any origin can be opened safely.
///
/// ```swift
/// let nib = try NIBArchive(contentsOf: url)
/// for object in nib.objects where object.className == "UILabel" {
///   print(object.index, object["UIText"] as Any)
/// }
/// ```
///
/// The tables of the file are flat arrays here. Data stay where they are in the bytes of the file, and objects and
/// values are made when they are asked for. An index that leads out of its table is no error when a nib is opened, so
/// that damaged ones can be looked at; `check()` of the module `ArchiveViews` finds them all.
///
/// <doc:CompiledNibs> describes the format, and says where each fact comes from.
public struct NIBArchive: Sendable {
  /// The version of the layout of the file: 1 in all files that are known.
  public let formatVersion: UInt32
  /// The version of the coder that wrote the file: 9 and 10 are known.
  public let coderVersion: UInt32
  /// The names of keys, by their index.
  public let keys: [String]
  /// The names of classes, by their index.
  public let classNames: [ClassName]
  /// The bytes after the last table. Their meaning is not known; files of coder version 10 are said to have some.
  public let trailingBytes: Data

  package let objectTable: [ObjectRow]
  package let valueTable: [ValueRow]
  /// What the ranges of data are of: the whole file, if ``isFromFile``.
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

  /// The one layout that is known.
  static var knownFormatVersion: UInt32 { 1 }

  /// The key of the elements of collections.
  package static var elementKey: String { "UINibEncoderEmptyKey" }

  /// The key that marks a collection whose elements are its values.
  package static var inlinedKey: String { "NSInlinedValue" }

  /// The name of a class, and the classes that a reader may take if it does not know that one.
  public struct ClassName: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The indices in ``NIBArchive/classNames`` of the classes that may stand in for this one, the best first.
    public var fallbackIndices: [Int]

    /// A name, with the classes that may stand in for it.
    public init(_ name: String, fallbackIndices: [Int] = []) {
      self.name = name
      self.fallbackIndices = fallbackIndices
    }
  }

  /// An object in its table.
  package struct ObjectRow: Hashable, Sendable {
    package let classIndex: UInt32
    package let firstValue: UInt32
    package let valueCount: UInt32
  }

  /// A value in its table.
  package struct ValueRow: Sendable {
    package let keyIndex: UInt32
    package let type: ValueType
    /// The bits of a number; the index of an object; of data the offset in the upper half, the length in the lower.
    package let payload: UInt64

    /// The range of data in the bytes.
    package var range: Range<Int> {
      let start = Int(payload >> 32)
      return start..<start + Int(payload & 0xFFFF_FFFF)
    }
  }

  /// The sorts of value, by their number in a file.
  package enum ValueType: UInt8 {
    case int8, int16, int32, int64, `false`, `true`, float, double, data, null, object

    /// How many bytes follow the number of the type; nil if that differs from value to value.
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
}
