/// A set of Unicode scalars, as written in a regular expression in square brackets or after a backslash.
indirect enum ScalarSet: Hashable, Sendable {
  case ranges([ClosedRange<UInt32>])
  case categories(Set<Unicode.GeneralCategory>)
  case alphabetic, uppercase, lowercase, whitespace
  case union([ScalarSet])
  case intersection([ScalarSet])
  case inverse(ScalarSet)
  /// The set, extended by the other case of each member.
  case foldingCase(ScalarSet)

  static let digit = ScalarSet.categories([.decimalNumber])
  /// The set of ICU's `\w` (UTS 18).
  static let word = ScalarSet.union([
    .ranges([48...57, 65...90, 95...95, 97...122, 0x200C...0x200D]), .alphabetic,
    .categories([.nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation]),
  ])
  static let horizontalSpace = ScalarSet.union([.categories([.spaceSeparator]), .ranges([9...9])])
  static let lineEnd = ScalarSet.ranges([10...13, 0x85...0x85, 0x2028...0x2029])

  static func endsLine(_ scalar: UInt32) -> Bool {
    (10...13).contains(scalar) || scalar == 0x85 || scalar == 0x2028 || scalar == 0x2029
  }

  /// Returns the lowercase mapping of a scalar if that is one scalar, else the scalar itself.
  static func folded(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return (65...90).contains(scalar) ? scalar | 0x20 : scalar }
    return mapped(scalar, \.lowercaseMapping) ?? scalar
  }

  private static func mapped(_ scalar: UInt32, _ mapping: (Unicode.Scalar.Properties) -> String) -> UInt32? {
    guard let properties = Unicode.Scalar(scalar)?.properties else { return nil }
    let mapped = mapping(properties).unicodeScalars
    return mapped.count == 1 ? mapped.first?.value : nil
  }

  func contains(_ scalar: UInt32) -> Bool {
    switch self {
    case .ranges(let ranges): return ranges.contains { $0.contains(scalar) }
    case .categories(let categories):
      return Unicode.Scalar(scalar).map { categories.contains($0.properties.generalCategory) } ?? false
    case .alphabetic: return Unicode.Scalar(scalar)?.properties.isAlphabetic ?? false
    case .uppercase: return Unicode.Scalar(scalar)?.properties.isUppercase ?? false
    case .lowercase: return Unicode.Scalar(scalar)?.properties.isLowercase ?? false
    case .whitespace: return Unicode.Scalar(scalar)?.properties.isWhitespace ?? false
    case .union(let sets): return sets.contains { $0.contains(scalar) }
    case .intersection(let sets): return sets.allSatisfy { $0.contains(scalar) }
    case .inverse(let set): return !set.contains(scalar)
    case .foldingCase(let set):
      if set.contains(scalar) { return true }
      if let lower = Self.mapped(scalar, \.lowercaseMapping), lower != scalar, set.contains(lower) { return true }
      if let upper = Self.mapped(scalar, \.uppercaseMapping), upper != scalar, set.contains(upper) { return true }
      return false
    }
  }

  /// Creates the set of `\p{…}` or `[:…:]` from its name. A name after `^` means the inverse.
  init?(property text: String) {
    let isInverse = text.hasPrefix("^")
    guard let set = ScalarSet(named: isInverse ? String(text.dropFirst()) : text) else { return nil }
    self = isInverse ? .inverse(set) : set
  }

  /// Creates the set with a name: the long or short name of a general category, or one of the supported properties.
  private init?(named name: String) {
    let name = name.lowercased().filter { $0 != "_" && $0 != " " && $0 != "-" }
    let value = name.split(separator: "=").last.map(String.init) ?? name
    switch value {
    case "any": self = .ranges([0...0x10FFFF])
    case "ascii": self = .ranges([0...0x7F])
    case "alphabetic", "alpha": self = .alphabetic
    case "uppercase", "upper": self = .uppercase
    case "lowercase", "lower": self = .lowercase
    case "whitespace", "space", "wspace": self = .whitespace
    case "digit": self = .digit
    case "alnum": self = .union([.alphabetic, .digit])
    case "word": self = .word
    case "blank": self = .horizontalSpace
    case "cntrl": self = .categories([.control])
    case "punct": self = .categories(Self.punctuation)
    case "xdigit": self = .ranges([48...57, 65...70, 97...102])
    case "graph": self = .inverse(.union([.whitespace, .categories([.control, .surrogate, .unassigned])]))
    case "print":
      self = .inverse(.categories([.control, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator]))
    default:
      guard let categories = Self.categories[value] else { return nil }
      self = .categories(categories)
    }
  }

  private static let punctuation: Set<Unicode.GeneralCategory> = [
    .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
    .finalPunctuation, .otherPunctuation,
  ]

  private static let categories: [String: Set<Unicode.GeneralCategory>] = {
    let cased: Set<Unicode.GeneralCategory> = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
    let letters = cased.union([.modifierLetter, .otherLetter])
    let marks: Set<Unicode.GeneralCategory> = [.nonspacingMark, .spacingMark, .enclosingMark]
    let numbers: Set<Unicode.GeneralCategory> = [.decimalNumber, .letterNumber, .otherNumber]
    let symbols: Set<Unicode.GeneralCategory> = [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
    let separators: Set<Unicode.GeneralCategory> = [.spaceSeparator, .lineSeparator, .paragraphSeparator]
    let others: Set<Unicode.GeneralCategory> = [.control, .format, .surrogate, .privateUse, .unassigned]
    return [
      "l": letters, "letter": letters, "lc": cased, "casedletter": cased, "m": marks, "mark": marks, "n": numbers,
      "number": numbers, "p": punctuation, "punctuation": punctuation, "s": symbols, "symbol": symbols,
      "z": separators, "separator": separators, "c": others, "other": others,
      "lu": [.uppercaseLetter], "uppercaseletter": [.uppercaseLetter], "ll": [.lowercaseLetter],
      "lowercaseletter": [.lowercaseLetter], "lt": [.titlecaseLetter], "lm": [.modifierLetter], "lo": [.otherLetter],
      "mn": [.nonspacingMark], "mc": [.spacingMark], "me": [.enclosingMark], "nd": [.decimalNumber],
      "decimalnumber": [.decimalNumber], "nl": [.letterNumber], "no": [.otherNumber], "pc": [.connectorPunctuation],
      "pd": [.dashPunctuation], "ps": [.openPunctuation], "pe": [.closePunctuation], "pi": [.initialPunctuation],
      "pf": [.finalPunctuation], "po": [.otherPunctuation], "sm": [.mathSymbol], "sc": [.currencySymbol],
      "sk": [.modifierSymbol], "so": [.otherSymbol], "zs": [.spaceSeparator], "zl": [.lineSeparator],
      "zp": [.paragraphSeparator], "cc": [.control], "cf": [.format], "cs": [.surrogate], "co": [.privateUse],
      "cn": [.unassigned],
    ]
  }()
}
