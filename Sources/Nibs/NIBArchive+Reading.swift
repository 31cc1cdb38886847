public import FoundationEssentials
internal import KeyedArchiving
public import PropertyLists
internal import SystemFiles

extension NIBArchive {
  /// Reads an archive.
  ///
  /// - Parameters:
  ///   - data: the whole file. It is kept without a copy as long as this value exists.
  ///   - limits: the limit for the size of the input. The format allows up to 4 GiB.
  /// - Throws: ``NIBArchiveError``, with the byte offset of the error, also for a ``formatVersion`` other than 1. Any
  ///   ``coderVersion`` is accepted, because all known ones have the same tables.
  /// - Complexity: O(*n*) in the size of the file. The archive takes at most 20 times that size in memory.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(NIBArchiveError) {
    do { try limits.check(inputSize: data.count) } catch { throw NIBArchiveError(.limitExceeded, error.message) }
    guard data.count <= Int(UInt32.max) else {
      throw NIBArchiveError(.limitExceeded, "the file is larger than 4 GiB, the limit of the format")
    }
    var reader = NIBArchiveReader(data.bytes)
    let header = try reader.header()
    let objects = try reader.objects(header.objects)
    let keys = try reader.keys(header.keys)
    let values = try reader.values(header.values)
    let classNames = try reader.classNames(header.classNames)
    self.init(
      formatVersion: header.formatVersion, coderVersion: header.coderVersion, objects: objects, keys: keys,
      values: values, classNames: classNames, bytes: data, isFromFile: true,
      trailingBytes: data.suffix(data.count - reader.end))
  }

  /// Reads the archive in a file.
  ///
  /// - Throws: The errors of ``init(_:limits:)``, and ``NIBArchiveError/Kind/file(_:)`` if the file cannot be read.
  public init(contentsOf url: URL, limits: ParsingLimits = ParsingLimits()) throws(NIBArchiveError) {
    let data: Data
    do {
      let path = try url.filePath
      data = try PropertyListError.converting(FileSystem.read(path, limit: limits.inputSize))
    } catch {
      throw NIBArchiveError(.file(error), error.description)
    }
    try self.init(data, limits: limits)
  }
}

/// Reads the tables of a file, and checks everything except whether the indices in them are valid.
///
/// Before it allocates memory for rows, it compares their number in the header with the number of bytes that are left.
/// So a damaged header cannot make it allocate too much memory. The tables may be anywhere in the file, and each is
/// read once.
struct NIBArchiveReader: ~Escapable {
  private let bytes: RawSpan
  private var next = 0
  /// The greatest end offset of the tables that have been read. The trailing bytes begin there.
  private(set) var end: Int

  /// The length of the signature, two versions, and the counts and offsets of four tables, in bytes.
  static var headerLength: Int { 50 }

  /// The offset of a table and its number of rows.
  struct Table {
    let name: StaticString
    let count: Int
    let offset: Int
  }

