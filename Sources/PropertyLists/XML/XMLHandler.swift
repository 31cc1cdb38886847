internal import FoundationEssentials

/// Makes nodes of the events that libxml2 tells of one document, and words what is wrong with a property list that is
/// well-formed XML.
///
/// If the log of faults has room for more than one, what is wrong is mended: a null stands for what is no value or no
/// key, and what has no place in a property list counts for nothing.
final class XMLHandler {
  let source: TextSource
  private let depthLimit: Int
  var builder: NodeTableBuilder
  /// The text of all elements, references replaced; what the offsets of the nodes refer to.
  var text: [UInt8] = []
  /// Where the element of each node that ``builder`` has pending stands in the source.
  private var places: [Int] = []
  /// The elements that are open, as libxml2 has them.
  var elements: [Open] = []
  private var hasRoot = false
  /// Whether there was a tag.
  private(set) var hasBegun = false
  private var namespaceCount = 0

  /// libxml2 looks through all namespaces for each prefix, and property lists have use for none.
  private static let greatestNamespaceCount = 100

  /// What is wrong so far.
  private(set) var faults: FaultLog
  private var placeIndex: PlaceIndex
  /// Whether what is found now only follows from a fault that is known.
  var isMending = false
  private var hasReportedDepth = false
  /// Whether text was found where none may be, and no tag behind it yet.
  private var isInStrayText = false

  var input: XMLInput
  /// How many of the tags are still to come that ``input`` begins with.
  var openingCount = 0
  /// Why libxml2 is given nothing more to read, and told to stop.
  var stop: Stop?
  /// What libxml2 has read without finding fault with it, as far as that is known.
  var sound = 0
  var markup = XMLMarkup()
  var tagStart = ForwardSearch("<")
  /// The names of elements that were closed before their end tags came.
  var missedEnds: [String] = []
  /// How often libxml2 began anew without a new fault.
  var silentResumptions = 0
  /// The last line in which bytes were found that are no UTF-8.
  var lineThatIsNotUTF8 = 0

  enum Stop {
    case forGood
    /// What stands before this place is not well-formed.
    case syntax(Int)
    /// The elements that are open are others here than libxml2 takes for open.
    case resuming(at: Int)
  }

  /// Where libxml2 is in the source; set before each event.
  private(set) var offset = 0

  /// Where libxml2 is in its input.
  func setParserOffset(_ parserOffset: Int) { offset = input.sourceOffset(parserOffset) }

  struct Open {
    let name: String
    /// Nil for an element that counts for nothing, with all that is in it.
    let element: XMLElement?
    let place: Int
    /// Whether its tag ends with `/>`.
    let isEmptyTag: Bool
    /// Where its text begins.
    let textStart: Int
    /// Whether a part of its text is missing, or something stands in it that is no text.
    var isDamaged = false
    /// Whether what stands in it now is known to be out of place.
    var isAstray = false
    /// Whether its tag is not well-formed, and so may be none.
    var isDoubtful = false
  }

  /// - Parameter original: the text before characters were replaced that libxml2 must not see.
  init(_ source: TextSource, _ original: TextSource, _ options: PropertyListReadingOptions, _ faults: FaultLog) {
    self.source = source
    self.faults = faults
    placeIndex = PlaceIndex(original)
    let start = XMLText.documentStart(in: source.text.bytes)
    input = XMLInput(source, from: start)
    sound = start
    depthLimit = options.limits.effectiveDepth
    builder = NodeTableBuilder(options: options, expectedNodes: source.text.count / 64)
  }

