/// Functions that write reals and dates, including those that GNUstep's notation cannot express.
///
/// | value | reversible form | plain form |
/// |---|---|---|
/// | real | `<*R1.5>` | `1.5` |
/// | 4-byte real | `<*F1.5>` | `1.5` |
/// | date | `<*D2001-01-01 00:00:00 +0000>` | `"2001-01-01T00:00:00Z"` |
/// | date with a fraction of a second, or in an unsupported year | `<*T0.5>`: seconds since 2001 | |
/// | not a number, with a sign or other unusual bits | `<*XR…>`, `<*XF…>`, `<*XT…>`: its bits | `nan` |
///
/// GNUstep's reader supports I, R, B and D, and refuses other letters.
extension OpenStepWriter {
  mutating func appendReal(_ value: Double) throws(PropertyListError) {
    guard isTyped else { return try appendPlainReal(value.description) }
    if options.coercion == .reversible, value.isNaN, value.bitPattern != Double.nan.bitPattern {
      appendBits(value.bitPattern, "<*XR")
    } else {
      appendTyped("<*R", value.isNaN ? "nan" : value.description)
    }
  }

  mutating func appendFloat(_ value: Float) throws(PropertyListError) {
    guard options.coercion == .reversible else {
      // Written as an 8-byte real of the same value, as in XML.
      return isTyped ? try appendReal(Double(value)) : try appendPlainReal(value.description)
    }
    if value.isNaN, value.bitPattern != Float.nan.bitPattern {
      appendBits(value.bitPattern, "<*XF")
    } else {
      appendTyped("<*F", value.description)
    }
  }

  private mutating func appendPlainReal(_ text: String) throws(PropertyListError) {
    guard options.coercion == .plain else { throw Self.refusal("reals") }
    appendWord(text.contains("nan") ? "nan" : text)
  }

  mutating func appendDate(_ seconds: Double) throws(PropertyListError) {
    guard isTyped || options.coercion == .plain else { throw Self.refusal("dates") }
    var text = ByteBuffer()
    let isWhole = seconds == seconds.rounded(.down) && seconds.bitPattern != (-0.0).bitPattern
    if isWhole || options.coercion != .reversible, DateText.append(seconds, to: &text) {
      guard isWhole || seconds == 0 || options.fractionalSeconds == .drop else {
        throw Self.refusal(PropertyListError.fractions)
      }
      append(dateText: text.bytes)
    } else if options.coercion == .reversible {
      if seconds.isNaN, seconds.bitPattern != Double.nan.bitPattern {
        appendBits(seconds.bitPattern, "<*XT")
      } else {
        appendTyped("<*T", seconds.description)
      }
    } else {
      throw Self.refusal(date: seconds)
    }
  }

  /// Appends a date.
  ///
  /// - Parameter text: `YYYY-MM-DDThh:mm:ssZ`.
  private mutating func append(dateText text: RawSpan) {
    guard isTyped else {
      output.append("\"")
      output.append(text)
      output.append("\"")
      return
    }
    let time = text.byteCount - 9
    output.append("<*D")
    output.append(text.extracting(0..<time - 1))
    output.append(" ")
    output.append(text.extracting(time..<time + 8))
    output.append(" +0000>")
  }

  mutating func appendTyped(_ opening: StaticString, _ value: String) {
    output.append(opening)
    output.append(value.utf8Span.rawBytes)
    output.append(">")
  }

  private mutating func appendBits<Bits: FixedWidthInteger>(_ bits: Bits, _ opening: StaticString) {
    output.append(opening)
    for shift in stride(from: Bits.bitWidth - 8, through: 0, by: -8) {
      output.append(hexadecimal: UInt8(truncatingIfNeeded: bits >> Bits(shift)))
    }
    output.append(">")
  }
}
