internal import FoundationEssentials

extension PropertyList {
  /// Reads a text in the OpenStep format, the old one that is not XML, as values on a command line and strings files
  /// have it.
  ///
  /// ```swift
  /// try PropertyList(openStep: #"{ languages = (en, "pt-BR"); icon = <0fbd 777e>; }"#)
  /// ```
  ///
  /// The format has strings, arrays, dictionaries and data; a number is a string. The other kinds can be had in
  /// GNUstep's notation: `<*I5>`, `<*R1.5>`, `<*BY>`, `<*BN>`, `<*D2001-01-01 00:00:00 +0000>`, and base64 as
  /// `<[AAEC]>`. Entries without the braces around them are a dictionary, as in a strings file; so is a text of nothing
  /// but white space and comments. An entry `key;` has the key as its value.
  ///
  /// What GNUstep has no notation for is read in the forms that ``PropertyListWritingOptions/Coercion/reversible``
  /// writes: a 4-byte real `<*F1.5>`, a date in seconds since 2001-01-01T00:00:00Z `<*T0.5>`, null `<*N>`, a UID as a
  /// dictionary `{ CF$UID = <*I3>; }`, and not-a-number by its bits, `<*XR…>`, `<*XF…>` and `<*XT…>`.
  ///
  /// The grammar is that of Core Foundation (`CFOldStylePList.c`), and so is the meaning, but for what loses or makes
  /// up something. These are errors:
  ///
  /// - a key that stands twice, unless ``PropertyListReadingOptions/duplicateKeys`` says otherwise;
  /// - what is no entry behind the entries of a strings file, and a value that is cut off at the end of an array;
  /// - a comment without its end;
  /// - an octal escape above `\375`, which names no character of NeXTSTEP, `\U` without a hexadecimal digit, and a
  ///   surrogate without its partner.
  ///
  /// `\u` means what `\U` means, as in GNUstep; Core Foundation reads a letter.
  ///
  /// - Throws: ``PropertyListError`` with the line, the column, the offset in UTF-8 and the key path of what is wrong.
  /// - Complexity: O(*n*) in the length of `text`.
  public init(
    openStep text: String, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try self.init(PropertyListDocument(openStep: text, options: options).root)
  }
}

extension PropertyListDocument {
  /// Reads a text in the OpenStep format. Offsets in it are counted in bytes of UTF-8; a byte order mark at its
  /// beginning is skipped, as in a file.
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
