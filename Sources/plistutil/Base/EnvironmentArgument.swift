import ArgumentParser
import PropertyLists
import SystemFiles

/// An option that replaces variables in strings by values of the environment.
struct EnvironmentArgument: ParsableArguments {
  @Flag(
    name: .customLong("env"),
    help: """
      In the strings of new values, replace ${NAME} with the environment variable NAME. A variable that is not set is \
      an error; ${NAME:-TEXT} gives a default instead. Write $${ for ${.
      """)
  var isGiven = false

  /// Returns a value with the variables in all of its strings replaced. Keys are not changed. Without the option, the
  /// value is returned unchanged.
  ///
  /// - Throws: ``PropertyListError`` with the key path of a string whose variable is not set, or that has anything but
  ///   a variable between `${` and `}`.
  func expanded(_ value: PropertyList) throws(PropertyListError) -> PropertyList {
    guard isGiven else { return value }
    var result = value
    var pending: [(value: PropertyList, path: [PropertyListKeyPath.Component])] = [(value, [])]
    while let (value, path) = pending.popLast() {
      switch value {
      case .string(let text):
        do {
          let expanded = try Self.expanded(text)
          if expanded != text { try result.replace(.string(expanded), at: PropertyListKeyPath(path)) }
        } catch {
          throw error.below(path)
        }
      case .array(let elements):
        for (index, element) in elements.enumerated().reversed() where Self.mayHaveVariables(element) {
          pending.append((element, path + [.index(index)]))
        }
      case .dictionary(let entries):
        for (key, element) in entries.reversed() where Self.mayHaveVariables(element) {
          pending.append((element, path + [.key(key)]))
        }
      default: break
      }
    }
    return result
  }

  private static func mayHaveVariables(_ value: PropertyList) -> Bool {
    switch value {
    case .string(let text): text.utf8.contains(UInt8(ascii: "$"))
    case .array, .dictionary: true
    default: false
    }
  }

  /// Returns a string with its variables replaced. Works on bytes, because appending to a string's unicode scalar view
  /// can copy the whole string.
  private static func expanded(_ text: String) throws(PropertyListError) -> String {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
      result += rest[..<dollar]
      rest = rest[(dollar + 1)...]
      if rest.starts(with: "${".utf8) {
        result += "${".utf8
        rest = rest.dropFirst(2)
      } else if rest.first == UInt8(ascii: "{") {
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          throw PropertyListError(.malformed, "\"${\" without \"}\"; write $${ for ${ itself")
        }
        result += try value(of: String(decoding: rest[..<end].dropFirst(), as: UTF8.self)).utf8
        rest = rest[(end + 1)...]
      } else {
        result.append(UInt8(ascii: "$"))
      }
    }
    return String(decoding: result + rest, as: UTF8.self)
  }

  /// Returns the value for the text between `${` and `}`: a name, or a name with a default, such as `NAME:-TEXT`.
  private static func value(of content: String) throws(PropertyListError) -> String {
    let separator = content.firstRange(of: ":-")
    let name = String(content[..<(separator?.lowerBound ?? content.endIndex)])
    let isName = name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard isName, let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      throw PropertyListError(.malformed, "\(name.quoted) is not the name of a variable; write $${ for ${ itself")
    }
    let found = CurrentProcess.environmentValue(name)
    if let separator, found?.isEmpty != false { return String(content[separator.upperBound...]) }
    guard let found else {
      throw PropertyListError(
        .noSuchValue, "the environment variable \(name) is not set; use ${\(name):-TEXT} to give a default")
    }
    // Bytes that are not UTF-8 are decoded as U+FFFD.
    guard !found.unicodeScalars.contains("\u{FFFD}") else {
      throw PropertyListError(.malformed, "the environment variable \(name) is not UTF-8")
    }
    return found
  }
}
