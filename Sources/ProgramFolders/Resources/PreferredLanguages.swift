internal import FoundationEssentials
internal import SystemFiles

/// The languages that a user prefers, and the localizations that match them.
enum PreferredLanguages {
  /// The languages of this process, the preferred one first. Empty if there are none.
  static var current: [String] {
    #if canImport(Darwin)
      Locale.preferredLanguages
    #else
      languages(environment: { CurrentProcess.environmentValue($0) })
    #endif
  }

  /// Returns the languages of an environment.
  ///
  /// As for GNU gettext, the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty is the locale. `LANGUAGE` is
  /// a list of languages that replaces it, unless the locale is missing, `C` or `POSIX` (GNU gettext manual, section
  /// "Specifying a Priority List of Languages").
  static func languages(environment: (String) -> String?) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return [] }
    let list = (environment("LANGUAGE") ?? "").split(separator: ":").map(String.init)
    var identifiers: [String] = []
    for name in list.isEmpty ? [locale] : list {
      if let tag = LanguageTag(name), !identifiers.contains(tag.identifier) { identifiers.append(tag.identifier) }
    }
    return identifiers
  }

  /// Returns the localizations that match the given languages, in the order of the search. For each language, the most
  /// specific localization comes first.
  ///
  /// If no localization matches a language, the first localization of the same language for another region is used.
  ///
  /// - Parameter names: The names of the localizations, sorted.
  static func localizations(of names: [String], for languages: [String]) -> [String] {
    let tags = names.map { ($0, LanguageTag($0)) }
    var found: [String] = []
    for language in languages {
      guard let wanted = LanguageTag(language) else { continue }
      var matches = wanted.chain.flatMap { link in tags.filter { $0.1 == link }.map(\.0) }
      if matches.isEmpty, let other = tags.first(where: { $0.1?.isSameLanguage(as: wanted) == true }) {
        matches = [other.0]
      }
      found += matches.filter { !found.contains($0) }
    }
    return found
  }

  /// Returns the localizations with the name of a language, in any spelling: `en`, `English`.
  static func localizations(of names: [String], equalTo language: String) -> [String] {
    let tag = LanguageTag(language)
    return names.filter { $0 == language || tag != nil && LanguageTag($0) == tag }
  }
}
