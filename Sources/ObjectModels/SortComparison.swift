extension FetchRequest {
  /// The method by which a sort descriptor compares values.
  ///
  /// The localized comparisons use no locale data, so they have the same result everywhere. They ignore case and
  /// diacritics, and compare Unicode scalars. Strings that are equal in this comparison are then compared exactly. All
  /// methods but ``compare`` work only for strings.
  public enum SortComparison: Hashable, Sendable {
    /// The order of `<` in predicates. Strings are compared by Unicode scalars.
    case compare
    /// Ignores case.
    case caseInsensitive
    case localized
    /// Ignores case.
    case localizedCaseInsensitive
    /// Compares digits in strings as numbers: `Note 9` comes before `Note 10`.
    case localizedStandard
    /// An unknown method named in a file. It is kept for writing, but cannot be used for sorting.
    case other(String)

    /// Creates the comparison with a method's name: `localizedStandardCompare:`.
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