  /// Whether there is nothing more for libxml2 to do.
  var isStopped: Bool { faults.isFull || stop != nil }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // libxml2 goes on after an error, to find more of them. It is given nothing to go on with.
    isStopped ? 0 : unsafe input.read(into: buffer)
  }

  /// Where the tag begins that libxml2 has just read. No `<` stands inside a tag.
  var tagPlace: Int { placeBefore(UInt8(ascii: "<")) }

  /// Where a byte stands last before the place where libxml2 is.
  func placeBefore(_ byte: UInt8) -> Int {
    let bytes = source.text.bytes
    var place = min(offset, bytes.byteCount) - 1
    while place > 0, bytes[place] != byte { place -= 1 }
    return max(place, 0)
  }

  func fail(_ message: String, _ kind: PropertyListError.Kind = .malformed, at place: Int) {
    guard !isStopped, !isMending else { return }
    let place = placeIndex.place(place)
    let path = builder.currentPath(in: text.rawBytes)
    let fault = PropertyListError(
      kind, message.printable(limit: 300), byteOffset: place.byteOffset, position: place.position,
      keyPath: path.components.isEmpty ? nil : path)
    // What libxml2 meets again where it begins anew is not wrong twice.
    if let last = faults.faults.last, last.position == fault.position, last.message == fault.message { return }
    faults.add(fault)
  }

  /// The line and column of a place.
  func place(_ offset: Int) -> PropertyListError.TextPosition { placeIndex.place(offset).position }

  func documentType() {
    // libxml2 tells of the document type when it has read the names and is before the subset.
    guard !isStopped else { return }
    let bytes = source.text.bytes
    let declaration: StaticString = "<!DOCTYPE"
    var start = placeBefore(UInt8(ascii: "<"))
    while start > sound, !bytes.starts(with: declaration, at: start) { start -= 1 }
    let name = start + declaration.utf8CodeUnitCount
    // libxml2 takes the name without white space before it.
    if bytes.starts(with: declaration, at: start), name < bytes.byteCount, !XMLText.isSpace(bytes[name]) {
      fail("no white space between \"<!DOCTYPE\" and the name of the document type", at: start)
      stop = .syntax(offset)
    } else if offset < bytes.byteCount, bytes[offset] == UInt8(ascii: "[") {
      fail("a document type with an internal subset", at: offset)
      stop = .syntax(offset)
    }
  }

  func start(_ name: String, namespaceCount newNamespaces: Int) {
    guard !isStopped else { return }
    if openingCount > 0 {
      openingCount -= 1
      return
    }
    let place = tagPlace
    namespaceCount += newNamespaces
    guard namespaceCount <= Self.greatestNamespaceCount else {
      fail("more than \(Self.greatestNamespaceCount) namespaces", .limitExceeded, at: place)
      stop = .forGood
      return
    }
    let bytes = source.text.bytes
    // libxml2 tells of an element when it has read the name and the attributes.
    let isEmptyTag = offset < bytes.byteCount && bytes[offset] == UInt8(ascii: "/")
    sound = min(offset + (isEmptyTag ? 2 : 1), bytes.byteCount)
    begin(name, at: place, isEmptyTag: isEmptyTag)
  }

  /// Begins with an element whose tag stands at `place`, before ``sound``.
  func begin(_ name: String, at place: Int, isEmptyTag: Bool) {
    isInStrayText = false
    hasBegun = true
    guard elements.count < 2 * ParsingLimits.greatestDepth else {
      stop = .forGood
      return
    }
    var element = element(name, at: place)
    guard !isStopped else { return }
    if element == .dict || element == .array {
      if builder.depth < depthLimit {
        builder.open(element == .dict ? .dictionary : .array)
      } else {
        if !hasReportedDepth {
          let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
          fail(limit.message, limit.kind, at: place)
        }
        hasReportedDepth = true
        element = nil
        appendStandIn(at: place)
      }
    }
    elements.append(
      Open(
        name: name, element: element, place: place, isEmptyTag: isEmptyTag, textStart: text.count,
        isDoubtful: isMending))
  }

  /// What an element is where it stands; nil if it counts for nothing there.
  private func element(_ name: String, at place: Int) -> XMLElement? {
    let last = elements.count - 1
    if last >= 0, elements[last].element == nil { return nil }
    guard let element = XMLElement(rawValue: name) else {
      fail("unknown tag <\(name)>", at: place)
      appendStandIn(at: place)
      return nil
    }
    switch last < 0 ? .plist : elements[last].element {
    case .plist, .array: break
    case .dict:
      if builder.expectsKey, element != .key {
        if !elements[last].isAstray { fail("<\(element.rawValue)> where a <key> is due in <dict>", at: place) }
        // Up to the next key, all values lack theirs.
        elements[last].isAstray = true
        appendStandIn(at: place)
      } else if !builder.expectsKey, element == .key {
        missValue(at: place)
      }
    default:
      return elementInScalar(element, at: place)
    }
    if element == .key {
      guard last >= 0, elements[last].element == .dict else {
        if last < 0 || !elements[last].isAstray { fail("<key> outside <dict>", at: place) }
        if last >= 0 { elements[last].isAstray = true } else { hasRoot = true }
        return nil
      }
      elements[last].isAstray = false
    }
    if element == .plist {
      guard last >= 0 else { return element }
      fail("<plist> inside <\(elements[last].name)>", at: place)
      if builder.depth == 0 { return element }
      appendStandIn(at: place)
      return nil
    }
    if builder.depth == 0 {
      if hasRoot, last < 0 || !elements[last].isAstray {
        fail("a second value in <plist>", at: place)
        if last >= 0 { elements[last].isAstray = true }
      }
      hasRoot = true
    }
    return element
  }

  /// The last key has no value before `place`.
  private func missValue(at place: Int) {
    if builder.pending.last?.kind == .null {
      // It was no key either.
      builder.removeLast()
      places.removeLast()
    } else {
      fail("no value for the key \(lastKey)", at: place)
      appendStandIn(at: place)
    }
  }

  private var lastKey: String {
    guard let key = builder.pending.last, key.kind == .string else { return "" }
    let text = text
    let name = NodeContent.text(key, in: text.rawBytes)
    return name.quoted
  }

  /// - Parameter bytesRead: how far libxml2 has still to go to the end of these characters.
  func characters(_ characters: UnsafeRawBufferPointer, isCDATA: Bool, bytesRead: Int) {
    guard !isStopped else { return }
    offset += bytesRead
    sound = offset
    guard let open = elements.last, let element = open.element else { return }
    let content = unsafe RawSpan(_unsafeBytes: characters)
    switch element {
    case .string, .key: text.append(bytes: content)
    case .integer, .real, .date, .data:
      guard !isCDATA else {
        if !open.isDamaged { fail("CDATA in <\(element.rawValue)>", at: open.place) }
        elements[elements.count - 1].isDamaged = true
        return
      }
      text.append(bytes: content)
    case .plist, .dict, .array, .true, .false:
      guard !isInStrayText else { return }
      for index in 0..<content.byteCount where isCDATA || !XMLText.isSpace(content[index]) {
        isInStrayText = true
        return fail("text in <\(element.rawValue)>", at: offset - content.byteCount + index)
      }
      if isCDATA { fail("CDATA in <\(element.rawValue)>", at: offset) }
    }
  }

  /// An entity that is none of XML, in a document whose type might have declared it.
  func unknownEntity() {
    guard !isStopped else { return }
    fail(unknownEntityMessage, at: placeBefore(UInt8(ascii: "&")))
    if !elements.isEmpty { elements[elements.count - 1].isDamaged = true }
    sound = offset
  }

  var unknownEntityMessage: String {
    let start = placeBefore(UInt8(ascii: "&")) + 1
    let bytes = source.text.bytes
    var end = start
    while end < min(offset, bytes.byteCount), bytes[end] != UInt8(ascii: ";") { end += 1 }
    let name = String(decoding: source.text.dropFirst(start).prefix(end - start), as: UTF8.self)
    return "the entity \(name.quoted) is not one of the five of XML"
  }

  func end() {
    guard !isStopped else { return }
    sound = offset
    endInnermost()
  }

  /// Ends the innermost element, whose end tag has just been read.
  func endInnermost() {
    isInStrayText = false
    guard let open = elements.popLast(), let element = open.element else { return }
    switch element {
    case .plist:
      if !hasRoot { fail("<plist> without a value", at: open.place) }
      hasRoot = true
    case .true, .false: append(.boolean(element == .true), at: open.place)
    case .dict, .array:
      if element == .dict, !builder.expectsKey { missValue(at: tagPlace) }
      guard !faults.isFull else { return }
      if element == .dict, !faults.faults.isEmpty { builder.dropStandIns(places: &places) }
      if let duplicate = builder.close(in: text.rawBytes) {
        tellOfDuplicates(duplicate)
        guard !faults.isFull else { return }
        builder.dropDuplicates(in: text.rawBytes)
        _ = builder.close(in: text.rawBytes)
      }
      places.removeLast(places.count - (builder.pending.count - 1))
      places.append(open.place)
    case .string, .key, .integer, .real, .date, .data: endScalar(open, element)
    }
  }

  private func endScalar(_ open: Open, _ element: XMLElement) {
    let range = open.textStart..<text.count
    var node: FlatNode?
    if open.isDamaged {
      // What is wrong with it has been told.
    } else if range.isEmpty, open.isEmptyTag, [.integer, .real, .date].contains(element) {
      fail("<\(element.rawValue)/> holds nothing", at: open.place)
    } else {
      switch XMLElement.scalar(element, text.rawBytes, range) {
      case .success(let value): node = value
      case .failure(let fault): fail(fault.message, at: open.place)
      }
    }
    guard !faults.isFull else { return }
    if node == nil || (element != .string && element != .key && element != .data) { text.removeLast(range.count) }
    append(node ?? .null, at: open.place)
  }

  /// Tells of every key of the innermost dictionary that stood in it before.
  private func tellOfDuplicates(_ first: Int) {
    for duplicate in faults.limit == 1 ? [first] : builder.duplicates(in: text.rawBytes) {
      let key = NodeContent.text(builder.pending[duplicate], in: text.rawBytes)
      fail("the key \(key.quoted) stands twice in a <dict>", .duplicateKey, at: places[duplicate])
    }
  }

  private func append(_ node: FlatNode, at place: Int) {
    builder.append(node)
    places.append(place)
  }

  /// Appends a null in the place of a key or value that is none.
  private func appendStandIn(at place: Int) {
    if builder.depth == 0 { hasRoot = true }
    append(.null, at: place)
  }

  func finish(isWellFormed: Bool) throws(PropertyListError) -> TextContent {
    if let fault = faults.faults.first { throw fault }
    guard isWellFormed, hasRoot, elements.isEmpty else {
      throw PropertyListError(.malformed, "not well-formed XML", byteOffset: source.text.count)
    }
    var finished = NodeTableBuilder(options: builder.options, expectedNodes: 0)
    swap(&finished, &builder)
    return TextContent(text: Data(text), table: finished.finish())
  }
}
