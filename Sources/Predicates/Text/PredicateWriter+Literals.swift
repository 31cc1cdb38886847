internal import FoundationEssentials
internal import KeyedArchiving

extension PredicateWriter {
  mutating func write(variable name: String) throws(ManagedPredicateError) {
    guard Self.isName(name) else {
      throw ManagedPredicateError(.unsupported, "the variable \"\(name)\" has no form in predicate text")
    }
    append("$" + name)
  }

  /// Writes a key. A key that is a reserved word or not an identifier is written after a number sign.
  mutating func write(key: String) {
    if key.hasPrefix("@"), Self.isName(String(key.dropFirst())) {
      append(key)
    } else if !Self.isName(key) {
      append("#")
      write(quoted: key)
    } else {
      append(PredicateWord(key) == nil ? key : "#" + key)
    }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, PredicateLexer.isNameStart(first) else { return false }
    return text.utf8.allSatisfy(PredicateLexer.isNamePart)
  }

  mutating func write(quoted string: String) {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 32 || scalar.value == 127:
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    append(quoted + "\"")
  }

  mutating func write(_ constant: PredicateConstant) throws(ManagedPredicateError) {
    switch constant {
    case .value(.composite(let leaves)): try write(.dictionary(leaves.mapValues { .value($0) }))
    case .value(let value): write(value)
    case .array(let elements): try write(elements, as: .array)
    case .set(let elements):
      let sorted = Self.sorted(elements)
      // A text for sorting contains the texts for sorting of nested sets. Writing their elements again would double the
      // work at each level.
      if isForSorting { write(texts: sorted.map(\.text), as: .set) } else { try write(sorted.map(\.element), as: .set) }
    case .dictionary(let entries):
      let sorted = entries.sorted { $0.key < $1.key }
      try write(sorted.flatMap { [.value(.string($0.key)), $0.value] }, as: .dictionary)
    case .object:
      throw ManagedPredicateError(.unsupported, "a managed object has no form in predicate text; use %@")
    case .opaque(let object):
      guard isForSorting else {
        throw ManagedPredicateError(
          .unsupported, "an object of class \(object.className) has no form in predicate text")
      }
      // The objects of one archive keep their order. 10 digits are enough for all UIDs.
      let uid = String(object.object.uid.value)
      append(String(repeating: "0", count: 10 - uid.utf8.count) + uid)
    }
  }

  private mutating func write(_ elements: [PredicateConstant], as target: PredicateCastTarget)
    throws(ManagedPredicateError)
  {
    append("CAST({")
    for (index, element) in elements.enumerated() {
      if index > 0 { append(", ") }
      try write(element)
    }
    append("}, \"\(target.rawValue)\")")
  }

  private mutating func write(texts: [String], as target: PredicateCastTarget) {
    append("CAST({\(texts.joined(separator: ", "))}, \"\(target.rawValue)\")")
  }

  /// Sorts the elements of a set for writing and archiving, because Swift's own order differs from process to process.
  /// Returns each element with the text that determined its position.
  static func sorted(_ elements: Set<PredicateConstant>) -> [(text: String, element: PredicateConstant)] {
    let texts = elements.map { element in
      var writer = PredicateWriter(isForSorting: true)
      // Only a managed object is an error, and that set can be neither written nor archived.
      _ = try? writer.write(element)
      return (text: writer.text, element: element)
    }
    return texts.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
  }

  private mutating func write(_ value: AttributeValue) {
    switch value {
    case .null, .composite: append("NULL")
    case .boolean(let value): append(value ? "TRUE" : "FALSE")
    case .integer(let value): append("\(value)")
    case .decimal(let value): write(value.isNaN ? "nan" : "\(value)", as: .decimal)
    case .double(let value): write(value)
    case .float(let value):
      write(Double(value))
      if isForSorting { append(" (float)") }
    case .string(let value): write(quoted: value)
    case .date(let value):
      append("CAST(")
      write(value.timeIntervalSinceReferenceDate)
      append(", \"\(PredicateCastTarget.date.rawValue)\")")
    case .data(let value): write(value.base64EncodedString(), as: .data)
    case .uuid(let value): write(value.uuidString, as: .uuid)
    case .url(let value):
      write(value.absoluteString, as: .url)
      if isForSorting, let base = value.baseURL { append(" (relative to \(base.absoluteString))") }
    }
  }

  private mutating func write(_ value: Double) {
    if value.isFinite {
      append("\(value)")
    } else {
      write(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf", as: .number)
    }
  }

  private mutating func write(_ literal: String, as target: PredicateCastTarget) {
    append("CAST(")
    write(quoted: literal)
    append(", \"\(target.rawValue)\")")
  }
}
