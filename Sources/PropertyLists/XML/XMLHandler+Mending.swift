internal import FoundationEssentials

/// What is done about text that is not well-formed, so that what is behind it can be read: libxml2 begins anew there,
/// with the tags that are open. Its own way of going on would make up further faults out of the first.
extension XMLHandler {
  /// libxml2 takes the text for not well-formed.
  func syntaxFault(_ fault: LibXML2.SyntaxFault, _ message: String) {
    guard !isStopped else { return }
    if isEcho(fault), silentResumptions < Self.greatestSilentResumptions {
      silentResumptions += 1
    } else if let longTag = input.longTag(endingAt: offset) {
      fail("a tag of more than \(TagLengths.greatest) bytes", .limitExceeded, at: longTag)
    } else {
      if isNotUTF8 { lineThatIsNotUTF8 = place(offset).line }
      let (message, place) = wording(of: fault, message)
      fail(message, at: place)
    }
    stop = .syntax(offset)
  }

  /// libxml2 takes some time to begin anew.
  private static let greatestSilentResumptions = 1000

  /// Whether a fault follows from one before it: the end tag that libxml2 has just read is that of an element which was
  /// closed before it, or those that are missing before it are those of tags that may be none; or the line is known to
  /// have bytes that are no UTF-8.
  private func isEcho(_ fault: LibXML2.SyntaxFault) -> Bool {
    switch fault {
    case .tagNotFinished: return elements.last?.isDoubtful == true
    case .tagMismatch: break
    default: return isNotUTF8 && place(offset).line == lineThatIsNotUTF8
    }
    let bytes = source.text.bytes
    let item = markup.item(at: tagPlace, in: bytes)
    guard item.kind == .endTag, let name = name(item) else { return false }
    guard let place = elements.lastIndex(where: { $0.name == name }) else { return missedEnds.contains(name) }
    return elements[(place + 1)...].allSatisfy(\.isDoubtful)
  }

  private func name(_ item: XMLMarkup.Item) -> String? {
    let content = source.text.bytes.extracting(item.name)
    return content.isValidUTF8 ? String(knownUTF8: content, isASCII: false) : nil
  }

  /// Finds out where libxml2 is to begin anew.
  ///
  /// - Returns: whether it is.
  func resumes() -> Bool {
    guard !faults.isFull, let stop else { return false }
    self.stop = nil
    let bytes = source.text.bytes
    var place: Int?
    switch stop {
    case .forGood: place = nil
    case .resuming(let start): place = start
    case .syntax(let end): place = mend(until: end).map { max($0, end) }
    }
    let hasEnded = elements.isEmpty && hasBegun
    guard !faults.isFull, let place, place < bytes.byteCount, place > input.start, !hasEnded else { return false }
    sound = place
    openingCount = elements.count
    input.begin(at: place, opening: Array(elements.map { "<\($0.openingName)>" }.joined().utf8))
    return true
  }

  /// Mends what is wrong between ``sound`` and the place where libxml2 found it.
  ///
  /// - Returns: where to go on; nil if there is nothing to go on with.
  private func mend(until errorPlace: Int) -> Int? {
    let bytes = source.text.bytes
    var index = sound
    while index < bytes.byteCount {
      guard bytes[index] == UInt8(ascii: "<") else {
        if elements.isEmpty {
          // Text before the root.
          guard !hasBegun else { return nil }
          let start = index
          while index < bytes.byteCount, XMLText.isSpace(bytes[index]) { index += 1 }
          if index == start { return tagStart.next(from: index, in: bytes) }
          continue
        }
        let (end, isSound) = Self.text(in: bytes, from: index, until: errorPlace)
        if isSound, end < bytes.byteCount, bytes[end] == UInt8(ascii: "<") {
          index = end
          continue
        }
        elements[elements.count - 1].isDamaged = true
        return max(end, sound + 1)
      }
      let item = markup.item(at: index, in: bytes)
      guard let end = item.end else { return nil }
      switch item.kind {
      case .comment, .cdata, .instruction, .declaration:
        // Of what is sound, libxml2 does not tell.
        guard end <= errorPlace else { return end }
        index = end
      case .startTag:
        sound = end
        isMending = true
        begin(name(item) ?? "", at: index, isEmptyTag: item.isEmptyTag)
        if item.isEmptyTag { endInnermost() }
        isMending = false
        return end
      case .endTag:
        close(name(item) ?? "", before: end)
        return end
      case .none:
        if !elements.isEmpty { elements[elements.count - 1].isDamaged = true }
        return end
      }
    }
    return nil
  }

  /// Reads text up to the next tag, or to behind what is no text of XML.
  ///
  /// - Returns: where that is, and whether nothing was wrong.
  private static func text(in bytes: RawSpan, from start: Int, until errorPlace: Int) -> (end: Int, isSound: Bool) {
    var index = start
    while index < bytes.byteCount, bytes[index] != UInt8(ascii: "<") {
      switch bytes[index] {
      case UInt8(ascii: "&"):
        guard let (_, length) = XMLText.reference(in: bytes, at: index) else {
          return (referenceEnd(in: bytes, from: index), false)
        }
        index += length
      case UInt8(ascii: "]") where bytes.starts(with: "]]>", at: index): return (index + 3, false)
      default:
        guard let length = XMLText.characterLength(in: bytes, at: index) else {
          while index < bytes.byteCount, XMLText.characterLength(in: bytes, at: index) == nil { index += 1 }
          return (index, false)
        }
        index += length
        // Nothing is wrong here that this knows of.
        if index > errorPlace + 8 { return (index, false) }
      }
    }
    return (index, true)
  }

