/// The layout of long lines.
enum SwiftLayout {
  /// The maximum length of a line.
  private static let length = 120

  /// Returns the lines of a statement. Breaks a long statement within its last outermost brackets, as swift-format
  /// does.
  ///
  /// - Parameter indentation: The number of spaces before the line.
  static func lines(_ text: String, indentation: Int) -> [String] {
    guard indentation + text.count > length, let (start, parts, end) = brackets(in: text) else { return [text] }
    var lines = [start]
    for (index, part) in parts.enumerated() {
      let text = part + (index < parts.count - 1 || end.hasPrefix("]") ? "," : "")
      let isShort = indentation + 2 + text.count + end.count <= length
      if index > 0, isShort, indentation + lines[lines.count - 1].count + 1 + text.count + end.count <= length {
        lines[lines.count - 1] += " " + text
      } else {
        lines += Self.lines(text, indentation: indentation + 2).map { "  " + $0 }
      }
    }
    if end.hasPrefix("]") { return lines + [end] }
    lines[lines.count - 1] += end
    return lines
  }

  /// Returns the lines of a property with a wrapper. Breaks a long property before the declaration, and its wrapper
  /// between arguments.
  static func property(_ wrapper: String, _ arguments: [String], _ declaration: String, indentation: Int) -> [String] {
    let attribute = arguments.isEmpty ? wrapper : "\(wrapper)(\(arguments.joined(separator: ", ")))"
    if indentation + attribute.count + 1 + declaration.count <= length { return ["\(attribute) \(declaration)"] }
    return lines(attribute, indentation: indentation) + lines(declaration, indentation: indentation)
  }

  /// Splits text at its last outermost brackets that are not empty. Returns the text up to the opening bracket, the
  /// elements, and the text from the closing bracket on; nil if all brackets are empty, or the last ones are braces.
  private static func brackets(in text: String) -> (start: String, parts: [String], end: String)? {
    var open: [String.Index] = []
    var commas: [String.Index] = []
    var found: (open: String.Index, commas: [String.Index], close: String.Index)?
    var isString = false
    var isEscaped = false
    // Not characters, because a quotation mark and a letter can be one character.
    let scalars = text.unicodeScalars
    for (index, character) in zip(scalars.indices, scalars) {
      if isString {
        if !isEscaped, character == "\"" { isString = false }
        isEscaped = !isEscaped && character == "\\"
        continue
      }
      switch character {
      case "\"": isString = true
      case "(", "[", "{":
        if open.isEmpty { commas = [] }
        open.append(index)
      case ")", "]", "}":
        if let start = open.popLast(), open.isEmpty, !scalars[scalars.index(after: start)..<index].isEmpty {
          found = (start, commas, index)
        }
      case ",": if open.count == 1 { commas.append(index) }
      default: break
      }
    }
    guard let found, scalars[found.open] != "{" else { return nil }
    var parts: [String] = []
    var start = scalars.index(after: found.open)
    for end in found.commas + [found.close] {
      parts.append(String(scalars[start..<end].drop { $0 == " " }))
      start = scalars.index(after: end)
    }
    return (String(scalars[...found.open]), parts, String(scalars[found.close...]))
  }
}
