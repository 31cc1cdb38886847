import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles

/// The option to print JSON with plain values, for programs that do not know tagged forms such as `{"$date": …}`.
struct PlainArgument: ParsableArguments {
  static let name = NameSpecification.customLong("plain")
  static let help = ArgumentHelp(
    "In JSON, print dates, data and numbers as plain text and numbers, for programs such as jq. Their types are lost.")

  @Flag(name: Self.name, help: Self.help)
  var isGiven = false

  /// The plain form; nil for the form that can be read back.
  var form: PlainForm? { isGiven ? PlainForm() : nil }

  func checkGoes(withJSON isJSON: Bool) throws {
    if isGiven, !isJSON { throw ValidationError("--plain works only with --json.") }
  }
}

/// JSON without tagged forms such as `{"$date": …}`: a date is text in ISO 8601, data is base64, and a number that is
/// not finite is `"nan"`, `"inf"` or `"-inf"`.
struct PlainForm {
  /// The time zone of dates; nil for UTC.
  var timeZone: LocalTime?

  /// Returns a value with its dates converted to text, including fractions of seconds.
  func value(_ value: PropertyList) -> PropertyList {
    switch value {
    case .date(let date): timeZone?.text(date) ?? value.rawText.map { .string($0) } ?? value
    case .array(let elements): .array(elements.map(self.value))
    case .dictionary(let entries): .dictionary(entries.mapValues(self.value))
    default: value
    }
  }
}

extension PropertyList {
  /// Returns JSON on one line, without a newline at the end.
  func compactJSON(_ plain: PlainForm?) throws(PropertyListError) -> Data {
    var data = try json(plain, isCompact: true)
    if data.last == UInt8(ascii: "\n") { data.removeLast() }
    return data
  }

  /// Returns JSON. If `plain` is nil, values that JSON cannot represent have the forms of `plistutil --coerce`.
  func json(_ plain: PlainForm?, isCompact: Bool = false) throws(PropertyListError) -> Data {
    let options = PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, coercion: plain == nil ? .reversible : .plain, isCompact: isCompact)
    return try (plain?.value(self) ?? self).data(format: .json, options: options)
  }
}
