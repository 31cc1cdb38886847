import PropertyListTools
import PropertyLists

/// An error or a warning about a file.
struct Finding: Sendable {
  enum Severity: String, Sendable {
    case error, warning
  }

  /// The rule of a warning; nil for an error.
  private let warning: Warning?
  /// The message and its position.
  let defect: PropertyListError

  /// Creates an error.
  init(defect: PropertyListError) { (warning, self.defect) = (nil, defect) }

  /// Creates a warning about something that is allowed, but probably a mistake.
  init(_ warning: Warning, _ defect: PropertyListError) { (self.warning, self.defect) = (warning, defect) }

  var severity: Severity { warning == nil ? .error : .warning }
  /// The name of the rule, for programs.
  var rule: String { warning?.rawValue ?? defect.code }

  /// The rules for warnings.
  enum Warning: String, CaseIterable, Sendable {
    case duplicateKeyKept = "duplicate-key-kept"
    case equivalentKeys = "equivalent-keys"
    case mixedLineEnds = "mixed-line-ends"
    case unusualEncoding = "unusual-encoding"
    case byteOrderMark = "byte-order-mark"
  }

  /// The fields of the finding in JSON.
  var fields: PropertyList {
    var fields: PropertyList = ["severity": .string(severity.rawValue), "rule": .string(rule)]
    if let rest = defect.fields.dictionary {
      fields.dictionary?.merge(rest) { $1 }
      fields.dictionary?["kind"] = nil
    }
    return fields
  }

  /// Returns a workflow command for GitHub, which shows the finding next to the line of the file (docs.github.com,
  /// "Workflow commands for GitHub Actions").
  func annotation(file: String) -> String {
    // GitHub expects paths relative to the root of the repository.
    let path = file.hasPrefix("./") ? String(file.dropFirst(2)) : file
    var properties = ["file=\(Self.escaped(path, isProperty: true))"]
    if let position = defect.position { properties += ["line=\(position.line)", "col=\(position.column)"] }
    properties.append("title=\(rule)")
    var message = defect.detail
    if defect.position == nil, let offset = defect.byteOffset { message += ", at byte \(offset)" }
    return "::\(severity.rawValue) \(properties.joined(separator: ","))::\(Self.escaped(message, isProperty: false))"
  }

  private static func escaped(_ text: String, isProperty: Bool) -> String {
    let reserved: Set<Unicode.Scalar> = isProperty ? ["%", "\r", "\n", ":", ","] : ["%", "\r", "\n"]
    return text.unicodeScalars.map { scalar in
      guard reserved.contains(scalar) else { return String(scalar) }
      return "%" + BareValue.hexadecimal([UInt8(scalar.value)], groups: false).uppercased()
    }.joined()
  }
}
