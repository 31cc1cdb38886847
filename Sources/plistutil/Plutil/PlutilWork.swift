import FoundationEssentials
import PropertyListTools
import PropertyLists
import SystemFiles
import ToolSupport

/// The work of a command on one file. Its functions throw ``PlutilError``, and errors of the libraries.
struct PlutilWork {
  let command: PlutilCommand
  let input: Input

  private var options: PlutilCommand.Options { command.options }

  /// True if the output replaces the file itself.
  var replacesInput: Bool {
    let format: PlutilFormat
    switch command.verb {
    case .help, .lint, .print, .create: return false
    case .convert(let name, _), .extract(_, let name, _): format = name
    case .insert, .remove: format = .unchanged
    }
    guard case .file(let path) = target(format) else { return false }
    return path == input.path || FileSystem.isSameFile(path, input.path)
  }

  func run(_ report: inout FileReport) throws {
    switch command.verb {
    case .help: break
    case .lint: try lint(&report)
    case .print:
      let value = try PropertyList(document(&report).root)
      try report.write(HumanForm().text(of: value) + Data("\n".utf8))
    case .convert(let format, let writesHeader):
      try write(document(&report).root, format, writesHeader: writesHeader, &report)
    case .insert(let value, let keyPath, let insertion):
      try edit(&report) { tree in try keyPath.insert(value, insertion, into: &tree) }
    case .remove(let keyPath): try edit(&report) { tree in try keyPath.remove(from: &tree) }
    case .extract(let keyPath, let format, let expected): try extract(keyPath, format, expected, &report)
    case .create(let format): try write(Self.document(of: [:]).root, format, &report)
    }
  }

  private func lint(_ report: inout FileReport) throws {
    let data = try data()
    if PropertyListFormat(detecting: data.bytes) == .json {
      // Apple's tool does not accept JSON here. An empty pair of braces is also OpenStep.
      guard (try? PropertyListDocument(data, format: .openStep)) != nil else {
        throw PlutilError("(\(PlutilWording.jsonIsNoList(data)))")
      }
    } else {
      do {
        _ = try RepeatedKeys.document(data, of: input, format: nil, PropertyListReadingOptions()) { report.note($0) }
      } catch {
        throw PlutilError("(\(PlutilWording.lintText(error, in: data)))")
      }
    }
    if !options.isSilent { try report.line("\(input.name): OK") }
  }

  private func extract(
    _ keyPath: PlutilKeyPath, _ format: PlutilFormat, _ expected: PropertyList.Kind?, _ report: inout FileReport
  ) throws {
    let node = try keyPath.value(in: document(isWhole: false, &report).root)
    if let expected, node.kind != expected {
      throw PlutilError(
        "Value at [\(keyPath.quoted)] expected to be \(expected.plutilName) but is \(node.kind.plutilName)")
    }
    try write(node, format, &report)
  }

  private func edit(_ report: inout FileReport, _ body: (inout PropertyList) throws -> Void) throws {
    let document = try document(&report)
    var tree = try PropertyList(document.root)
    try body(&tree)
    if document.format == .json, options.isReadable {
      return try write(Self.document(of: tree).root, .file(FormatName(.json)), &report)
    }
    let bytes = try refusing(document.format) { () throws(PropertyListError) in
      try document.data(updatedTo: tree, options: writingOptions(.openStep))
    }
    try put(bytes, target(.unchanged), &report)
  }

  private func data(isWhole: Bool = true) throws(PlutilError) -> Data {
    do { return try isWhole ? input.data() : input.mappedData() } catch {
      throw PlutilError(PlutilWording.text(error, path: input.path))
    }
  }

  /// Opens the document in the file.
  ///
  /// - Parameter isWhole: true to read and validate the whole document; false to read only the values of a binary file
  ///   that are used.
  private func document(isWhole: Bool = true, _ report: inout FileReport) throws(PlutilError) -> PropertyListDocument {
    let data = try data(isWhole: isWhole)
    let reading = PropertyListReadingOptions(restoresCoercedValues: options.coerces)
    do {
      return try RepeatedKeys.document(data, of: input, format: nil, reading, isWhole: isWhole) { report.note($0) }
    } catch {
      throw PlutilError(PlutilWording.text(error, in: data))
    }
  }

  private static func document(of value: PropertyList) throws(PropertyListError) -> PropertyListDocument {
    try PropertyListDocument(value.data(format: .binary))
  }

