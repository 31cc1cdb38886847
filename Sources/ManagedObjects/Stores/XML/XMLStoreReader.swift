internal import FoundationEssentials
internal import OrderedCollections
internal import PropertyLists

/// A reader that creates rows from an ``XMLStore`` file in one pass. Then it resolves the references between them.
struct XMLStoreReader: ~Escapable {
  typealias Failure = XMLPullReader.Failure

  var reader: XMLPullReader
  let names: XMLNames
  var head = Head()

  /// The part before the objects.
  struct Head {
    var identifier = ""
    var lastNumber: Int64 = 0
    var values: OrderedDictionary<String, PropertyList> = [:]
    /// The range of the part before the root element, as in ``XMLFileLayout/prolog``.
    var prolog = 0..<0
    /// The range of the digits of `nextObjectID`; empty if it is missing.
    var lastNumberRange = 0..<0
    /// The offset of the end of the head.
    var end = 0
  }

  // The objects, and the references between them.
  var rows: [[StoreRow]]
  var objects: [XMLFileLayout.Object] = []
  var objectEntities: [Int32] = []
  var orders: [XMLPropertyOrder]
  var references: [Reference] = []
  var referredNumbers: [Int64] = []
  let emptyValues: [[RowValue]]
  /// For each entity and property, the position of the last object that had the property, counted from 1. Used to find
  /// properties that occur twice in an object.
  var lastObjects: [[Int]]
  /// Fits objects to a model of another version; nil to throw if they do not fit.
  var fitting: ModelFitting?
  /// For each entity, its properties that do not fit the model, if ``fitting`` is not nil.
  var misfits: [XMLMisfits]
  /// The numbers of the objects that are ignored, because the model does not have their entities.
  var ignoredNumbers: Set<Int64> = []
  /// The text of the current element, if it had to be copied because it is not a plain range of the document.
  var text: [UInt8] = []

