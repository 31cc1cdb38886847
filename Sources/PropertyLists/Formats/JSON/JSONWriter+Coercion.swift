/// The values that JSON has no form for.
///
/// | value | ``PropertyListWritingOptions/Coercion/reversible`` | ``PropertyListWritingOptions/Coercion/plain`` |
/// |---|---|---|
/// | date | `{"$date": "2001-01-01T00:00:00.5Z"}` | `"2001-01-01T00:00:00Z"` |
/// | date that has no such text | `{"$date": 1e+300}`, `{"$date": "nan"}` | an error |
/// | data | `{"$data": "AAEC"}` | `"AAEC"` |
/// | UID | `{"CF$UID": 3}` | `3` |
/// | 4-byte real | `{"$float": 0.1}`, `{"$float": "inf"}` | `0.10000000149011612` |
/// | not-a-number, infinities | `{"$real": "nan"}` | `"nan"`, `"inf"`, `"-inf"` |
extension JSONWriter {
  /// - Parameter body: writes the one value of the form.
  private mutating func form(_ form: CoercedForm, _ body: (inout ByteBuffer) -> Void) {
    beginValue()
    output.append("{")
    output.append(form.key)
    appendColon()
    body(&output)
    output.append("}")
  }

  private static func append(quoted text: String, to buffer: inout ByteBuffer) {
    buffer.append("\"")
    buffer.append(text.utf8Span.rawBytes)
    buffer.append("\"")
  }

  /// - Parameter text: a real that is no number, with all that there is to it.
  mutating func special(_ text: String) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal(text.hasSuffix("inf") ? "infinity" : "NaN")
    case .reversible: form(.real) { Self.append(quoted: text, to: &$0) }
    case .plain:
      beginValue()
      Self.append(quoted: text.hasPrefix("nan") ? "nan" : text, to: &output)
    }
  }

  mutating func float(_ value: Float) throws(PropertyListError) {
    guard options.coercion == .reversible else { return try real(Double(value)) }
    form(.float) { buffer in
      if value.isFinite {
        buffer.append(value.description.utf8Span.rawBytes)
      } else {
        Self.append(quoted: SpecialReal.text(of: value), to: &buffer)
      }
    }
  }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal("dates")
    case .reversible: form(.date) { Self.append(exactDate: seconds, to: &$0) }
    case .plain:
      beginValue()
      output.append("\"")
      try Self.append(date: seconds, options, to: &output)
      output.append("\"")
    }
  }

  private static func append(exactDate seconds: Double, to buffer: inout ByteBuffer) {
    guard seconds.isFinite else { return append(quoted: SpecialReal.text(of: seconds), to: &buffer) }
    var text = ByteBuffer()
    if DateText.appendExact(seconds, to: &text) {
      buffer.append("\"")
      buffer.append(text.bytes)
      buffer.append("\"")
    } else {
      buffer.append(seconds.description.utf8Span.rawBytes)
    }
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal("data")
    case .reversible:
      beginValue()
      output.append("{")
      output.append(CoercedForm.data.key)
      appendColon()
      output.append("\"")
      Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
      output.append("\"}")
    case .plain:
      beginValue()
      output.append("\"")
      Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
      output.append("\"")
    }
  }

  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal("UIDs")
    case .reversible: form(.uid) { $0.append(decimal: value) }
    case .plain:
      beginValue()
      output.append(decimal: value)
    }
  }
}
