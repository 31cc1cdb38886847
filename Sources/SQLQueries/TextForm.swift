internal import FoundationEssentials
internal import ManagedObjects

/// The forms in which texts are compared.
package enum TextForm: Int64, CaseIterable, Sendable {
  case plain = 0
  case caseInsensitive, localized, localizedCaseInsensitive, localizedStandard
  /// The form of texts whose first forms are equal.
  case secondLocalized, secondLocalizedCaseInsensitive, secondLocalizedStandard
  /// The form of the text of a URL.
  case url

  /// The form for the comparison of a sort descriptor; nil for one that nobody knows.
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

  /// The form that tells texts of this one apart; nil if they are equal.
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
