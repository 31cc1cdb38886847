import Foundation
import TestSupport

@testable import PropertyLists

/// A property list in a text format, in any layout that the format allows, with the lines of each value.
struct LaidOutText {
  /// A value in the text.
  final class Element {
    enum Kind { case scalar, array, dictionary }

    let kind: Kind
    var key: String?
    var children: [Element] = []
    /// The lines of the value, with its key and its separator.
    var lines = 0...0
    /// The line of its opening bracket.
    var opening = 0
    /// True if the children are on the line of the opening bracket.
    var isOnOneLine = false

    init(_ kind: Kind) { self.kind = kind }
  }

  let format: PropertyListFormat
  private(set) var text = ""
  private(set) var root = Element(.scalar)
  let lineEnd: String
  /// The comments, which are all different.
  private(set) var comments: [String] = []
  /// Comments between a key and its value, which belong to the entry.
  private(set) var innerComments: [String] = []

  private let unit: String
  private var line = 0
  private var count = 0
  private var random: SeededGenerator
  private let isAllOnOneLine: Bool
  private let hasBraces: Bool
  private let allowsComments: Bool
  /// The encoding in an XML declaration, which is not always the encoding of the text.
  private let encodingName: String?

  init(_ format: PropertyListFormat, encodingName: String? = nil, seed: UInt64) {
    self.format = format
    self.encodingName = encodingName
    random = SeededGenerator(seed: seed)
    lineEnd = ["\n", "\n", "\r\n", "\r"].randomElement(using: &random)!
    unit = ["\t", "  ", "    ", " "].randomElement(using: &random)!
    isAllOnOneLine = Int.random(in: 0..<8, using: &random) == 0
    hasBraces = format != .openStep || Bool.random(using: &random)
    allowsComments = format != .json
    write()
  }

