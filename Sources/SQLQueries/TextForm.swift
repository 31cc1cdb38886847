internal import FoundationEssentials
internal import ManagedObjects

/// A form of strings for a kind of comparison, such as one that ignores case. Strings are compared by the bytes of
/// their forms. The raw values are passed to the SQL function `managed_form`.
package enum TextForm: Int64, CaseIterable, Sendable {
  case plain = 0
  case caseInsensitive, localized, localizedCaseInsensitive, localizedStandard
  /// Second forms. The cases above are first forms. Strings with equal first forms are in the order of their second
  /// forms.
  case secondLocalized, secondLocalizedCaseInsensitive, secondLocalizedStandard
  /// The form for the string of a URL.
  case url

  /// Creates the form for the comparison of a sort descriptor; nil for an unknown comparison.
  init?(_ comparison: FetchRequest.SortComparison) {
    switch comparison {
    case .compare: self = .plain
    case .caseInsensitive: self = .caseInsensitive
    case .localized: self = .localized
    case .localizedCaseInsensitive: self = .localizedCaseInsensitive
    case .localizedStandard: self = .localizedStandard
    case .other: return nil
    }
  }

  /// The second form, which sorts strings that are equal in this form; nil if such strings count as equal.
  var second: TextForm? {
    switch self {
    case .localized: .secondLocalized
    case .localizedCaseInsensitive: .secondLocalizedCaseInsensitive
    case .localizedStandard: .secondLocalizedStandard
    default: nil
    }
  }

  package func form(of text: String) -> String? {
    switch self {
    case .plain: text.sortForm(.compare)
    case .caseInsensitive: text.sortForm(.caseInsensitive)
    case .localized: text.sortForm(.localized)
    case .localizedCaseInsensitive: text.sortForm(.localizedCaseInsensitive)
    case .localizedStandard: text.sortForm(.localizedStandard)
    case .secondLocalized: text.secondSortForm(.localized)
    case .secondLocalizedCaseInsensitive: text.secondSortForm(.localizedCaseInsensitive)
    case .secondLocalizedStandard: text.secondSortForm(.localizedStandard)
    case .url: URL(string: text)?.absoluteString.sortForm(.compare)
    }
  }
}
