import Foundation
import FoundationXML
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyLists

/// Random XML beyond the plain dialect, mostly well-formed, also with damage.
@Suite("XML tokens compared with libxml2") struct XMLAuthorityTests {
  /// The number of compared texts. `PLIST_MUTATIONS=100000` selects the long form.
  static let count =
    ProcessInfo.processInfo.environment["PLIST_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(8000, or: 300)

  @Test func `both agree on well-formedness and all values`() throws {
    var random = SeededGenerator(seed: 23)
    var accepted = 0
    var refused = 0
    for number in 0..<Self.count {
      var text = Array(RandomXML(seed: UInt64(number)).text.utf8)
      for _ in 0..<Int.random(in: 0...2, using: &random) { text.damageText(using: &random) }
      let data = Data(text)
      let defect = try LibXML2.defect(in: data.bytes)
      let read = Result { () throws(PropertyListError) in try PropertyList.thoroughLane(data) }
      switch read {
      case .success(let value):
        accepted += 1
        #expect(defect == nil, "\(String(decoding: text, as: UTF8.self))")
        #expect(XMLOracle.value(of: data) == value, "\(String(decoding: text, as: UTF8.self))")
      case .failure(let error):
        refused += 1
        guard defect == nil, let token = Self.firstDefect(in: data.bytes) else { continue }
        // A document type could declare entities, and libxml2 treats a NUL as the end.
        let isRefusal =
          [.longTag, .internalSubset, .documentTypeWithoutSpace, .unknownEntity].contains(token.kind)
          || token.kind == .character && text[token.offset] == 0
        #expect(isRefusal, "\(error): \(String(decoding: text, as: UTF8.self))")
      }
    }
    #expect(accepted > Self.count / 8 && refused > Self.count / 8, "\(accepted) accepted, \(refused) refused")
  }

  private static func firstDefect(in bytes: RawSpan) -> XMLDefect? {
    var lexer = XMLLexer(bytes)
    var token = lexer.next()
    while token.kind != .end, token.defect == nil { token = lexer.next() }
    return token.defect
  }

  @Test func `the tokens cover all bytes of any input`() throws {
    var random = SeededGenerator(seed: 29)
    for number in 0..<Self.count / 2 {
      var text = Array(RandomXML(seed: UInt64(number)).text.utf8)
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        if Bool.random(using: &random) { text.damageText(using: &random) } else { text.damage(using: &random) }
      }
      let bytes = text.span.bytes
      var lexer = XMLLexer(bytes)
      var end = 0
      while true {
        let token = lexer.next()
        #expect(token.range.lowerBound == end && lexer.index == token.range.upperBound)
        if token.kind == .end { break }
        #expect(!token.range.isEmpty && (token.kind != .invalid || token.defect != nil))
        end = token.range.upperBound
      }
      #expect(end == text.count)
    }
  }
}

