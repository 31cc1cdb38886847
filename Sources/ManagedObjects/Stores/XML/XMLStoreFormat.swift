internal import FoundationEssentials
internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// The file format of an ``XMLStore``.
struct XMLStoreFormat: StoreFileFormat {
  let names: XMLNames
  let ignoresModelVersion: Bool

  var type: String { XMLStore.type }

  /// The first object in files of Apple's framework has the primary key 102.
  var firstLastNumber: Int64 { 101 }

  init(_ model: ManagedObjectModel, ignoresModelVersion: Bool = false) throws(ManagedObjectError) {
    names = try XMLNames(model)
    self.ignoresModelVersion = ignoresModelVersion
  }

  func read(
    _ data: Data, into table: RowTable, configuration: String?, defects given: StoreDefects?
  ) throws(ManagedObjectError) -> StoreFileContents {
    let source = try Self.source(data)
    var reader = XMLStoreReader(source.text.bytes, table, names)
    let metadata = try Self.readHead(&reader, of: source)
    if !ignoresModelVersion, given == nil { try metadata.check(table.model, configuration) }
    let fitting: ModelFitting?
    let defects: StoreDefects?
    do throws(XMLPullReader.Failure) {
      fitting = try ignoresModelVersion ? Self.fitting(reader, table, metadata) : nil
      defects = fitting?.defects ?? given
      reader.fitting = fitting
      try reader.readObjects(store: table.storeNumber, isMember: table.isMember)
      try reader.resolve(store: table.storeNumber, defects)
    } catch {
      throw ManagedObjectError(source.error(error))
    }
    var table = table
    var objects = reader.objects
    let tail = (objects.last?.range.upperBound ?? reader.head.end)..<source.text.count
    for (entity, rows) in reader.rows.enumerated() { table.load(rows, ofEntity: entity) }
    let mended: Set<Int64>
    do throws(RowTable.InverseDefect) {
      mended = try table.mendInverses(defects)
    } catch {
      let offset = reader.passSpace(from: objects.first { $0.number == error.key.number }?.range.lowerBound ?? 0)
      throw ManagedObjectError(source.error(XMLPullReader.Failure(error.message, at: offset)))
    }
    fitting?.fill(&table) { entity, slot in
      let index = names.entities[entity].properties.firstIndex { $0.slot == slot }
      return index.map { reader.lastObjects[entity][$0] != 0 } ?? true
    }
    if !mended.isEmpty { objects.removeAll { mended.contains($0.number) } }
    if !zip(objects, objects.dropFirst()).allSatisfy({ $0.number < $1.number }) {
      objects.sort { $0.number < $1.number }
    }
    let layout = XMLFileLayout(
      head: 0..<reader.head.end, prolog: reader.head.prolog, lastNumber: reader.head.lastNumberRange,
      metadata: metadata, objects: objects, tail: tail, isOfFile: source.start == 0 && source.text == data,
      orders: reader.orders)
    return StoreFileContents(
      table: table, metadata: metadata, lastNumber: max(reader.head.lastNumber, table.lastNumber),
      counter: reader.head.lastNumberRange.isEmpty ? nil : reader.head.lastNumber, layout: layout,
      mismatches: fitting?.mismatches ?? [])
  }

  private static func fitting(
    _ reader: borrowing XMLStoreReader, _ table: RowTable, _ metadata: StoreMetadata
  ) throws(XMLPullReader.Failure) -> ModelFitting {
    ModelFitting(
      table.model, metadata, isMember: table.isMember,
      names: ModelFitting.needsNames(table.model) ? try reader.namesInObjects() : [:],
      fold: ({ $0.uppercased() }, { $0.lowercased() }))
  }

  static func metadata(of data: Data) throws(ManagedObjectError) -> StoreMetadata {
    let source = try source(data)
    // This reader has no names of entities and properties, because it does not read objects.
    var reader = XMLStoreReader(source.text.bytes)
    return try readHead(&reader, of: source)
  }

  /// Returns the contents of a file with changed metadata. The objects stay as they are.
  static func replacing(
    _ data: Data, _ change: (inout StoreMetadata) -> Void
  ) throws(ManagedObjectError) -> Data {
    let source = try source(data)
    var reader = XMLStoreReader(source.text.bytes)
    var metadata = try readHead(&reader, of: source)
    let known = XMLFileLayout(
      head: 0..<reader.head.end, prolog: reader.head.prolog, lastNumber: reader.head.lastNumberRange,
      metadata: metadata, objects: [], tail: 0..<0, isOfFile: true, orders: [])
    change(&metadata)
    var output = ByteBuffer()
    output.reserve(source.text.count + 4096)
    // Text that was converted to UTF-8 does not have the encoding that its prolog declares.
    let isOfFile = source.start == 0 && source.text == data
    _ = try writeHead(
      metadata, reader.head.lastNumber, source.text.bytes, isOfFile ? known : nil, [], to: &output)
    output.append(source.text.bytes.extracting(reader.head.end..<source.text.count))
    return output.takeData()
  }

