public import FoundationEssentials
internal import KeyedArchiving

extension NIBArchive {
  /// An object for a new archive: its class, and its values with their keys.
  public struct NewObject: Hashable, Sendable {
    /// The name of the class.
    public var className: String
    /// The names of the classes that a reader may use if it does not know ``className``, best first.
    public var fallbackClassNames: [String]
    /// The values, in order. Each element of a collection is a value with the key `UINibEncoderEmptyKey`.
    public var values: [NewValue]

    /// Creates an object of a class.
    public init(_ className: String, fallbackClassNames: [String] = [], _ values: [NewValue] = []) {
      self.className = className
      self.fallbackClassNames = fallbackClassNames
      self.values = values
    }
  }

  /// A value for a new archive, with its key.
  public struct NewValue: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The value.
    public var value: Value

    /// Creates a value with a key.
    public init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// Creates an archive of objects. The first object is the root. Keys and classes that occur several times are stored
  /// once.
  ///
  /// ```swift
  /// let nib = try NIBArchive(objects: [
  ///   .init("NSObject", [.init("title", .object(1))]),
  ///   .init("NSString", [.init("NS.bytes", .data(Data("Invoices".utf8)))]),
  /// ])
  /// ```
  ///
  /// - Parameters:
  ///   - objects: the objects. A value that refers to an object contains its index: `.object(2)` refers to the third.
  ///   - coderVersion: the version of Apple's coder to write to the file.
  /// - Throws: ``NIBArchiveError/Kind/invalidValue`` if a reference is negative or has more than 32 bits,
  ///   ``NIBArchiveError/Kind/limitExceeded`` if the archive is too large for the format.
  /// - Complexity: O(*n*) in the size of the archive.
  public init(objects: [NewObject], coderVersion: UInt32 = 9) throws(NIBArchiveError) {
    var keys = IndexedTexts()
    var names = IndexedTexts()
    var fallbacks: [Int: [Int]] = [:]
    var rows: [(classIndex: Int, values: Range<Int>)] = []
    var values: [(keyIndex: Int, value: Value)] = []
    for object in objects {
      let classIndex = names.index(of: object.className)
      if fallbacks[classIndex] == nil, !object.fallbackClassNames.isEmpty {
        fallbacks[classIndex] = object.fallbackClassNames.map { names.index(of: $0) }
      }
      let start = values.count
      for field in object.values { values.append((keys.index(of: field.key), field.value)) }
      rows.append((classIndex, start..<values.count))
    }
    let classNames = names.texts.enumerated().map { ClassName($1, fallbackIndices: fallbacks[$0] ?? []) }
    try self.init(objects: rows, keys: keys.texts, values: values, classNames: classNames, coderVersion: coderVersion)
  }

  /// Creates an archive from its tables. Indices are not checked; use `check()` of the module `ArchiveViews` to find
  /// invalid ones.
  ///
  /// - Parameters:
  ///   - objects: the class of each object, and the range of its values. Ranges may overlap.
  ///   - keys: the names of the keys.
  ///   - values: the values, each with the index of its key in `keys`.
  ///   - classNames: the names of the classes.
  ///   - coderVersion: the version of Apple's coder to write to the file.
  ///   - trailingBytes: the bytes after the tables.
  /// - Throws: ``NIBArchiveError/Kind/invalidValue`` if an index or a count is negative or has more than 32 bits,
  ///   ``NIBArchiveError/Kind/limitExceeded`` if there are more than 4 GiB of data.
  /// - Complexity: O(*n*) in the size of the archive.
  public init(
    objects: [(classIndex: Int, values: Range<Int>)], keys: [String], values: [(keyIndex: Int, value: Value)],
    classNames: [ClassName], coderVersion: UInt32 = 9, trailingBytes: Data = Data()
  ) throws(NIBArchiveError) {
    var rows: [ObjectRow] = []
    rows.reserveCapacity(objects.count)
    for object in objects {
      rows.append(
        ObjectRow(
          classIndex: try Self.index(object.classIndex), firstValue: try Self.index(object.values.lowerBound),
          valueCount: try Self.index(object.values.count)))
    }
    var bytes: [UInt8] = []
    var valueRows: [ValueRow] = []
    valueRows.reserveCapacity(values.count)
    for (keyIndex, value) in values {
      valueRows.append(try Self.row(of: value, keyIndex: Self.index(keyIndex), &bytes))
    }
    for name in classNames { for index in name.fallbackIndices { _ = try Self.index(index) } }
    self.init(
      formatVersion: Self.knownFormatVersion, coderVersion: coderVersion, objects: rows, keys: keys,
      values: valueRows, classNames: classNames, bytes: Data(bytes), isFromFile: false, trailingBytes: trailingBytes)
  }

  private static func index(_ index: Int) throws(NIBArchiveError) -> UInt32 {
    guard let index = UInt32(exactly: index) else {
      throw NIBArchiveError(.invalidValue, "the index \(index) does not fit in 32 bits")
    }
    return index
  }

  /// Returns the row for a value in the table of values. If the value is data, appends its bytes to `bytes`.
  private static func row(
    of value: Value, keyIndex: UInt32, _ bytes: inout [UInt8]
  ) throws(NIBArchiveError) -> ValueRow {
    let (type, payload): (ValueType, UInt64) =
      switch value {
      case .int8(let number): (.int8, UInt64(UInt8(bitPattern: number)))
      case .int16(let number): (.int16, UInt64(UInt16(bitPattern: number)))
      case .int32(let number): (.int32, UInt64(UInt32(bitPattern: number)))
      case .int64(let number): (.int64, UInt64(bitPattern: number))
      case .boolean(let isTrue): (isTrue ? .true : .false, 0)
      case .float(let number): (.float, UInt64(number.bitPattern))
      case .double(let number): (.double, number.bitPattern)
      case .data(let data): (.data, UInt64(bytes.count) << 32 | UInt64(data.count))
      case .null: (.null, 0)
      case .object(let index): (.object, UInt64(try Self.index(index)))
      }
    if case .data(let data) = value {
      bytes.append(contentsOf: data)
      guard bytes.count <= Int(UInt32.max) else {
        throw NIBArchiveError(.limitExceeded, "the data is larger than 4 GiB, the limit of the format")
      }
    }
    return ValueRow(keyIndex: keyIndex, type: type, payload: payload)
  }
}

/// A list of distinct texts, in the order they were added. Texts are distinct if their UTF-8 bytes differ.
package struct IndexedTexts {
  package private(set) var texts: [String] = []
  private var indices: [[UInt8]: Int] = [:]

  package init() {}

  package mutating func index(of text: String) -> Int {
    let bytes = Array(text.utf8)
    if let index = indices[bytes] { return index }
    texts.append(text)
    indices[bytes] = texts.count - 1
    return texts.count - 1
  }
}
