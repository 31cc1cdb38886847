import FoundationEssentials
import PropertyLists
import ToolSupport

/// Prints the values of preferences.
///
/// Containers are printed as OpenStep with GNUstep's types, so that the output is complete and `write` and `import` can
/// read it back. A single scalar is printed without quotes or type, for use in a shell; `read-type` prints its type.
enum DefaultsOutput {
  /// The options for text that is read back without loss. A dictionary with the single key `CF$UID`, which represents a
  /// UID in XML, is written like any other dictionary, because preferences files do not contain UIDs.
  static let exact = PropertyListWritingOptions(
    depth: ParsingLimits.greatestDepth, writesUIDDictionaries: false, coercion: .reversible, openStepDialect: .gnustep)

  /// Prints a value in the form that the call selects.
  static func write(_ value: PropertyList, for call: DefaultsCall) throws {
    if let format = call.format ?? (call.isForMachines ? FormatName(.json) : nil) {
      try output(data(value, format, name: call.domain?.name ?? "defaults"))
    } else if call.isApple {
      try output(AppleDescription.text(of: value))
    } else {
      try output(text(of: value).onStandardOutput)
    }
  }

  /// Returns the text of a scalar or a container, without a newline at the end.
  static func text(of value: PropertyList) throws(PropertyListError) -> String {
    if let text = BareValue.text(of: value) { return text }
    var options = exact
    do {
      return String(decoding: try value.data(format: .openStep, options: options).dropLast(), as: UTF8.self)
    } catch {
      guard error.kind == .notRepresentable else { throw error }
      // A file that does not contain preferences, such as an archive, may contain UIDs.
      options.writesUIDDictionaries = true
      return String(decoding: try value.data(format: .openStep, options: options).dropLast(), as: UTF8.self)
    }
  }

  /// Writes a line of JSON.
  static func writeLine(_ fields: PropertyList) throws(PropertyListError) {
    var options = exact
    options.isCompact = true
    try output(fields.data(format: .json, options: options))
  }

  /// Returns the bytes of a value in a format. If the format cannot represent fractions of seconds, drops them with a
  /// warning, like the verb `convert`.
  static func data(_ value: PropertyList, _ name: FormatName, name file: String) throws(DefaultsError) -> Data {
    var options = exact
    options.fractionalSeconds = .refuse
    options.openStepDialect = name.dialect
    if name.format == .openStep, name.dialect != .gnustep { options.coercion = .refuse }
    // With this option, a dictionary with the single key `CF$UID` is refused: other XML readers would read it as a UID.
    if name.format == .xml { options.writesUIDDictionaries = true }
    do { return try value.data(format: name.format, options: options) } catch let exact {
      options.fractionalSeconds = .drop
      guard exact.kind == .notRepresentable, let data = try? value.data(format: name.format, options: options) else {
        throw DefaultsError(exact, about: file)
      }
      note("\(file): warning: dates are cut to whole seconds: \(exact.detail)")
      return data
    }
  }
}