  /// Returns the contents of a file as UTF-8 text. Throws if the file is not XML.
  private static func source(_ data: Data) throws(ManagedObjectError) -> TextSource {
    if let name = StoreFileKind(data)?.name {
      throw ManagedObjectError(.storeTypeMismatch, "the file is \(name), not an XML store")
    }
    do throws(PropertyListError) {
      var defects = DefectLog.first
      guard let source = try TextSource(data, .xml, defects: &defects) else {
        throw PropertyListError(.unknownFormat, "not XML")
      }
      if let defect = defects.defects.first { throw defect }
      return source
    } catch {
      throw ManagedObjectError(error)
    }
  }

  private static func readHead(
    _ reader: inout XMLStoreReader, of source: TextSource
  ) throws(ManagedObjectError) -> StoreMetadata {
    let isStore: Bool
    do throws(XMLPullReader.Failure) {
      isStore = try reader.readHead()
    } catch {
      throw ManagedObjectError(source.error(error))
    }
    guard isStore else { throw ManagedObjectError(.storeTypeMismatch, "the file is XML, but not a store") }
    return StoreMetadata(file: reader.head.values, identifier: reader.head.identifier, type: XMLStore.type)
  }

  // Writing: unchanged parts are copied from the file, everything else is written in the layout of Apple's framework.

  func write(
    _ contents: StoreFileContents, old: Data?, changed: Set<Int64>
  ) throws(ManagedObjectError) -> (data: Data, layout: XMLFileLayout?) {
    let orders = contents.layout?.orders ?? names.entities.map { XMLPropertyOrder(propertyCount: $0.properties.count) }
    // The layout of converted text is not used, because its offsets are not those in the file.
    let known = old == nil || contents.layout?.isOfFile != true ? nil : contents.layout
    let old = old ?? Data()
    var output = ByteBuffer()
    output.reserve(old.count + 4096)
    var layout = try Self.writeHead(
      contents.metadata, contents.lastNumber, old.bytes, known, orders, to: &output)
    let writer = RowWriter(names: names, orders: zip(names.entities, orders).map { $1.all($0) })
    let rows = contents.table.rowsByNumber
    layout.objects.reserveCapacity(rows.count)
    let objects = known?.objects ?? []
    var objectIndex = 0
    var last: Int64 = 0
    for row in rows {
      let number = row.key.number
      // In the table, a number is unique only within its entity, but the IDs in the file must be unique.
      guard number > last else {
        throw ManagedObjectError(
          .invalidState, "two objects have the number \(number)",
          objectID: contents.table.objectID(row.key, contents.metadata.identifier))
      }
      last = number
      let start = output.count
      while objectIndex < objects.count, objects[objectIndex].number < number { objectIndex += 1 }
      if objectIndex < objects.count, objects[objectIndex].number == number, !changed.contains(number) {
        output.append(old.bytes.extracting(objects[objectIndex].range))
      } else {
        do { try writer.write(row, to: &output) } catch {
          var error = error
          error.objectID = contents.table.objectID(row.key, contents.metadata.identifier)
          throw error
        }
      }
      layout.objects.append(XMLFileLayout.Object(number: number, range: start..<output.count))
    }
    let start = output.count
    if let known { output.append(old.bytes.extracting(known.tail)) } else { output.append("\n</database>") }
    layout.tail = start..<output.count
    return (output.takeData(), layout)
  }

  /// Writes the part before the objects.
  ///
  /// - Returns: the layout of the new file, without objects.
  private static func writeHead(
    _ metadata: StoreMetadata, _ lastNumber: Int64, _ old: RawSpan, _ known: XMLFileLayout?,
    _ orders: [XMLPropertyOrder], to output: inout ByteBuffer
  ) throws(ManagedObjectError) -> XMLFileLayout {
    let number = UInt64(lastNumber.magnitude)
    var prolog = 0..<0
    let numberStart: Int
    var numberEnd: Int
    if let known, known.metadata == metadata, !known.lastNumber.isEmpty {
      prolog = known.prolog
      output.append(old.extracting(known.head.lowerBound..<known.lastNumber.lowerBound))
      numberStart = output.count
      output.append(decimal: number)
      numberEnd = output.count
      output.append(old.extracting(known.lastNumber.upperBound..<known.head.upperBound))
    } else {
      if let known {
        output.append(old.extracting(known.prolog))
      } else {
        output.append(
          """
          <?xml version="1.0" standalone="yes"?>
          <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">


          """)
      }
      prolog = 0..<output.count
      output.append("<database>\n    <databaseInfo>\n        <version>134481920</version>\n        <UUID>")
      try XMLStoreText.append(.string(metadata.identifier), to: &output)
      output.append("</UUID>\n        <nextObjectID>")
      numberStart = output.count
      output.append(decimal: number)
      numberEnd = output.count
      output.append("</nextObjectID>\n        <metadata>")
      try append(metadata.fileValues, to: &output)
      output.append("\n        </metadata>\n    </databaseInfo>")
    }
    return XMLFileLayout(
      head: 0..<output.count, prolog: prolog, lastNumber: numberStart..<numberEnd, metadata: metadata,
      objects: [], tail: 0..<0, isOfFile: true, orders: orders)
  }