  struct Header {
    let formatVersion: UInt32
    let coderVersion: UInt32
    let objects: Table
    let keys: Table
    let values: Table
    let classNames: Table
  }

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    self.bytes = bytes
    end = Self.headerLength
  }

  /// Reads the header. Throws if a table with the offset and the number of rows in the header does not fit in the rest
  /// of the file.
  mutating func header() throws(NIBArchiveError) -> Header {
    guard bytes.starts(with: ArchiveFormat.nibSignature) else {
      throw NIBArchiveError(.notANIBArchive, "the bytes do not begin with \"NIBArchive\"", byteOffset: 0)
    }
    guard bytes.byteCount >= Self.headerLength else {
      throw NIBArchiveError(
        .truncated, "the header has \(Self.headerLength) bytes, but the file has only \(bytes.byteCount)",
        byteOffset: bytes.byteCount)
    }
    let formatVersion = bytes.littleEndianUInt32(at: 10)
    guard formatVersion == NIBArchive.knownFormatVersion else {
      throw NIBArchiveError(
        .unsupportedVersion, "format version \(formatVersion) is not supported; only version 1 is", byteOffset: 10)
    }
    return Header(
      formatVersion: formatVersion, coderVersion: bytes.littleEndianUInt32(at: 14),
      // `leastSize` is the smallest size of a row, in bytes: three numbers for an object, a length for a key, a number
      // and a type for a value, two numbers and a zero byte for a class name.
      objects: try table("objects", at: 18, leastSize: 3), keys: try table("keys", at: 26, leastSize: 1),
      values: try table("values", at: 34, leastSize: 2), classNames: try table("class names", at: 42, leastSize: 3))
  }

  private func table(_ name: StaticString, at headerOffset: Int, leastSize: Int) throws(NIBArchiveError) -> Table {
    let count = Int(bytes.littleEndianUInt32(at: headerOffset))
    let offset = Int(bytes.littleEndianUInt32(at: headerOffset + 4))
    guard offset >= Self.headerLength else {
      throw NIBArchiveError(
        .malformed, "the table of \(name) begins at byte \(offset), inside the header", byteOffset: headerOffset + 4)
    }
    guard offset <= bytes.byteCount else {
      throw NIBArchiveError(
        .truncated, "the table of \(name) begins at byte \(offset), but the file has only \(bytes.byteCount) bytes",
        byteOffset: headerOffset + 4)
    }
    guard count <= (bytes.byteCount - offset) / leastSize else {
      throw NIBArchiveError(
        .truncated, "\(count) \(name) do not fit in the remaining \(bytes.byteCount - offset) bytes",
        byteOffset: headerOffset)
    }
    return Table(name: name, count: count, offset: offset)
  }

  mutating func objects(_ table: Table) throws(NIBArchiveError) -> [NIBArchive.ObjectRow] {
    begin(table)
    var rows: [NIBArchive.ObjectRow] = []
    rows.reserveCapacity(table.count)
    for _ in 0..<table.count {
      rows.append(NIBArchive.ObjectRow(classIndex: try number(), firstValue: try number(), valueCount: try number()))
    }
    endTable()
    return rows
  }

  mutating func keys(_ table: Table) throws(NIBArchiveError) -> [String] {
    begin(table)
    var keys: [String] = []
    keys.reserveCapacity(table.count)
    for _ in 0..<table.count { keys.append(try text(skip(Int(number()), "a key"), "a key")) }
    endTable()
    return keys
  }

  mutating func values(_ table: Table) throws(NIBArchiveError) -> [NIBArchive.ValueRow] {
    begin(table)
    var rows: [NIBArchive.ValueRow] = []
    rows.reserveCapacity(table.count)
    for _ in 0..<table.count { rows.append(try value()) }
    endTable()
    return rows
  }

  mutating func classNames(_ table: Table) throws(NIBArchiveError) -> [NIBArchive.ClassName] {
    begin(table)
    var names: [NIBArchive.ClassName] = []
    names.reserveCapacity(table.count)
    for _ in 0..<table.count {
      let length = Int(try number())
      let fallbackCount = Int(try number())
      var fallbacks: [Int] = []
      if fallbackCount > 0 {
        let range = try skip(4 * fallbackCount, "the fallbacks of a class")
        fallbacks.reserveCapacity(fallbackCount)
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
          fallbacks.append(Int(bytes.littleEndianUInt32(at: offset)))
        }
      }
      let range = try skip(length, "the name of a class")
      // The length in the file includes the zero byte, which Apple's reader requires.
      guard let last = range.last, bytes[last] == 0 else {
        throw NIBArchiveError(
          .malformed, "the name of a class does not end with a zero byte", byteOffset: range.lowerBound)
      }
      names.append(NIBArchive.ClassName(try text(range.dropLast(), "the name of a class"), fallbackIndices: fallbacks))
    }
    endTable()
    return names
  }

  private mutating func begin(_ table: Table) { next = table.offset }

  private mutating func endTable() { end = max(end, next) }

  @inline(__always)
  private mutating func value() throws(NIBArchiveError) -> NIBArchive.ValueRow {
    let keyIndex = try number()
    let tagOffset = next
    let tag = bytes[try skip(1, "a value").lowerBound]
    guard let type = NIBArchive.ValueType(rawValue: tag) else {
      throw NIBArchiveError(.malformed, "a value has the unknown type \(tag)", byteOffset: tagOffset)
    }
    guard let width = type.width else {
      let range = try skip(Int(number()), "data")
      return NIBArchive.ValueRow(
        keyIndex: keyIndex, type: type, payload: UInt64(range.lowerBound) << 32 | UInt64(range.count))
    }
    let start = try skip(width, "a value").lowerBound
    var payload: UInt64 = 0
    for index in 0..<width { payload |= UInt64(bytes[start + index]) << UInt64(8 * index) }
    return NIBArchive.ValueRow(keyIndex: keyIndex, type: type, payload: payload)
  }

  /// Reads a number of variable length: each byte has seven bits of it, lowest bits first. The highest bit is set only
  /// in the last byte.
  @inline(__always)
  private mutating func number() throws(NIBArchiveError) -> UInt32 {
    let start = next
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 35, by: 7) {
      guard next < bytes.byteCount else {
        throw NIBArchiveError(.truncated, "the file ends inside a number", byteOffset: start)
      }
      let byte = bytes[next]
      next += 1
      value |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else { continue }
      guard let number = UInt32(exactly: value) else { break }
      return number
    }
    throw NIBArchiveError(.malformed, "a number does not fit in 32 bits", byteOffset: start)
  }

  /// Skips bytes and returns their range.
  @inline(__always)
  private mutating func skip(_ length: Int, _ name: StaticString) throws(NIBArchiveError) -> Range<Int> {
    guard length <= bytes.byteCount - next else {
      throw NIBArchiveError(
        .truncated, "the file ends inside \(name): expected \(length) bytes, found \(bytes.byteCount - next)",
        byteOffset: next)
    }
    defer { next += length }
    return next..<next + length
  }

  private func text(_ range: Range<Int>, _ name: StaticString) throws(NIBArchiveError) -> String {
    let text = bytes.extracting(range)
    let isASCII = text.isASCII
    guard isASCII || text.isValidUTF8 else {
      throw NIBArchiveError(.malformed, "\(name) is not valid UTF-8", byteOffset: range.lowerBound)
    }
    return String(knownUTF8: text, isASCII: isASCII)
  }
}