  private mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &random) == 0 }

  private mutating func pick(_ texts: String...) -> String { texts.randomElement(using: &random)! }

  private mutating func put(_ piece: String) { text += piece }

  private mutating func newline() {
    text += lineEnd
    line += 1
  }

  private mutating func space() { if chance(3) { put(pick(" ", "  ", "\t")) } }

  private mutating func unique(_ prefix: String) -> String {
    count += 1
    return "\(prefix)\(count)"
  }

  private mutating func comment(mayEndLine: Bool) {
    let name = unique("comment")
    let comment: String
    switch format {
    case .xml: comment = chance(4) ? "<?note \(name)?>" : "<!-- \(name) -->"
    case .openStep: comment = mayEndLine && chance(2) ? "// \(name); }" : pick("/* \(name) */", "/*\(name)=*/")
    case .binary, .json: return
    }
    comments.append(comment)
    put(comment)
  }

  private mutating func write() {
    if format == .xml { writeProlog() }
    if !hasBraces, chance(2) {
      comment(mayEndLine: true)
      newline()
      if chance(2) { newline() }
    }
    if hasBraces {
      root = container(.dictionary, depth: 0, indent: "", isInline: isAllOnOneLine)
    } else {
      root = Element(.dictionary)
      root.opening = -1
      for index in 0..<Int.random(in: 1...6, using: &random) {
        if index > 0 { between("", isInline: false) } else { comments("") }
        root.children.append(entry(depth: 1, indent: "", isInline: false))
      }
      root.lines = 0...line
    }
    if format == .xml {
      newline()
      put("</plist>")
    }
    if chance(2), allowsComments, hasBraces {
      put(" ")
      comment(mayEndLine: false)
    }
    if chance(2) { newline() }
  }

  private mutating func writeProlog() {
    if encodingName != nil || chance(2) {
      put("<?xml version=\"1.0\" encoding=\"\(encodingName ?? "UTF-8")\"?>")
      newline()
    }
    if chance(2) {
      put("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">")
      newline()
    }
    comments("")
    put("<plist version='1.0'>")
    newline()
  }

  /// Comment lines, each at the beginning of a line.
  private mutating func comments(_ indent: String) {
    guard allowsComments else { return }
    while chance(4) {
      put(indent)
      comment(mayEndLine: true)
      newline()
    }
  }

  /// The text before an entry or element, or before a closing bracket.
  private mutating func between(_ indent: String, isInline: Bool) {
    if isInline { return space() }
    if allowsComments, chance(4) {
      space()
      comment(mayEndLine: true)
    }
    newline()
    if chance(6) { newline() }
    if !indent.isEmpty || hasBraces { comments(indent) }
    put(indent)
  }

  private mutating func container(_ kind: Element.Kind, depth: Int, indent: String, isInline: Bool) -> Element {
    let element = Element(kind)
    element.opening = line
    let start = line
    let childCount = depth > 3 ? 0 : Int.random(in: chance(3) ? 0...0 : 1...6, using: &random)
    let isOnOneLine = isInline || chance(4)
    element.isOnOneLine = isOnOneLine
    let isDictionary = kind == .dictionary
    if childCount == 0, format == .xml, chance(2) {
      put(isDictionary ? pick("<dict/>", "<dict />") : "<array/>")
    } else {
      switch format {
      case .xml: put(isDictionary ? pick("<dict>", "<dict\t>") : "<array>")
      case .openStep: put(isDictionary ? "{" : "(")
      case .binary, .json: put(isDictionary ? "{" : "[")
      }
      for index in 0..<childCount {
        between(indent + unit, isInline: isOnOneLine)
        let child: Element
        if isDictionary {
          child = entry(depth: depth + 1, indent: indent + unit, isInline: isOnOneLine)
        } else {
          let first = line
          child = value(depth: depth + 1, indent: indent + unit, isInline: isOnOneLine)
          child.lines = first...line
        }
        element.children.append(child)
        let isLast = index == childCount - 1
        if format == .json, !isLast {
          space()
          put(",")
        }
        if format == .openStep, !isDictionary, !isLast || chance(3) {
          space()
          put(",")
        }
        child.lines = child.lines.lowerBound...line
      }
      between(indent, isInline: isOnOneLine)
      switch format {
      case .xml: put(isDictionary ? "</dict>" : "</array>")
      case .openStep: put(isDictionary ? "}" : ")")
      case .binary, .json: put(isDictionary ? "}" : "]")
      }
    }
    element.lines = start...line
    return element
  }

  private mutating func entry(depth: Int, indent: String, isInline: Bool) -> Element {
    let start = line
    let key = unique("key")
    switch format {
    case .xml:
      put("<key>\(key)</key>")
      if isInline {
        space()
      } else if chance(5) {
        inlineComment()
      } else {
        newline()
        put(indent)
      }
    case .openStep:
      put(pick("\(key) ", "\"\(key)\"", "'\(key)'"))
      if chance(8) { inlineComment() }
      put(pick("=", " = ", " =\t"))
    case .binary, .json:
      put("\"\(key)\"")
      put(pick(":", ": ", " : "))
    }
    let element = value(depth: depth, indent: indent, isInline: isInline)
    element.key = key
    if format == .openStep {
      if chance(8) { put(" ") }
      put(";")
    }
    element.lines = start...line
    return element
  }

  private mutating func inlineComment() {
    let before = comments.count
    comment(mayEndLine: false)
    innerComments += comments[before...]
    comments.removeLast(comments.count - before)
  }

  private mutating func value(depth: Int, indent: String, isInline: Bool) -> Element {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return container(.array, depth: depth, indent: indent, isInline: isInline)
    case 1, 2: return container(.dictionary, depth: depth, indent: indent, isInline: isInline)
    default:
      let element = Element(.scalar)
      element.lines = line...line
      put(scalar(indent: indent, isInline: isInline))
      element.lines = element.lines.lowerBound...line
      return element
    }
  }

  private mutating func scalar(indent: String, isInline: Bool) -> String {
    let name = unique("välue")
    switch format {
    case .xml:
      switch Int.random(in: 0..<9, using: &random) {
      case 0: return "<integer>0x\(String(count, radix: 16, uppercase: true))</integer>"
      case 1: return "<integer> +\(count)</integer>"
      case 2: return "<real>\(count).50</real>"
      case 3: return "<date>2020-01-02T03:04:05Z</date>"
      case 4: return pick("<true/>", "<false />")
      case 5:
        let base64 = Data(name.utf8).base64EncodedString()
        guard !isInline else { return "<data>\(base64)</data>" }
        line += 2
        return "<data>\(lineEnd)\(indent)\(base64)\(lineEnd)\(indent)</data>"
      case 6: return "<string><![CDATA[<\(name)]]>&#x21;</string>"
      default: return "<string>\(name) &lt;</string>"
      }
    case .openStep:
      switch Int.random(in: 0..<7, using: &random) {
      case 0: return "<*I\(count)>"
      case 1: return "<*R\(count).50>"
      case 2: return "<\(pick("AB", "ab cd", "0123 4567"))>"
      case 3: return "word\(count) "
      case 4: return "'\(name) \"; }'"
      default: return "\"\(name) \\\"; }\""
      }
    case .binary, .json:
      switch Int.random(in: 0..<7, using: &random) {
      case 0: return "\(count).50"
      case 1: return "\(count)"
      case 2: return "1e\(count % 200)"
      case 3: return pick("true", "false", "null")
      default: return "\"\(name) \\\"}\""
      }
    }
  }
}
