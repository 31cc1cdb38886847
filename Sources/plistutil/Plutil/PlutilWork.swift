import FoundationEssentials
import PropertyListTools
import PropertyLists

/// The work of a command on one of its files.
struct PlutilWork {
  let command: PlutilCommand
  let input: Input

  private var options: PlutilCommand.Options { command.options }

  func run(_ report: inout FileReport) throws(PlutilError) {
    switch command.verb {
    case .help: break
    case .lint: try lint(&report)
    case .print:
      let value = try tree(document())
      let text = try PlutilError.saying { () throws(PropertyListError) in try HumanForm().text(of: value) }
      try print(text + Data("\n".utf8), &report)
    case .convert(let format, let writesHeader):
      try write(document().root, format, writesHeader: writesHeader, &report)
    case .insert(let value, let keyPath, let insertion):
      try edit(&report) { tree throws(PlutilError) in try keyPath.insert(value, insertion, into: &tree) }
    case .remove(let keyPath):
      try edit(&report) { tree throws(PlutilError) in try keyPath.remove(from: &tree) }
    case .extract(let keyPath, let format, let expected):
      try extract(keyPath, format, expected, &report)
    case .create(let format):
      let document = try PlutilError.of { () throws(PropertyListError) in
        try PropertyListDocument(([:] as PropertyList).data(format: .binary))
      }
      try write(document.root, format, writesHeader: false, &report)
    }
  }

  private func lint(_ report: inout FileReport) throws(PlutilError) {
    let data = try data()
    if PropertyListFormat(detecting: data.bytes) == .json {
      // Apple's tool takes no JSON here. A pair of braces with nothing in it is OpenStep too.
      guard (try? PropertyListDocument(data, format: .openStep)) != nil else {
        throw PlutilError("(\(PlutilWording.jsonIsNoList(data)))")
      }
    } else {
      do throws(PropertyListError) {
        try PropertyListDocument(data).validate()
      } catch {
        throw PlutilError("(\(PlutilWording.lintText(error, in: data)))")
      }
    }
    if !options.isSilent { try print(Data("\(input.name): OK\n".utf8), &report) }
  }

  private func extract(
    _ keyPath: PlutilKeyPath, _ format: PlutilFormat, _ expected: PlutilType?, _ report: inout FileReport
  ) throws(PlutilError) {
    let node = try keyPath.value(in: document(isWhole: false).root)
    let type = PlutilType(node.kind)
    if let expected, type != expected {
      throw PlutilError(
        "Value at [\(keyPath.quoted)] expected to be \(expected.rawValue) but is \(type.rawValue)")
    }
    try write(node, format, writesHeader: false, &report)
  }

  private func edit(
    _ report: inout FileReport, _ body: (inout PropertyList) throws(PlutilError) -> Void
  ) throws(PlutilError) {
    let document = try document()
    var tree = try tree(document)
    try body(&tree)
    if document.format == .json, options.isReadable {
      let new = try PlutilError.of { () throws(PropertyListError) in
        try PropertyListDocument(tree.data(format: .binary))
      }
      return try write(new.root, .file(.json), writesHeader: false, &report)
    }
    let bytes = try refusing(document.format) { () throws(PropertyListError) in
      try document.data(updatedTo: tree, options: writingOptions(.openStep))
    }
    try put(bytes, OutputPath(of: input.path, .unchanged, options), &report)
  }
}

/// Reading.
extension PlutilWork {
  private func data(isWhole: Bool = true) throws(PlutilError) -> Data {
    do throws(PropertyListError) {
      let limit = ParsingLimits().inputSize
      return try isWhole ? input.data(limit: limit) : input.mappedData(limit: limit)
    } catch {
      throw PlutilError(PlutilWording.text(error, path: input.path))
    }
  }

  /// - Parameter isWhole: whether all of it is read and checked, or of a binary file only what is looked at.
  private func document(isWhole: Bool = true) throws(PlutilError) -> PropertyListDocument {
    let data = try data(isWhole: isWhole)
    do throws(PropertyListError) {
      let document = try PropertyListDocument(
        data, options: PropertyListReadingOptions(restoresCoercedValues: options.coerces))
      if isWhole { try document.validate() }
      return document
    } catch {
      throw PlutilError(PlutilWording.text(error, in: data))
    }
  }

  private func tree(_ document: PropertyListDocument) throws(PlutilError) -> PropertyList {
    try PlutilError.of { () throws(PropertyListError) in try PropertyList(document.root) }
  }
}