  /// Behind the `;` of what begins like a reference; behind the `&` if there is none.
  private static func referenceEnd(in bytes: RawSpan, from start: Int) -> Int {
    var index = start + 1
    while index < min(bytes.byteCount, start + 64) {
      switch bytes[index] {
      case UInt8(ascii: ";"): return index + 1
      case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\""): return start + 1
      default: index += 1
      }
    }
    return start + 1
  }

  /// Closes what an end tag is meant to close: an element of its name, with all that is open inside it; else the
  /// innermost, if the name is nobody else's.
  private func close(_ name: String, before next: Int) {
    if let place = elements.lastIndex(where: { $0.name == name }) {
      if place > 0, place + 1 < elements.count, elements[elements.count - 1].isContainer,
        !isFit(elements[place - 1], before: next), isFit(elements[elements.count - 2], before: next)
      {
        // It is the other of the two containers that ends.
        return closeInnermost()
      }
      while elements.count > place + 1 {
        missedEnds.append(elements[elements.count - 1].name)
        closeInnermost()
      }
      return endInnermost()
    }
    if let missed = missedEnds.lastIndex(of: name) {
      missedEnds.remove(at: missed)
      return
    }
    guard let innermost = elements.last else { return }
    switch XMLElement(rawValue: name) {
    case nil: closeInnermost()
    case .dict, .array, .plist:
      if innermost.isContainer, elements.count > 1, isFit(innermost, before: next),
        !isFit(elements[elements.count - 2], before: next)
      {
        // It ends what has ended before.
        return
      }
      closeInnermost()
    default: if !innermost.isContainer { closeInnermost() }
    }
  }

  /// Whether the next tag is one that can come in a container.
  private func isFit(_ container: Open, before next: Int) -> Bool {
    let bytes = source.text.bytes
    var index = next
    while let start = tagStart.next(from: index, in: bytes), start < next + Self.lookahead {
      let item = markup.item(at: start, in: bytes)
      guard let end = item.end, let name = name(item) else { return false }
      switch item.kind {
      case .endTag: return name == container.name
      case .startTag:
        switch container.element {
        case .dict: return name == "key"
        case .array: return name != "key"
        default: return false
        }
      default: index = end
      }
    }
    return false
  }

  /// Closes the innermost element, whose end tag is missing or another one.
  private func closeInnermost() {
    isMending = true
    endInnermost()
    isMending = false
  }

  /// An element in one that holds text only. Mostly, the end tag of the outer one is missing, or lacks its slash.
  func elementInScalar(_ element: XMLElement, at place: Int) -> XMLElement? {
    let last = elements.count - 1
    let outer = elements[last]
    guard !outer.isDamaged, outer.element != nil else { return nil }
    fail("<\(element.rawValue)> inside <\(outer.name)>", at: place)
    elements[last].isDamaged = true
    guard !isStopped, !isMending else { return nil }
    let bytes = source.text.bytes
    switch ending(of: outer.name, withElementAt: place, in: bytes) {
    case .there: return nil
    case .withoutSlash:
      elements[last].isDamaged = false
      endScalarBeforeItsEnd()
      stop = .resuming(at: sound)
    case .missing:
      elements[last].isDamaged = false
      endScalarBeforeItsEnd()
      stop = .resuming(at: place)
    }
    return nil
  }

  private func endScalarBeforeItsEnd() {
    guard let open = elements.last else { return }
    while text.count > open.textStart, let byte = text.last, XMLText.isSpace(byte) { text.removeLast() }
    endInnermost()
  }

  /// How many bytes ahead is looked for what an end tag may mean.
  private static let lookahead = 4096

  private enum Ending { case there, missing, withoutSlash }

  /// Looks a little ahead for how an element with text ends that seems to have another one in it.
  private func ending(of name: String, withElementAt place: Int, in bytes: RawSpan) -> Ending {
    var open = [name]
    var index = place
    while let start = tagStart.next(from: index, in: bytes), start < place + Self.lookahead {
      let item = markup.item(at: start, in: bytes)
      guard let end = item.end else { return .missing }
      index = end
      if item.kind == .startTag, !item.isEmptyTag {
        // What holds text has no two elements in it.
        if open.count == 1, start != place { return .missing }
        if open.count == 2, open[1] == name { return .withoutSlash }
        open.append(self.name(item) ?? "")
      } else if item.kind == .startTag, open.count == 1, start != place {
        return .missing
      } else if item.kind == .endTag {
        if open.count == 1 { return self.name(item) == name ? .there : .missing }
        if open.count == 2, self.name(item) != open[1] { return open[1] == name ? .withoutSlash : .missing }
        open.removeLast()
      }
    }
    return .missing
  }
}

extension XMLHandler.Open {
  fileprivate var isContainer: Bool {
    switch element {
    case .plist, .dict, .array: true
    default: false
    }
  }

  /// A name that XML allows, for the tag with which libxml2 begins anew.
  fileprivate var openingName: String {
    let isName = name.utf8.allSatisfy { $0 >= 0x80 || XMLText.isNameByte($0) }
    return isName && !name.isEmpty && name.utf8.first.map { $0 >= 0x80 || $0 > 0x40 || $0 == 0x3A } == true ? name : "x"
  }
}
