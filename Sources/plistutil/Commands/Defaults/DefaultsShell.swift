import PropertyLists
import ToolSupport

/// Shell commands that call `defaults`.
enum DefaultsShell {
  /// Returns the command that sets a value, or removes it if `value` is nil. `options` come before the verb.
  static func call(
    _ domain: String, _ key: String, _ value: PropertyList?, options: [String]
  ) throws(PropertyListError) -> String {
    var words = ["defaults"] + options + [value == nil ? "delete" : "write"]
    if key.hasControls {
      // A key path escapes control characters, so the command is one line and safe to print in a terminal.
      words += [domain, "-k", PropertyListKeyPath([.key(key)]).description]
    } else {
      if domain.hasPrefix("-") || key.hasPrefix("-") { words.append("--") }
      words += [domain, key]
    }
    if let value { words += try arguments(value) }
    return words.map(quoted).joined(separator: " ")
  }

  /// Returns the arguments of `write` for a value: the arguments of Apple's tool if it can express the value, otherwise
  /// OpenStep text.
  private static func arguments(_ value: PropertyList) throws(PropertyListError) -> [String] {
    switch value {
    case .string(let text) where !text.hasControls: return ["-string", text]
    case .integer(let integer): return ["-int", integer.description]
    case .real(let real) where !real.isNaN: return ["-float", real.description]
    case .boolean(let isTrue): return ["-bool", isTrue ? "true" : "false"]
    case .data(let data): return ["-data", BareValue.hexadecimal(data, groups: false)]
    default: break
    }
    var options = DefaultsOutput.exact
    options.isCompact = true
    return [String(decoding: try value.data(format: .openStep, options: options).dropLast(), as: UTF8.self)]
  }

  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_-./:=,@%+".unicodeScalars.contains(scalar))
      }
    return isPlain ? word : "'\(word.replacingScalars("'", with: #"'\''"#))'"
  }
}

extension String {
  fileprivate var hasControls: Bool { printable() != self }
}
