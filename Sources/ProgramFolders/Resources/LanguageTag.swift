/// The identifier of a language, and the languages that can replace it.
///
/// Names of locales (`en_GB.UTF-8`), identifiers of BCP 47 (`en-GB`) and the names of folders (`en_GB`, `English`)
/// become the same identifier.
struct LanguageTag: Hashable {
  /// The language, such as `en`.
  let language: String
  /// The script, such as `Hant`; nil if it is the usual one.
  let script: String?
  /// The region, such as `GB`, and variants; empty if there is none.
  let rest: [String]

  /// The full names that folders of old programs have (CFBundle_Locale.c).
  private static let names = [
    "English": "en", "French": "fr", "German": "de", "Italian": "it", "Dutch": "nl", "Spanish": "es", "Japanese": "ja",
  ]
  /// The scripts that a locale can name after `@` (the locales of glibc).
  private static let modifiers = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"]
  /// The regions that write Chinese with traditional characters (CLDR, likely subtags).
  private static let traditional: Set = ["TW", "HK", "MO"]

  /// Parses an identifier. Returns nil for text that is not one, and for the locales `C` and `POSIX`, which have no
  /// language.
  init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first?.prefix { $0 != "." } ?? ""
    let known = Self.names[String(name)] ?? String(name)
    var subtags = known.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "_" || $0 == "-" }).map(
      String.init)
    guard let first = subtags.first, (2...8).contains(first.utf8.count), first.utf8.allSatisfy(Self.isLetter),
      first.uppercased() != "POSIX"
    else { return nil }
    language = first.lowercased()
    subtags.removeFirst()
    var script: String?
    if let next = subtags.first, next.utf8.count == 4, next.utf8.allSatisfy(Self.isLetter) {
      script = next.prefix(1).uppercased() + next.dropFirst().lowercased()
      subtags.removeFirst()
    } else if parts.count == 2 {
      script = Self.modifiers[String(parts[1])]
    }
    rest = subtags.map { $0.utf8.count <= 3 ? $0.uppercased() : $0.lowercased() }
    if script == nil, language == "zh", let region = rest.first {
      script = Self.traditional.contains(region) ? "Hant" : "Hans"
    }
    self.script = script
  }

  private init(_ language: String, _ script: String?, _ rest: [String]) {
    (self.language, self.script, self.rest) = (language, script, rest)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The identifier in the form of BCP 47. It does not contain the script of Chinese if that is the usual script of the
  /// region.
  var identifier: String {
    let isUsual = language == "zh" && !rest.isEmpty && LanguageTag([language, rest[0]].joined(separator: "-")) == self
    return ([language] + (isUsual ? [] : [script].compactMap(\.self)) + rest).joined(separator: "-")
  }

  /// This language and the languages that can replace it, from the most specific to the most general: `en-GB`, `en`.
  var chain: [LanguageTag] {
    var chain = rest.indices.reversed().map { LanguageTag(language, script, Array(rest[...$0])) }
    chain.append(LanguageTag(language, script, []))
    if script != nil, !hasOtherScript { chain.append(LanguageTag(language, nil, [])) }
    switch language {
    // Norwegian: most text in "no" is Bokmål.
    case "nb", "nn": chain.append(LanguageTag("no", nil, []))
    case "no": chain.append(LanguageTag("nb", nil, []))
    default: break
    }
    return chain
  }

  /// True if text in this language normally has another script than ``script``.
  private var hasOtherScript: Bool {
    switch language {
    case "zh": script != "Hans"
    case "sr": script != "Cyrl"
    default: false
    }
  }

  /// Returns true if the languages and scripts are the same. Ignores the regions.
  func isSameLanguage(as other: LanguageTag) -> Bool { language == other.language && script == other.script }
}