/// Writing.
extension PlutilWork {
  private func writingOptions(_ dialect: PropertyListWritingOptions.OpenStepDialect) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse,
      coercion: options.coerces ? .reversible : .refuse, openStepDialect: dialect)
  }

  /// Writes a value in a format, where it is to go.
  private func write(
    _ node: PropertyListDocument.Node, _ format: PlutilFormat, writesHeader: Bool, _ report: inout FileReport
  ) throws(PlutilError) {
    let target = OutputPath(of: input.path, format, options)
    switch format {
    case .file(let format, let dialect): try write(node, format, dialect, target, &report)
    case .unchanged: try write(node, node.document.format, .openStep, target, &report)
    case .raw: try putLine(RawForm.text(of: node), target, &report)
    case .type: try putLine(PlutilType(node.kind).rawValue, target, &report)
    case .swift:
      let value = try tree(of: node)
      let source = try PlutilError.saying { () throws(PropertyListError) in
        try SwiftLiteral.source(of: value, from: input.path)
      }
      try put(source, target, &report)
    case .objectiveC:
      try writeObjectiveC(tree(of: node), writesHeader: writesHeader, target, &report)
    }
  }

  private func tree(of node: PropertyListDocument.Node) throws(PlutilError) -> PropertyList {
    try PlutilError.of { () throws(PropertyListError) in try PropertyList(node) }
  }

  private func write(
    _ node: PropertyListDocument.Node, _ format: PropertyListFormat,
    _ dialect: PropertyListWritingOptions.OpenStepDialect, _ target: OutputPath, _ report: inout FileReport
  ) throws(PlutilError) {
    var writing = writingOptions(dialect)
    writing.isCompact = format == .json
    if format == .xml { writing.fractionalSeconds = .drop }
    let fraction = try write(node, format, writing, target, &report)
    // As in all of the tool, fractions of seconds are not dropped in silence.
    if fraction != nil, format == .xml, !options.isSilent {
      report.note("\(input.name): warning: dates are cut to whole seconds")
    }
  }

  /// - Returns: the path of the first date that has a fraction of a second.
  private func write(
    _ node: PropertyListDocument.Node, _ format: PropertyListFormat, _ writing: PropertyListWritingOptions,
    _ target: OutputPath, _ report: inout FileReport
  ) throws(PlutilError) -> PropertyListKeyPath? {
    if format != .json, case .file(let path) = target {
      // Piece by piece, which takes no memory for large files.
      return try refusing(format) { () throws(PropertyListError) in
        var fraction: PropertyListKeyPath?
        try report.replace(path) { output throws(PropertyListError) in
          fraction = try node.write(to: output, format: format, options: writing)
        }
        return fraction
      }
    }
    let (data, fraction) = try refusing(format) { () throws(PropertyListError) in
      try node.written(format: format, options: writing)
    }
    if format != .json {
      try put(data, target, &report)
    } else if options.isReadable {
      let value = try tree(of: node)
      let text = try PlutilError.saying { () throws(PropertyListError) in
        try ReadableJSON(options: writing).text(of: value)
      }
      try put(text, target, &report)
    } else {
      // JSON of Apple's tool ends without a line end.
      try put(data.dropLast(), target, &report)
    }
    return fraction
  }

  private func refusing<Result>(
    _ format: PropertyListFormat, _ body: () throws(PropertyListError) -> Result
  ) throws(PlutilError) -> Result {
    do throws(PropertyListError) {
      return try body()
    } catch {
      guard error.kind == .notRepresentable else { throw PlutilError("(\(error.description))") }
      let name =
        switch format {
        case .json: "JSON"
        case .openStep: "OpenStep"
        default: "property list"
        }
      throw PlutilError("Invalid object in plist for \(name) format: \(error.detail)")
    }
  }

  private func writeObjectiveC(
    _ value: PropertyList, writesHeader: Bool, _ target: OutputPath, _ report: inout FileReport
  ) throws(PlutilError) {
    var header: String?
    if case .file(let path) = target { header = OutputPath.withoutExtension(path) + ".h" }
    let source = try PlutilError.saying { () throws(PropertyListError) in
      try ObjectiveCLiteral.source(
        of: value, from: input.path, header: header?.split(separator: "/").last.map(String.init))
    }
    try put(source, target, &report)
    guard writesHeader, let header else { return }
    let declaration = try PlutilError.saying { () throws(PropertyListError) in
      try ObjectiveCLiteral.header(of: value, from: input.path)
    }
    try put(declaration, .file(header), &report)
  }

  /// Text that ends with a line end where people and shells read it, unless they want none.
  private func putLine(_ text: String, _ target: OutputPath, _ report: inout FileReport) throws(PlutilError) {
    guard target == .standardOutput else { return try put(Data(text.utf8), target, &report) }
    try print(Data((text.onStandardOutput + (options.endsWithNewline ? "\n" : "")).utf8), &report)
  }

  private func put(_ data: Data, _ target: OutputPath, _ report: inout FileReport) throws(PlutilError) {
    switch target {
    case .standardOutput: try print(data, &report)
    case .file(let path):
      do throws(PropertyListError) {
        try report.replace(path, with: data)
      } catch {
        throw PlutilError("(\(error.message.printable()))")
      }
    }
  }

  private func print(_ data: Data, _ report: inout FileReport) throws(PlutilError) {
    try PlutilError.of { () throws(PropertyListError) in try report.write(data) }
  }
}
