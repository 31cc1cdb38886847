internal import FoundationEssentials

/// Makes nodes of the events that libxml2 tells of one document, and words what is wrong with a property list that is
/// well-formed XML.
final class XMLHandler {
  private let source: TextSource
  private let depthLimit: Int
  private var builder: NodeTableBuilder
  /// The text of all elements, references replaced; what the offsets of the nodes refer to.
  private var text: [UInt8] = []
  /// Where the element of each node that ``builder`` has pending stands in the source.
  private var places: [Int] = []
  private var elements: [Open] = []
  private var hasRoot = false
  private var readOffset = 0
  /// How much of the source libxml2 is given.
  private let readEnd: Int
  /// Where libxml2 was when the error came up.
  private var errorOffset = 0
  private var namespaceCount = 0

  /// libxml2 looks through all namespaces for each prefix, and property lists have use for none.
  private static let greatestNamespaceCount = 100

  /// What is wrong, once something is.
  private(set) var error: PropertyListError?

  /// Where libxml2 is in the source; set before each event.
  var offset = 0

  private struct Open {
    let element: XMLElement
    let place: Int
    /// Whether its tag ends with `/>`.
    let isEmptyTag: Bool
    /// Where its text begins.
    let textStart: Int
  }

  init(_ source: TextSource, _ options: PropertyListReadingOptions, readEnd: Int?) {
    self.source = source
    self.readEnd = readEnd ?? source.text.count
    depthLimit = options.limits.effectiveDepth
    builder = NodeTableBuilder(options: options, expectedNodes: source.text.count / 64)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // libxml2 goes on after an error, to find more of them. It is given nothing to go on with.
    guard error == nil else { return 0 }
    let bytes = source.text.bytes
    let count = min(buffer.count, readEnd - readOffset)
    guard count > 0 else { return 0 }
    let piece = bytes.extracting(readOffset..<readOffset + count)
    unsafe piece.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
    readOffset += count
    return count
  }

  /// Whether libxml2 found no fault but that its input ended too soon. Its errors at the end stand a few bytes before
  /// it.
  var isCutOff: Bool { readEnd < source.text.count && (error == nil || errorOffset >= readEnd - 8) }

  /// Where the tag begins that libxml2 has just read. No `<` stands inside a tag.
  private var tagPlace: Int {
    let bytes = source.text.bytes
    var place = min(offset, bytes.byteCount) - 1
    while place > 0, bytes[place] != UInt8(ascii: "<") { place -= 1 }
    return max(place, 0)
  }

  /// Keeps the first error. The boundary to libxml2 sees to it that not much follows.
  func fail(_ message: String, _ kind: PropertyListError.Kind = .malformed, at place: Int? = nil) {
    guard error == nil else { return }
    errorOffset = offset
    let place = source.place(place ?? errorOffset)
    let path = builder.currentPath(in: text.rawBytes)
    error = PropertyListError(
      kind, message.printable(limit: 300), byteOffset: place.byteOffset, position: place.position,
      keyPath: path.components.isEmpty ? nil : path)
  }

  func documentType() {
    // libxml2 tells of the document type when it has read the names and stands before the subset.
    let bytes = source.text.bytes
    if offset < bytes.byteCount, bytes[offset] == UInt8(ascii: "[") {
      fail("a document type with an internal subset")
    }
  }

