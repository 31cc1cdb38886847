import Testing

@testable import ProgramFolders

@Suite("Languages of resources") struct LanguageTests {
  static let identifiers: [(String, String?)] = [
    ("en_GB.UTF-8", "en-GB"), ("en-GB", "en-GB"), ("EN_gb", "en-GB"), ("de", "de"), ("de_DE@euro", "de-DE"),
    ("sr_RS@latin", "sr-Latn-RS"), ("sr_RS.UTF-8@latin", "sr-Latn-RS"), ("zh_CN.GB18030", "zh-CN"),
    ("zh-Hant-TW", "zh-TW"), ("zh_Hant_US", "zh-Hant-US"), ("zh-Hans", "zh-Hans"), ("es_419", "es-419"),
    ("ca_ES@valencia", "ca-ES"), ("English", "en"), ("Japanese", "ja"), ("C", nil), ("C.UTF-8", nil), ("POSIX", nil),
    ("", nil), (".", nil), ("@latin", nil), ("_GB", nil), ("12", nil), ("a/b", nil), ("..", nil),
  ]

  @Test(arguments: identifiers) func `the names of locales and folders become identifiers`(
    _ text: String, _ identifier: String?
  ) { #expect(LanguageTag(text)?.identifier == identifier) }

  static let environments: [([String: String], [String])] = [
    ([:], []), (["LANG": "en_GB.UTF-8"], ["en-GB"]), (["LANG": "en_GB", "LC_MESSAGES": "de_AT"], ["de-AT"]),
    (["LANG": "en_GB", "LC_MESSAGES": "de_AT", "LC_ALL": "fr_FR"], ["fr-FR"]),
    (["LANG": "en_GB", "LC_MESSAGES": "", "LC_ALL": ""], ["en-GB"]),
    (["LANG": "en_GB", "LANGUAGE": "de_AT:de::fr:C:de"], ["de-AT", "de", "fr"]),
    // GNU gettext ignores the list for the locale C.
    (["LANG": "C", "LANGUAGE": "de"], []), (["LC_ALL": "POSIX", "LANG": "de_DE", "LANGUAGE": "de"], []),
    (["LANGUAGE": "de"], []), (["LANG": "C.UTF-8"], []), (["LANG": "C.UTF-8", "LANGUAGE": "de"], ["de"]),
    (["LANG": "en_US", "LANGUAGE": ""], ["en-US"]),
  ]

  @Test(arguments: environments) func `the languages of an environment are those of GNU gettext`(
    _ environment: [String: String], _ languages: [String]
  ) { #expect(PreferredLanguages.languages { environment[$0] } == languages) }

  static let matches: [([String], [String], [String])] = [
    (["en-GB"], ["de", "en", "en-GB"], ["en-GB", "en"]), (["en-US"], ["de", "en", "en-GB"], ["en"]),
    (["de-AT"], ["de", "en"], ["de"]), (["fr"], ["de", "en"], []), ([], ["de", "en"], []),
    (["de-AT", "fr"], ["de", "en", "fr"], ["de", "fr"]), (["en-AU"], ["en-GB"], ["en-GB"]),
    (["es-MX"], ["en", "es-419"], ["es-419"]), (["zh_CN.UTF-8"], ["en", "zh-Hans", "zh-Hant"], ["zh-Hans"]),
    (["zh-TW"], ["en", "zh-Hans", "zh-Hant"], ["zh-Hant"]), (["zh-HK"], ["zh", "zh_TW"], ["zh_TW"]),
    (["zh-TW"], ["en", "zh-Hans"], []), (["zh-Hans"], ["en", "zh_CN"], ["zh_CN"]),
    (["sr-Latn-RS"], ["en", "sr"], []), (["sr-RS"], ["en", "sr"], ["sr"]), (["nb-NO"], ["en", "no"], ["no"]),
    (["no"], ["en", "nb"], ["nb"]), (["de"], ["English", "German"], ["German"]),
    (["de-DE"], ["de_DE", "en"], ["de_DE"]), (["en-GB"], ["en-gb"], ["en-gb"]), (["x/y", "de"], ["de"], ["de"]),
    (["de", "de-AT"], ["de"], ["de"]),
  ]

  @Test(arguments: matches) func `a language is replaced by a less specific one, or by that of another region`(
    _ languages: [String], _ names: [String], _ found: [String]
  ) { #expect(PreferredLanguages.localizations(of: names, for: languages) == found) }

  @Test func `the development language is found in any spelling`() {
    #expect(PreferredLanguages.localizations(of: ["English", "en-GB"], equalTo: "en") == ["English"])
    #expect(PreferredLanguages.localizations(of: ["en"], equalTo: "English") == ["en"])
    #expect(PreferredLanguages.localizations(of: ["x y"], equalTo: "x y") == ["x y"])
    #expect(PreferredLanguages.localizations(of: ["de"], equalTo: "en") == [])
  }
}
