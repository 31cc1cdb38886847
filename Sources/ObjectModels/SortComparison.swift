extension FetchRequest {
  /// The comparison of values by a sort descriptor.
  ///
  /// There is no data about locales here, so the localised comparisons go by rules that are the same everywhere: texts
  /// are compared without regard to case and marks, by their Unicode scalars, and those that are equal so by what they
  /// are. All but ``compare`` are of texts only.
  public enum SortComparison: Hashable, Sendable {
    /// As `<` in predicates; texts by their Unicode scalars.
    case compare
    /// Texts that differ in case only are equal.
    case caseInsensitive
    case localized
    /// Texts that differ in case only are equal.
    case localizedCaseInsensitive
    /// Numbers in texts are compared by their values: `Note 9` comes before `Note 10`.
    case localizedStandard
    /// A method of another name, which a file has. It is kept for other programs; nothing can be sorted by it here.
    case other(String)

    /// The comparison of a method's name: `localizedStandardCompare:`.
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