/// A property list in XML, with everything that XML allows around its values.
struct RandomXML {
  private(set) var text = ""
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    if one(in: 3) {
      text += pick(["<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n"])
    }
    misc()
    if one(in: 3) {
      text += pick(["<!DOCTYPE plist>", "<!DOCTYPE plist SYSTEM 'a>b'>", "<!DOCTYPE plist PUBLIC \"p\" \"s\" >"])
    }
    misc()
    let hasRoot = !one(in: 8)
    if hasRoot { text += "<plist\(attributes())>" }
    value(depth: 0)
    if hasRoot { text += "</plist\(one(in: 4) ? " " : "")>" }
    misc()
  }

  private mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }

  private mutating func misc() {
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      text += pick([" ", "\n", "\r\n", "\t", "<!-- c - d -->", "<?pi x?>", "<!---->", "<?a?>"])
    }
  }

  private mutating func attributes() -> String {
    one(in: 4)
      ? pick([
        " a='b'", " version=\"1.0\"", " a = \"<x\"", " a='&lt;>' b='&#65;'", " xmlns='u'", " xml:space='preserve'",
        "\n", " a='1' a='2'",
      ]) : ""
  }

  private mutating func value(depth: Int) {
    switch Int.random(in: 0..<(depth < 4 ? 9 : 7), using: &random) {
    case 0: element("integer", pick(["1", "-7", "0x1F", "1<!-- c -->2", "<?x?>3"]))
    case 1: element("real", pick(["1.5", "-inf", "1e3", "&#49;"]))
    case 2: text += pick(["<true/>", "<false />", "<true></true>", "<false a='b'/>"])
    case 3: element("data", pick(["AAEC", "A A\nEC", ""]))
    case 4: element("date", "2001-01-01T00:00:00Z")
    case 5, 6:
      var content = ""
      for _ in 0..<Int.random(in: 0...4, using: &random) { content += characters() }
      element("string", content)
    case 7: container("array") { $0.value(depth: depth + 1) }
    default:
      container("dict") {
        $0.element("key", "k\($0.text.utf8.count)" + ($0.one(in: 4) ? $0.characters() : ""))
        $0.misc()
        $0.value(depth: depth + 1)
      }
    }
  }

  private mutating func characters() -> String {
    pick([
      "a", " ", "\n", "\r\n", "\r", "é\u{1F600}", "&amp;", "&#x41;", "&#233;", "&quot;&apos;", "<![CDATA[<&\r\n]]]>",
      "<!-- c -->",
      "<![CDATA[]]>", "<?pi?>", "]]", ">", "\u{FFFD}", "\u{85}", "&#13;", "'\"",
    ])
  }

  private mutating func element(_ name: String, _ content: String) {
    text += content.isEmpty && one(in: 2) ? "<\(name)\(attributes())/>" : "<\(name)\(attributes())>\(content)</\(name)>"
  }

  private mutating func container(_ name: String, _ child: (inout RandomXML) -> Void) {
    text += "<\(name)\(attributes())>"
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      misc()
      child(&self)
    }
    misc()
    text += "</\(name)>"
  }
}

/// The value of a property list, read with Foundation's XML parser.
private final class XMLOracle: NSObject, XMLParserDelegate {
  private var stack: [(name: String, text: String, children: [PropertyList])] = [("", "", [])]

  static func value(of data: Data) -> PropertyList? {
    // Foundation's parser crashes on a processing instruction without content.
    var text = Data()
    var lexer = XMLLexer(data.bytes)
    while lexer.index < data.count {
      let token = lexer.next()
      text += token.kind == .instruction ? Data("<!---->".utf8) : data[token.range]
    }
    let parser = XMLParser(data: text)
    let oracle = XMLOracle()
    parser.delegate = oracle
    return parser.parse() ? oracle.stack.first?.children.first : nil
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) { stack.append((name, "", [])) }

  func parser(_ parser: XMLParser, foundCharacters text: String) { stack[stack.count - 1].text += text }

  func parser(_ parser: XMLParser, foundCDATA data: Data) {
    // It does not normalize line ends there.
    stack[stack.count - 1].text += String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
      .replacing("\r", with: "\n")
  }

  func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
    let (name, text, children) = stack.removeLast()
    let value: PropertyList?
    switch name {
    case "plist": value = children.first
    case "array": value = .array(children)
    case "dict":
      var dictionary: OrderedDictionary<String, PropertyList> = [:]
      for index in stride(from: 0, to: children.count, by: 2) {
        dictionary[children[index].string ?? ""] = children[index + 1]
      }
      value = .dictionary(dictionary)
    case "true", "false": value = .boolean(name == "true")
    case "string", "key": value = .string(text)
    default:
      // Numbers, dates and data are not compared here.
      value = try? PropertyList(Data("<plist><\(name)>\(text)</\(name)></plist>".utf8))
    }
    if let value { stack[stack.count - 1].children.append(value) }
  }
}
