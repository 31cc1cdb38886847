@_spi(_Unicode) internal import Swift

/// The effect of a comparison's options on strings.
///
/// Strings are compared by canonical equivalence: `é` equals `e` with a combining accent. Case-insensitive comparison
/// uses Unicode case folding, the same for all languages: `ß` equals `ss`, the ligature `ﬁ` equals `fi`, and the
/// Turkish `ı` is a separate letter. Diacritic-insensitive comparison removes the combining marks of the decomposed
/// string. Letters without a decomposition, such as `ø`, do not change. `[l]` changes only the order of strings: see
/// ``OrderedText``.
@usableFromInline
package struct TextRules: Hashable, Sendable {
  package let foldsCase: Bool
  package let foldsMarks: Bool
  /// True if strings are compared without any folding or normalization.
  package let isLiteral: Bool

  @usableFromInline package init(_ options: PredicateOptions) {
    isLiteral = options.contains(.normalized)
    foldsCase = options.contains(.caseInsensitive) && !isLiteral
    foldsMarks = options.contains(.diacriticInsensitive) && !isLiteral
  }

  /// Returns a form of a string that is the same for strings that differ only in case and diacritics.
  @usableFromInline static func canonical(_ text: String) -> String {
    TextRules([.caseInsensitive, .diacriticInsensitive]).folded(text)
  }

  /// A bit that is set in the first scalar of each character.
  package static let boundary: UInt32 = 1 << 31

  /// Returns true if a character begins at an index, or if the index is the end of the text.
  @inline(__always)
  static func isBoundary(_ index: Int, in units: [UInt32]) -> Bool {
    index == units.count || units[index] & boundary != 0
  }

  /// Returns the folded scalars of a string, with ``boundary`` set in the first one of each character.
  package func units(of text: String) -> [UInt32] {
    var units: [UInt32] = []
    units.reserveCapacity(text.utf8.count)
    for character in text {
      if character == "\r\n" {
        units.append(13 | Self.boundary)
        units.append(10 | Self.boundary)
        continue
      }
      let start = units.count
      append(character, to: &units)
      if start < units.count { units[start] |= Self.boundary }
    }
    return units
  }

  private func append(_ character: Character, to units: inout [UInt32]) {
    if let value = character.asciiValue {
      units.append(UInt32(folded(value)))
    } else if isLiteral {
      units.append(contentsOf: character.unicodeScalars.lazy.map(\.value))
    } else {
      for scalar in String(character)._nfd {
        if foldsMarks, scalar.properties.canonicalCombiningClass != .notReordered { continue }
        if foldsCase { Self.appendCaseFolded(scalar, to: &units) } else { units.append(scalar.value) }
      }
    }
  }

  @inline(__always)
  package func folded(_ byte: UInt8) -> UInt8 { foldsCase && (65...90).contains(byte) ? byte | 0x20 : byte }

  /// Appends the case-folded form of a scalar. Uppercasing first unifies letters that have several lowercase forms, and
  /// expands `ß` and ligatures.
  private static func appendCaseFolded(_ scalar: Unicode.Scalar, to units: inout [UInt32]) {
    if scalar.isASCII || scalar == "\u{131}" {
      units.append((65...90).contains(scalar.value) ? scalar.value | 0x20 : scalar.value)
      return
    }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        for folded in upper.properties.lowercaseMapping.unicodeScalars { units.append(folded.value) }
      }
    }
  }

  /// Returns the folded scalars of a string, without ``boundary``. If ``FoldedText/isEqual(to:)`` is true for two
  /// strings, their results are equal.
  package func foldedUnits(of text: String) -> [UInt32] {
    let bytes = text.utf8Span.span
    if bytes.isASCII { return bytes.indices.map { UInt32(folded(bytes[$0])) } }
    return units(of: text).map { $0 & ~Self.boundary }
  }

  /// Returns the string in its folded form.
  package func folded(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for unit in units(of: text) {
      if let scalar = Unicode.Scalar(unit & ~Self.boundary) { folded.append(scalar) }
    }
    return String(folded)
  }
}