  func start(_ name: String, namespaceCount newNamespaces: Int) {
    guard error == nil else { return }
    let place = tagPlace
    namespaceCount += newNamespaces
    guard namespaceCount <= Self.greatestNamespaceCount else {
      return fail("more than \(Self.greatestNamespaceCount) namespaces", .limitExceeded, at: place)
    }
    guard let element = XMLElement(rawValue: name) else { return fail("unknown tag <\(name)>", at: place) }
    if let parent = elements.last?.element {
      switch parent {
      case .plist, .array: break
      case .dict:
        if builder.expectsKey, element != .key {
          return fail("<\(element.rawValue)> where a <key> is due in <dict>", at: place)
        }
        if !builder.expectsKey, element == .key {
          return fail("no value for the key \(lastKey)", at: place)
        }
      default: return fail("<\(element.rawValue)> inside <\(parent.rawValue)>", at: place)
      }
    }
    if element == .key, elements.last?.element != .dict { return fail("<key> outside <dict>", at: place) }
    if element == .plist {
      guard elements.isEmpty else {
        return fail("<plist> inside <\(elements[elements.count - 1].element.rawValue)>", at: place)
      }
    } else if builder.depth == 0 {
      guard !hasRoot else { return fail("a second value in <plist>", at: place) }
      hasRoot = true
    }
    if element == .dict || element == .array {
      guard builder.depth < depthLimit else {
        let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
        return fail(limit.message, limit.kind, at: place)
      }
      builder.open(element == .dict ? .dictionary : .array)
    }
    let bytes = source.text.bytes
    // libxml2 tells of an element when it has read the name and the attributes.
    let isEmptyTag = offset < bytes.byteCount && bytes[offset] == UInt8(ascii: "/")
    elements.append(Open(element: element, place: place, isEmptyTag: isEmptyTag, textStart: text.count))
  }

  private var lastKey: String {
    guard let key = builder.pending.last, key.kind == .string else { return "" }
    let text = text
    let name = NodeContent.text(key, in: text.rawBytes)
    return name.quoted
  }

  func characters(_ characters: UnsafeRawBufferPointer, isCDATA: Bool) {
    guard error == nil, let open = elements.last else { return }
    let content = unsafe RawSpan(_unsafeBytes: characters)
    switch open.element {
    case .string, .key: text.append(bytes: content)
    case .integer, .real, .date, .data:
      guard !isCDATA else { return fail("CDATA in <\(open.element.rawValue)>", at: open.place) }
      text.append(bytes: content)
    case .plist, .dict, .array, .true, .false:
      for index in 0..<content.byteCount where isCDATA || !XMLText.isSpace(content[index]) {
        return fail("text in <\(open.element.rawValue)>", at: offset - content.byteCount + index)
      }
      if isCDATA { fail("CDATA in <\(open.element.rawValue)>") }
    }
  }

  func end() {
    guard error == nil, let open = elements.popLast() else { return }
    switch open.element {
    case .plist:
      if !hasRoot { fail("<plist> without a value", at: open.place) }
    case .true, .false: append(.boolean(open.element == .true), at: open.place)
    case .dict, .array:
      if open.element == .dict, !builder.expectsKey { return fail("no value for the key \(lastKey)", at: tagPlace) }
      if let duplicate = builder.close(in: text.rawBytes) {
        let key = NodeContent.text(builder.pending[duplicate], in: text.rawBytes)
        return fail("the key \(key.quoted) stands twice in a <dict>", .duplicateKey, at: places[duplicate])
      }
      places.removeLast(places.count - (builder.pending.count - 1))
      places.append(open.place)
    case .string, .key, .integer, .real, .date, .data:
      let range = open.textStart..<text.count
      if range.isEmpty, open.element != .string, open.element != .key, open.isEmptyTag {
        // Apple's reader takes `<data></data>`, but not `<data/>`.
        return fail("<\(open.element.rawValue)/> holds nothing", at: open.place)
      }
      switch XMLElement.scalar(open.element, text.rawBytes, range) {
      case .success(let node): append(node, at: open.place)
      case .failure(let fault): fail(fault.message, at: open.place)
      }
      if error == nil, open.element != .string, open.element != .key, open.element != .data {
        text.removeLast(range.count)
      }
    }
  }

  private func append(_ node: FlatNode, at place: Int) {
    builder.append(node)
    places.append(place)
  }

  func finish(isWellFormed: Bool) throws(PropertyListError) -> TextContent {
    if let error { throw error }
    guard isWellFormed, hasRoot, elements.isEmpty else {
      throw PropertyListError(.malformed, "not well-formed XML", byteOffset: source.text.count)
    }
    var finished = NodeTableBuilder(options: builder.options, expectedNodes: 0)
    swap(&finished, &builder)
    return TextContent(text: Data(text), table: finished.finish())
  }
}
