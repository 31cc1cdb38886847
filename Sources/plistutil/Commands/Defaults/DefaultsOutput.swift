import FoundationEssentials
import PropertyLists
import ToolSupport

/// How values are printed.
///
/// Containers are OpenStep with GNUstep's types, so that what is printed is complete and can be read back, by `write`
/// and `import` among others. A value alone is bare, as shells want it; `read-type` tells its type.
enum DefaultsOutput {
  /// The options of text that is read back as exactly what it was. A dictionary that looks like a UID is one: files of
  /// preferences have no UIDs.
  static let exact = PropertyListWritingOptions(
    depth: ParsingLimits.greatestDepth, writesUIDDictionaries: false, coercion: .reversible, openStepDialect: .gnustep)

  /// Prints a value in the form that the call wants.
  static func write(_ value: PropertyList, for call: DefaultsCall) throws {
    if let format = call.format ?? (call.isForMachines ? FormatName(.json) : nil) {
      try output(data(value, format, name: call.domain?.name ?? "defaults"))
    } else if call.isApple {
      try output(AppleDescription.text(of: value))
    } else {
      try output(text(of: value).onStandardOutput)
    }
  }

  /// One value, or a container, without the end of the line.
  static func text(of value: PropertyList) throws(PropertyListError) -> String {
    if let text = BareValue.text(of: value) { return text }
    var options = exact
    do {
      return String(decoding: try value.data(format: .openStep, options: options).dropLast(), as: UTF8.self)
    } catch {
      guard error.kind == .notRepresentable else { throw error }
      // A file that is none of preferences, such as an archive, may have UIDs.
      options.writesUIDDictionaries = true
      return String(decoding: try value.data(format: .openStep, options: options).dropLast(), as: UTF8.self)
    }
  }

  /// A line of JSON.
  static func writeLine(_ fields: PropertyList) throws(PropertyListError) {
    var options = exact
    options.isCompact = true
    try output(fields.data(format: .json, options: options))
  }

  /// The bytes of a file. As `convert` does, XML drops fractions of seconds, and says so.
  static func data(_ value: PropertyList, _ name: FormatName, name file: String) throws(DefaultsError) -> Data {
    var options = exact
    options.fractionalSeconds = .refuse
    options.openStepDialect = name.dialect
    if name.format == .openStep, name.dialect != .gnustep { options.coercion = .refuse }
    // To other readers of XML a dictionary that looks like a UID is none.
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
