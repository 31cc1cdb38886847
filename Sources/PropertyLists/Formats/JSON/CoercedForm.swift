/// The forms of values that JSON cannot represent: dictionaries with one entry, such as
/// `{"$date": "2001-01-01T00:00:00Z"}`. Only this type knows the keys of the forms. It also knows the escape that is
/// used if the only key of an ordinary dictionary is such a key.
package enum CoercedForm {
  case date, data, real, float, uid

  /// Creates the form that has a key, or nil if no form has it.
  package init?(key: RawSpan) {
    guard let (form, dollars) = Self.forms(key), dollars == (form == .uid ? 0 : 1) else { return nil }
    self = form
  }

  /// The key, in quotation marks.
  var key: StaticString {
    switch self {
    case .date: "\"$date\""
    case .data: "\"$data\""
    case .real: "\"$real\""
    case .float: "\"$float\""
    case .uid: "\"CF$UID\""
    }
  }

  /// Returns true for the key of a form, also with additional dollar signs before it. If such a key is the only key of
  /// an ordinary dictionary, the writer adds a dollar sign to it, and the reader removes this dollar sign.
  static func hasToBeEscaped(key: RawSpan) -> Bool {
    guard let (form, dollars) = forms(key) else { return false }
    return form == .uid || dollars > 0
  }

  /// Splits a key into its leading dollar signs and the name of a form. Returns nil if the dollar signs are not
  /// followed by such a name.
  private static func forms(_ key: RawSpan) -> (CoercedForm, dollars: Int)? {
    var dollars = 0
    while dollars < key.byteCount, key[dollars] == UInt8(ascii: "$") { dollars += 1 }
    let name = key.extracting(dollars...)
    switch name.byteCount {
    case 4 where name.starts(with: "date"): return (.date, dollars)
    case 4 where name.starts(with: "data"): return (.data, dollars)
    case 4 where name.starts(with: "real"): return (.real, dollars)
    case 5 where name.starts(with: "float"): return (.float, dollars)
    case 6 where name.starts(with: "CF$UID"): return (.uid, dollars)
    default: return nil
    }
  }
}
