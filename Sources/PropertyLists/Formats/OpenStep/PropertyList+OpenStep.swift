internal import FoundationEssentials

extension PropertyList {
  /// Reads a text in the OpenStep format, the old text format of strings files and of values on command lines.
  ///
  /// ```swift
  /// let list = try PropertyList(openStep: #"{ languages = (en, "pt-BR"); icon = <0fbd 777e>; }"#)
  /// let strings = try PropertyList(openStep: #""Cancel" = "Abbrechen";"#)   // ["Cancel": "Abbrechen"]
  /// ```
  ///
  /// The format has strings, arrays, dictionaries and data; a number is a string. GNUstep's notation adds other kinds:
  /// `<*I5>`, `<*R1.5>`, `<*BY>`, `<*BN>`, `<*D2001-01-01 00:00:00 +0000>`, and base64 as `<[AAEC]>`. Entries without
  /// braces are a dictionary, as in a strings file; so is a text that has only white space and comments. An entry
  /// `key;` has the key as its value.
  ///
  /// Kinds without a GNUstep notation are read in the forms that ``PropertyListWritingOptions/Coercion/reversible``
  /// writes: a 4-byte real `<*F1.5>`, a date in seconds since 2001-01-01T00:00:00Z `<*T0.5>`, null `<*N>`, a UID as a
  /// dictionary `{ CF$UID = <*I3>; }`, and NaN by its bits, `<*XR…>`, `<*XF…>` and `<*XT…>`.
  ///
  /// The grammar and its meaning are those of Core Foundation (`CFOldStylePList.c`), except where Core Foundation loses
  /// or invents content. These are errors:
  ///
  /// - a key that occurs twice, unless ``PropertyListReadingOptions/duplicateKeys`` allows it;
  /// - text that is not an entry after the entries of a strings file, and an incomplete value at the end of an array;
  /// - an unterminated comment;
  /// - an octal escape above `\375`, which is not a character of NeXTSTEP, `\U` without a hexadecimal digit, and an
  ///   unpaired surrogate.
  ///
  /// `\u` means the same as `\U`, as in GNUstep; Core Foundation reads it as the letter.
  ///
  /// - Throws: ``PropertyListError`` with the line, column, UTF-8 offset and key path of the error.
  /// - Complexity: O(*n*) in the length of `text`.
  public init(
    openStep text: String, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try self.init(PropertyListDocument(openStep: text, options: options).root)
  }
}

extension PropertyListDocument {
  /// Reads a text in the OpenStep format. Offsets are counted in bytes of UTF-8. A byte order mark at the beginning is
  /// skipped, as in a file.
  convenience init(openStep text: String, options: PropertyListReadingOptions) throws(PropertyListError) {
    let bytes = text.utf8
    try options.limits.check(inputSize: bytes.count)
    let markLength = bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0
    let source = TextSource(text: Data(bytes.dropFirst(markLength)), start: markLength)
    guard !source.text.isEmpty else { throw TextSource.empty }
    var defects = DefectLog.first
    self.init(try OpenStepTokenReader.read(source, options, &defects), .openStep, options)
  }
}