  private func target(_ format: PlutilFormat) -> OutputTarget {
    if let output = options.outputPath { return output == "-" ? .standardOutput : .file(output) }
    if input.isStandard || format.isForStandardOutput { return .standardOutput }
    guard let newExtension = options.outputExtension ?? format.fileExtension else { return .file(input.path) }
    return .file("\(input.path.withoutPathExtension).\(newExtension)")
  }

  private func writingOptions(_ dialect: PropertyListWritingOptions.OpenStepDialect) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse,
      coercion: options.coerces ? .reversible : .refuse, openStepDialect: dialect)
  }

  /// Writes a value in a format, to its destination.
  private func write(
    _ node: PropertyListDocument.Node, _ format: PlutilFormat, writesHeader: Bool = false, _ report: inout FileReport
  ) throws {
    let target = target(format)
    switch format {
    case .file(let name): try write(node, name, target, &report)
    case .unchanged: try write(node, FormatName(node.document.format), target, &report)
    case .raw: try putLine(rawText(of: node), target, &report)
    case .type: try putLine(node.kind.plutilName, target, &report)
    case .swift: try put(SwiftLiteral.source(of: PropertyList(node), from: input.path), target, &report)
    case .objectiveC: try writeObjectiveC(PropertyList(node), writesHeader: writesHeader, target, &report)
    }
  }

  private func rawText(of node: PropertyListDocument.Node) throws(PropertyListError) -> String {
    switch node.kind {
    case .array: return String(node.count)
    case .dictionary: return try node.keys.sorted(by: NaturalOrder.precedes).joined(separator: "\n")
    case .real: return FixedPoint.text(node.real ?? 0)
    default: return try PropertyList(node).rawText ?? ""
    }
  }

  private func write(
    _ node: PropertyListDocument.Node, _ name: FormatName, _ target: OutputTarget, _ report: inout FileReport
  ) throws {
    let format = name.format
    var writing = writingOptions(name.dialect)
    writing.isCompact = format == .json
    if format == .xml { writing.fractionalSeconds = .drop }
    try refusing(format) { () throws(PropertyListError) in try writing.checkStrings(in: node) }
    var fraction: PropertyListKeyPath?
    if format != .json, case .file(let path) = target {
      // Writes piece by piece, so that large files need little memory.
      try refusing(format) { () throws(PropertyListError) in
        try report.replace(path) { output throws(PropertyListError) in
          fraction = try node.write(to: output, format: format, options: writing)
        }
      }
    } else {
      var data = Data()
      try refusing(format) { () throws(PropertyListError) in
        (data, fraction) = try node.written(format: format, options: writing)
      }
      if format == .json {
        // Apple's tool writes JSON without a newline at the end.
        data = options.isReadable ? try ReadableJSON(options: writing).text(of: PropertyList(node)) : data.dropLast()
      }
      try put(data, target, &report)
    }
    // Fractions of seconds are dropped with a warning, as everywhere in this tool.
    if fraction != nil, format == .xml, !options.isSilent {
      report.note("\(input.name): warning: dates are cut to whole seconds")
    }
  }

  private func refusing<Result>(
    _ format: PropertyListFormat, _ body: () throws(PropertyListError) -> Result
  ) throws(PlutilError) -> Result {
    do { return try body() } catch {
      guard error.kind == .notRepresentable else { throw PlutilError(error) }
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
    _ value: PropertyList, writesHeader: Bool, _ target: OutputTarget, _ report: inout FileReport
  ) throws {
    var header: String?
    if case .file(let path) = target { header = path.withoutPathExtension + ".h" }
    let headerName = header?.split(separator: "/").last.map(String.init)
    try put(ObjectiveCLiteral.source(of: value, from: input.path, header: headerName), target, &report)
    guard writesHeader, let header else { return }
    try put(ObjectiveCLiteral.header(of: value, from: input.path), .file(header), &report)
  }

  /// Writes text. On standard output, a newline follows it, unless `-n` is given.
  private func putLine(_ text: String, _ target: OutputTarget, _ report: inout FileReport) throws {
    let isPrinted = target == .standardOutput
    let text = isPrinted ? text.onStandardOutput + (options.endsWithNewline ? "\n" : "") : text
    try put(Data(text.utf8), target, &report)
  }

  private func put(_ data: Data, _ target: OutputTarget, _ report: inout FileReport) throws {
    switch target {
    case .standardOutput:
      if options.outputPath == nil, data.starts(with: Data("bplist".utf8)) { try Console.refuseBinary() }
      try report.write(data)
    case .file(let path):
      do { try report.replace(path, with: data) } catch { throw PlutilError("(\(error.message.printable()))") }
    }
  }
}
