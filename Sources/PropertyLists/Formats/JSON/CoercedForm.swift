/// The dictionaries of one entry that stand for a value JSON has no form for, and how a real dictionary of that form is
/// told from them. Only this type knows their keys.
package enum CoercedForm {
  case date, data, real, float, uid

  /// The form that a key names.
  package init?(key: RawSpan) {
    guard let (form, dollars) = Self.forms(key), dollars == (form == .uid ? 0 : 1) else { return nil }
    self = form
  }

  /// The key, with its quotation marks.
  var key: StaticString {
    switch self {
    case .date: "\"$date\""
    case .data: "\"$data\""
    case .real: "\"$real\""
    case .float: "\"$float\""
    case .uid: "\"CF$UID\""
    }
  }

  /// Whether a key is that of a form, with any number of dollar signs before it. The only key of a dictionary that is
  /// one gets one more, which the reader takes away.
  static func hasToBeEscaped(key: RawSpan) -> Bool {
    guard let (form, dollars) = forms(key) else { return false }
    return form == .uid || dollars > 0
  }

  /// The form whose name, less its dollar sign, follows the dollar signs of a key, and how many these are.
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
