internal import FoundationEssentials
internal import ManagedObjects

/// The forms of texts that comparisons use. The raw values are passed to the SQL function.
package enum TextForm: Int64, CaseIterable, Sendable {
  case plain = 0
  case caseInsensitive, localized, localizedCaseInsensitive, localizedStandard
  /// The secondary forms, for texts whose first forms are equal.
  case secondLocalized, secondLocalizedCaseInsensitive, secondLocalizedStandard
  /// The form of a URL's text.
  case url

  /// Returns the form for the comparison of a sort descriptor; nil for an unknown comparison.
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

  /// The form that distinguishes texts whose forms of this kind are equal; nil if such texts are equal.
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