  /// Writes a property list with 4 spaces of indentation for each level. As in Apple's files, only tags are indented
  /// with spaces; the lines inside data values begin with tabs.
  private static func append(
    _ values: OrderedDictionary<String, PropertyList>, to output: inout ByteBuffer
  ) throws(ManagedObjectError) {
    do throws(PropertyListError) {
      let text = try PropertyList.dictionary(values).data(format: .xml)
      var reader = XMLPullReader(text.bytes, depth: 2 * ParsingLimits.greatestDepth)
      do throws(XMLPullReader.Failure) {
        try append(&reader, to: &output)
      } catch {
        throw PropertyListError(error.kind, error.message)
      }
    } catch {
      var failure = ManagedObjectError(.save, "the metadata cannot be written as XML: \(error)")
      failure.fileError = error
      throw failure
    }
  }

  private static func append(_ reader: inout XMLPullReader, to output: inout ByteBuffer) throws(XMLPullReader.Failure) {
    func line(_ depth: Int, _ range: Range<Int>, _ bytes: RawSpan, _ output: inout ByteBuffer) {
      output.append(byte: 0x0A)
      output.append(repeating: 0x20, count: 8 + 4 * depth)
      output.append(bytes.extracting(range))
    }
    // Elements without content are written as two tags.
    func empty(_ reader: inout XMLPullReader, _ output: inout ByteBuffer) throws(XMLPullReader.Failure) {
      line(reader.depth, reader.range.lowerBound..<reader.name.upperBound, reader.bytes, &output)
      output.append("></")
      output.append(reader.bytes.extracting(reader.name))
      output.append(byte: UInt8(ascii: ">"))
      _ = try reader.next()
    }
    while true {
      let event = try reader.next()
      let range = reader.range
      switch event {
      case .begin where reader.isNamed("plist") || reader.isNamed("dict") || reader.isNamed("array"):
        if reader.isEmptyElement {
          try empty(&reader, &output)
        } else {
          line(reader.depth, range, reader.bytes, &output)
        }
      case .begin where reader.isEmptyElement: try empty(&reader, &output)
      case .begin:
        let depth = reader.depth
        repeat { _ = try reader.next() } while reader.depth >= depth
        line(depth, range.lowerBound..<reader.range.upperBound, reader.bytes, &output)
      case .end: line(reader.depth + 1, range, reader.bytes, &output)
      case .text: continue
      case .finished: return
      }
    }
  }

  /// A writer of the XML of objects.
  struct RowWriter {
    let names: XMLNames
    /// For each entity, the indexes of its properties in the order they are written.
    let orders: [[Int]]

    func write(_ row: StoreRow, to output: inout ByteBuffer) throws(ManagedObjectError) {
      let entity = Int(row.key.entityIndex)
      let name = names.entities[entity].name
      output.append("\n    <object type=\"")
      output.append(name.rawBytes)
      output.append("\" id=\"z")
      output.append(decimal: row.key.number.magnitude)
      output.append("\">")
      let start = output.count
      for propertyIndex in orders[entity] {
        switch names.entities[entity].properties[propertyIndex].kind {
        case .attribute(let type): try write(row, entity, propertyIndex, type, to: &output)
        case .relationship:
          let property = names.entities[entity].properties[propertyIndex]
          output.append(property.beginning.rawBytes)
          write(row.values[property.slot], to: &output)
          output.append("></relationship>")
        }
      }
      output.append(output.count == start ? "</object>" : "\n    </object>")
    }

    @inline(__always)
    private func write(
      _ row: StoreRow, _ entity: Int, _ propertyIndex: Int, _ type: AttributeType, to output: inout ByteBuffer
    ) throws(ManagedObjectError) {
      let property = names.entities[entity].properties[propertyIndex]
      guard case .attribute(let value) = row.values[property.slot], value != .null else { return }
      output.append(property.beginning.rawBytes)
      if type == .undefined {
        output.append(XMLStoreText.typeName(value.type))
        output.append("\">")
      }
      try XMLStoreText.append(value, to: &output)
      output.append("</attribute>")
    }

    /// Writes the IDs of the objects that a relationship refers to. Those of an unordered relationship are sorted by
    /// number.
    private func write(_ value: RowValue, to output: inout ByteBuffer) {
      func append(_ keys: some Sequence<RowKey>, _ output: inout ByteBuffer) {
        output.append(" idrefs=\"")
        var isFirst = true
        for key in keys {
          output.append(isFirst ? "z" : " z")
          output.append(decimal: key.number.magnitude)
          isFirst = false
        }
        output.append("\"")
      }
      switch value {
      case .toOne(let key?): append(CollectionOfOne(key), &output)
      case .toMany(let keys) where !keys.isEmpty: append(keys.sorted { $0.number < $1.number }, &output)
      case .orderedToMany(let keys) where !keys.isEmpty: append(keys, &output)
      default: break
      }
    }
  }
}
