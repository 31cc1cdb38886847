import PropertyListTools
import PropertyLists

extension Finding {
  /// What machines get about it.
  var fields: PropertyList {
    var fields: PropertyList = ["severity": .string(severity.rawValue), "rule": .string(rule)]
    if let rest = fault.fields.dictionary {
      fields.dictionary?.merge(rest) { $1 }
      fields.dictionary?["kind"] = nil
    }
    return fields
  }

  /// A command of GitHub's workflows, which shows it beside the line of the file
  /// (docs.github.com, "Workflow commands for GitHub Actions").
  func annotation(file: String) -> String {
    var properties = ["file=\(Self.escaped(file, isProperty: true))"]
    if let position = fault.position { properties += ["line=\(position.line)", "col=\(position.column)"] }
    properties.append("title=\(rule)")
    var message = fault.detail
    if fault.position == nil, let offset = fault.byteOffset { message += ", at byte \(offset)" }
    return "::\(severity.rawValue) \(properties.joined(separator: ","))::\(Self.escaped(message, isProperty: false))"
  }

  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where isProperty: escaped += "%3A"
      case "," where isProperty: escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
