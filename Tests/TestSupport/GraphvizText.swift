/// A parser for the part of the Graphviz language that diagrams of this package use. Everything else is a syntax error.
public struct GraphvizText {
  public struct SyntaxError: Error {
    public let message: String
  }

  public struct Edge: Hashable {
    public let source: String
    public let target: String
    public let attributes: [String: String]

    public init(source: String, target: String, attributes: [String: String]) {
      self.source = source
      self.target = target
      self.attributes = attributes
    }
  }

  public private(set) var nodes: [String: [String: String]] = [:]
  public private(set) var edges: [Edge] = []

  private enum Token: Equatable {
    case word(String)
    case quoted(String)
    case mark(Character)
    case arrow
  }

  private var tokens: [Token] = []
  private var index = 0

  public init(_ text: String) throws {
    tokens = try Self.tokens(of: text)
    try expect(.word("digraph"))
    _ = try identifier()
    try expect(.mark("{"))
    while current != .mark("}") { try statement() }
    index += 1
    guard current == nil else { throw SyntaxError(message: "text behind the graph") }
  }

  private var current: Token? { index < tokens.count ? tokens[index] : nil }

  private mutating func expect(_ token: Token) throws {
    guard current == token else {
      throw SyntaxError(message: "\(token) expected, \(String(describing: current)) found")
    }
    index += 1
  }

  private mutating func identifier() throws -> String {
    defer { index += 1 }
    switch current {
    case .word(let name)?, .quoted(let name)?: return name
    default: throw SyntaxError(message: "a name expected, \(String(describing: current)) found")
    }
  }

  private mutating func statement() throws {
    let name = try identifier()
    if current == .arrow {
      index += 1
      let target = try identifier()
      edges.append(Edge(source: name, target: target, attributes: try attributes()))
    } else {
      let attributes = try attributes()
      if name != "graph", name != "node", name != "edge" { nodes[name] = attributes }
    }
    try expect(.mark(";"))
  }

  private mutating func attributes() throws -> [String: String] {
    var attributes: [String: String] = [:]
    guard current == .mark("[") else { return attributes }
    index += 1
    while current != .mark("]") {
      let key = try identifier()
      try expect(.mark("="))
      attributes[key] = try identifier()
      if current == .mark(",") { index += 1 }
    }
    index += 1
    return attributes
  }

  /// Splits the text into tokens. In quoted text, escapes are replaced as Graphviz does: `\l` ends a line.
  private static func tokens(of text: String) throws -> [Token] {
    var tokens: [Token] = []
    var rest = Array(text.unicodeScalars)[...]
    while let first = rest.first {
      rest = rest.dropFirst()
      switch first {
      case " ", "\n": continue
      case "{", "}", "[", "]", "=", ";", ",": tokens.append(.mark(Character(first)))
      case "-":
        guard rest.first == ">" else { throw SyntaxError(message: "a hyphen alone") }
        rest = rest.dropFirst()
        tokens.append(.arrow)
      case "\"":
        var content = ""
        while rest.first != "\"" {
          guard let next = rest.first else { throw SyntaxError(message: "text without its end") }
          rest = rest.dropFirst()
          guard next == "\\" else {
            content.unicodeScalars.append(next)
            continue
          }
          switch rest.first {
          case "l": content += "\n"
          case "\"", "\\": content.unicodeScalars.append(rest.first!)
          default: throw SyntaxError(message: "the escape \\\(rest.first.map(String.init) ?? "")")
          }
          rest = rest.dropFirst()
        }
        rest = rest.dropFirst()
        tokens.append(.quoted(content))
      default:
        // Numbers, and names of letters, digits and underscores that do not begin with a digit.
        func isPart(_ scalar: Unicode.Scalar) -> Bool {
          scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_")
        }
        guard isPart(first) else { throw SyntaxError(message: "the character \(first)") }
        let end = rest.firstIndex { !isPart($0) } ?? rest.endIndex
        tokens.append(.word(String(String.UnicodeScalarView([first] + rest[..<end]))))
        rest = rest[end...]
      }
    }
    return tokens
  }
}