  /// The references in a relationship of a row: a range of ``referredNumbers``.
  struct Reference {
    let entity: Int32
    let row: Int32
    let property: Int32
    let first: Int
    let count: Int
    /// The byte offset of the relationship in the text.
    let offset: Int
  }

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, _ table: RowTable, _ names: XMLNames) {
    reader = XMLPullReader(bytes, depth: 512)
    self.names = names
    rows = Array(repeating: [], count: names.entities.count)
    orders = names.entities.map { XMLPropertyOrder(propertyCount: $0.properties.count) }
    emptyValues = table.model.entities.map(\.emptyValues)
    lastObjects = names.entities.map { Array(repeating: 0, count: $0.properties.count) }
    misfits = Array(repeating: XMLMisfits(), count: names.entities.count)
  }

  /// Creates a reader that can only read the part before the objects.
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    reader = XMLPullReader(bytes, depth: 512)
    names = XMLNames()
    (rows, orders, emptyValues, lastObjects, misfits) = ([], [], [], [], [])
  }

  /// Reads the part before the objects.
  ///
  /// - Returns: false if the root element is not `database`, so that the file is another kind of XML.
  mutating func readHead() throws(Failure) -> Bool {
    guard case .begin = try reader.next(), reader.isNamed("database") else { return false }
    head.prolog = 0..<reader.range.lowerBound
    try refuseAttributes()
    guard try nextElement(), reader.isNamed("databaseInfo") else {
      throw Failure("expected <databaseInfo>", at: reader.range.lowerBound)
    }
    try refuseAttributes()
    var hasVersion = false
    var (identifier, lastNumber, hasMetadata) = (String?.none, Int64?.none, false)
    while try nextElement() {
      let offset = reader.range.lowerBound
      if reader.isNamed("version"), !hasVersion {
        hasVersion = true
        let version = try content()
        guard version == "134481920" else {
          throw Failure("format version \(version.quoted) is not supported", kind: .unsupportedVersion, at: offset)
        }
      } else if reader.isNamed("UUID"), identifier == nil {
        let text = try content()
        guard !text.isEmpty else { throw Failure("<UUID> is empty", at: offset) }
        identifier = text
      } else if reader.isNamed("nextObjectID"), lastNumber == nil {
        let text = try content()
        guard let number = Int64(text), number >= 0 else {
          throw Failure("<nextObjectID> must be an object number, not \(text.quoted)", at: offset)
        }
        lastNumber = number
      } else if reader.isNamed("metadata"), !hasMetadata {
        hasMetadata = true
        try readMetadata()
      } else {
        throw Failure(
          "unknown or repeated element <\(reader.text(reader.name).printable(limit: 80))>",
          at: offset)
      }
    }
    head.end = reader.range.upperBound
    guard let identifier else { throw Failure("<UUID> is missing", at: reader.range.lowerBound) }
    head.identifier = identifier
    head.lastNumber = lastNumber ?? 0
    return true
  }

  /// Returns the text of the current element. If it is `nextObjectID`, records the range of its digits.
  private mutating func content() throws(Failure) -> String {
    try refuseAttributes()
    let isNumber = reader.isNamed("nextObjectID")
    let range = try readContent()
    if isNumber { head.lastNumberRange = range ?? 0..<0 }
    let bytes = range.map { [UInt8](reader.bytes, $0) } ?? text
    return String(decoding: bytes, as: UTF8.self).trimmingXMLSpace
  }

  /// Reads the property list in the `metadata` element, which may be empty.
  private mutating func readMetadata() throws(Failure) {
    try refuseAttributes()
    let depth = reader.depth
    var start: Int?
    while try nextElement() {
      guard start == nil, reader.isNamed("plist") else {
        throw Failure("expected a property list in <metadata>", at: reader.range.lowerBound)
      }
      start = reader.range.lowerBound
      // The property list is parsed separately below.
      repeat { _ = try reader.next() } while reader.depth > depth
      let range = reader.range.lowerBound..<reader.range.upperBound
      guard let start else { continue }
      do throws(PropertyListError) {
        let data = Data([UInt8](reader.bytes, start..<range.upperBound))
        guard let values = try PropertyList(data, format: .xml).dictionary else {
          throw PropertyListError(.wrongKind, "the metadata is not a dictionary")
        }
        head.values = values
      } catch {
        throw Failure("in the property list of <metadata>: \(error)", kind: error.kind, at: start)
      }
    }
  }

  /// Moves to the next start tag. Returns false at the end of the current element.
  mutating func nextElement() throws(Failure) -> Bool {
    while true {
      switch try reader.next() {
      case .begin: return true
      case .end, .finished: return false
      case .text: try checkSpace()
      }
    }
  }

  private func checkSpace() throws(Failure) {
    let range = reader.textRange
    let offset = passSpace(from: range.lowerBound)
    if offset < range.upperBound { throw Failure("expected an element, found text", at: offset) }
  }

  /// Returns the offset of the first byte that is not white space.
  func passSpace(from start: Int) -> Int {
    var offset = start
    while offset < reader.bytes.byteCount, reader.bytes[offset].isWhiteSpace { offset += 1 }
    return offset
  }

  /// Reads the text of the current element, and the end tag.
  ///
  /// - Returns: the range of the text if it is plain; nil if it was copied to ``text``.
  @inline(__always)
  mutating func readContent() throws(Failure) -> Range<Int>? {
    var event = try reader.next()
    if event == .end { return reader.range.lowerBound..<reader.range.lowerBound }
    guard event == .text else { throw elementInText }
    let range = reader.textRange
    let isPlain = reader.isPlainText
    if !isPlain {
      text.removeAll(keepingCapacity: true)
      reader.appendText(to: &text)
    }
    event = try reader.next()
    if event == .end { return isPlain ? range : nil }
    if isPlain { text = [UInt8](reader.bytes, range) }
    while event == .text {
      reader.appendText(to: &text)
      event = try reader.next()
    }
    guard event == .end else { throw elementInText }
    return nil
  }

  private var elementInText: Failure { Failure("expected text, found an element", at: reader.range.lowerBound) }

  mutating func refuseAttributes() throws(Failure) {
    if let (name, _) = try reader.nextAttribute() {
      throw Failure("unknown XML attribute", at: name.lowerBound)
    }
  }
}

extension String {
  fileprivate var trimmingXMLSpace: String {
    let text = utf8.drop { $0.isWhiteSpace }
    let end = text.lastIndex { !$0.isWhiteSpace }.map { text.index(after: $0) } ?? text.startIndex
    return String(decoding: text[text.startIndex..<end], as: UTF8.self)
  }
}
