public import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists

extension NIBArchive {
  /// Returns the archive as a file.
  ///
  /// ```swift
  /// try nib.data().write(to: url)
  /// ```
  ///
  /// The tables follow one another: objects, keys, values and class names, with the shortest form of every number. The
  /// ``trailingBytes`` come last. An archive that was read from a file in this form gives the same bytes. `check()` of
  /// the module `ArchiveViews` reports a file in another form.
  ///
  /// - Throws: ``NIBArchiveError/Kind/limitExceeded`` if the file would have more than 4 GiB.
  /// - Complexity: O(*n*) in the size of the archive.
  public func data() throws(NIBArchiveError) -> Data {
    var output = ByteBuffer()
    output.append(ArchiveFormat.nibSignature)
    for number in [formatVersion, coderVersion] { output.append(word: number) }
    let startsOffset = output.count
    output.append(repeating: 0, count: NIBArchiveReader.headerLength - output.count)
    var starts: [(count: Int, offset: Int)] = []
    starts.append((objectTable.count, output.count))
    for row in objectTable {
      output.append(number: row.classIndex)
      output.append(number: row.firstValue)
      output.append(number: row.valueCount)
    }
    starts.append((keys.count, output.count))
    for key in keys {
      output.append(number: UInt32(truncatingIfNeeded: key.utf8.count))
      output.append(key.utf8Span.rawBytes)
    }
    starts.append((valueTable.count, output.count))
    let source = bytes.bytes
    for row in valueTable { output.append(row, source) }
    starts.append((classNames.count, output.count))
    for name in classNames { output.append(name) }
    guard output.count + trailingBytes.count <= Int(UInt32.max) else {
      throw NIBArchiveError(.limitExceeded, "the file would be larger than 4 GiB, the limit of the format")
    }
    for (index, start) in starts.enumerated() {
      output.store(UInt32(start.count), at: startsOffset + 8 * index)
      output.store(UInt32(start.offset), at: startsOffset + 8 * index + 4)
    }
    output.append(trailingBytes.bytes)
    return output.takeData()
  }
}

extension ByteBuffer {
  fileprivate mutating func append(word: UInt32) { append(littleEndianWord: UInt64(word), length: 4) }

  /// Appends a number of variable length: each byte has seven bits of it, lowest bits first. The highest bit is set
  /// only in the last byte.
  @inline(__always)
  fileprivate mutating func append(number: UInt32) {
    var rest = number
    while rest > 0x7F {
      append(byte: UInt8(rest & 0x7F))
      rest >>= 7
    }
    append(byte: UInt8(rest) | 0x80)
  }

  /// Appends a row of the table of values. The bytes of data are taken from `source`.
  @inline(__always)
  fileprivate mutating func append(_ row: NIBArchive.ValueRow, _ source: RawSpan) {
    append(number: row.keyIndex)
    append(byte: row.type.rawValue)
    guard let width = row.type.width else {
      let range = row.range
      append(number: UInt32(truncatingIfNeeded: range.count))
      return append(source.extracting(range))
    }
    append(littleEndianWord: row.payload, length: width)
  }

  fileprivate mutating func append(_ name: NIBArchive.ClassName) {
    append(number: UInt32(truncatingIfNeeded: name.name.utf8.count + 1))
    append(number: UInt32(truncatingIfNeeded: name.fallbackIndices.count))
    for index in name.fallbackIndices { append(word: UInt32(truncatingIfNeeded: index)) }
    append(name.name.utf8Span.rawBytes)
    append(byte: 0)
  }
}
