extension FetchRequest {
  /// The method by which a sort descriptor compares values.
  ///
  /// The localized comparisons use no locale data, so they have the same result everywhere. They compare Unicode
  /// scalars, and ignore case and diacritics. If two strings are equal in this comparison, they are then compared
  /// exactly, except that ``localizedCaseInsensitive`` still ignores case. All methods except ``compare`` work only for
  /// strings.
  public enum SortComparison: Hashable, Sendable {
    /// The order of `<` in predicates. Strings are compared by Unicode scalars.
    case compare
    /// Ignores case, and compares Unicode scalars.
    case caseInsensitive
    /// Ignores case and diacritics, unless two strings are otherwise equal.
    case localized
    /// Ignores case; ignores diacritics, unless two strings are otherwise equal.
    case localizedCaseInsensitive
    /// As ``localized``, but compares digits in strings as numbers: `Note 9` comes before `Note 10`.
    case localizedStandard
    /// An unknown method named in a file. It is kept for writing, but cannot be used for sorting.
    case other(String)

    /// Creates the comparison with a method's name, such as `localizedStandardCompare:`; ``other(_:)`` for an unknown
    /// name.
    public init(selector: String) { self = Self.known.first { $0.selector == selector } ?? .other(selector) }

    /// The name of the method in Core Data's files.
    public var selector: String {
      switch self {
      case .compare: "compare:"
      case .caseInsensitive: "caseInsensitiveCompare:"
      case .localized: "localizedCompare:"
      case .localizedCaseInsensitive: "localizedCaseInsensitiveCompare:"
      case .localizedStandard: "localizedStandardCompare:"
      case .other(let name): name
      }
    }

    private static let known: [SortComparison] = [
      .compare, .caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
    ]
  }
}
