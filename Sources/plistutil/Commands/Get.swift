internal import ArchiveViews
import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists
import Synchronization
import SystemFiles
import ToolSupport

struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "get",
    abstract: "Print or extract the value at a path.",
    discussion: """
      Without --format, a string, number, date or data is printed as plain text, for scripts, and a container as by \
      print. For several files, each line begins with the name of the file, as in grep. In a binary file, only the \
      values on the path are read, however large the file is.

      For several values, repeat --key; then all arguments are files. The values are printed in that order, each on \
      its own line. If one is missing, nothing is printed for the file, unless --default gives a text to print \
      instead. With --raw0, each value ends with a NUL, so that values may have several lines.

      With --unwrap, a path can continue inside archives that are nested in data: through objects by their keys, and \
      through collections by the indices and keys of their elements.

      \(KeyPathHelp.text)

      Examples:
        plistutil get CFBundleVersion Info.plist
        plistutil get --expect array -f json items.0.tags Data.plist
        plistutil get 'CFBundleURLTypes.0.com\\.example' -r Payload/
        plistutil get -k CFBundleIdentifier -k CFBundleVersion --default unknown Info.plist
        plistutil get items.-1 --raw0 Data.plist
        plistutil get --unwrap Settings.color.NSRGB Preferences.plist
      """,
    aliases: ["extract"])

  @Argument(help: ArgumentHelp("The path of the value. With --key, a file.", valueName: "path"))
  var first: String?

  @OptionGroup var files: FileArguments

  @Option(
    name: [.customShort("k"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The path of a value; can be repeated. With --key, all arguments are files.", valueName: "path"))
  var key: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Print TEXT if there is nothing at a path, instead of failing.", valueName: "text"))
  var `default`: String?

  @Flag(help: "End each value with a NUL instead of a newline.")
  var raw0 = false

  @Option(name: .shortAndLong, help: ArgumentHelp("Write the value as a file of this format.", valueName: "format"))
  var format: FormatName?

  @OptionGroup var expected: ExpectedKind

  @Flag(name: [.customShort("n"), .customLong("no-newline")], help: "Print no newline after the text.")
  var omitsNewline = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file, with the value.")
  var isForMachines = false

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var writing: WritingArguments
  @OptionGroup var destination: Destination

  func validate() throws {
    if first == nil, key.isEmpty { throw ValidationError("No path is given.") }
    for text in key.isEmpty ? [first ?? ""] : key { _ = try PropertyListKeyPath.argument(text) }
    if destination.inPlace, format == nil {
      throw ValidationError("--in-place would replace the property list with text; use it with --format.")
    }
    if isForMachines, format != nil { throw ValidationError("--json cannot be combined with --format.") }
    if isForMachines, destination.writesFiles {
      throw ValidationError("--json works only without --outfile, --in-place, --outfolder and --extension.")
    }
    if format != nil {
      if key.count > 1 { throw ValidationError("--format writes one value, and works only with one path.") }
      if `default` != nil { throw ValidationError("--default cannot be combined with --format.") }
    }
    if raw0, format != nil || isForMachines {
      throw ValidationError("--raw0 cannot be combined with --format or --json.")
    }
    if omitsNewline, raw0 || key.count > 1 {
      throw ValidationError("--no-newline works only with one path, and not with --raw0.")
    }
    if !key.isEmpty, first == "-", files.files.contains("-") { throw Input.readTwice }
  }

  /// Paths that are withheld from ArgumentParser, because its parsing time grows with the square of the number of
  /// arguments.
  private static let otherKeys = Mutex<[String]>([])

  /// Removes all but the first 64 paths from a long list of arguments. ``run()`` appends the removed paths again.
  static func takeKeys(from arguments: inout [String]) {
    guard arguments.count > 512 else { return }
    let optionsWithValue: Set<String> = [
      "--default", "-f", "--format", "--expect", "--from", "--name", "--jobs", "-o", "--outfile", "--outfolder",
      "--extension",
    ]
    var (kept, keys): ([String], [String]) = ([], [])
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else {
        kept += [argument] + rest
        break
      }
      if argument == "-k" || argument == "--key", let path = rest.first {
        keys.append(path)
        if keys.count <= 64 { kept += [argument, path] }
        rest = rest.dropFirst()
      } else {
        kept.append(argument)
        if optionsWithValue.contains(argument), let value = rest.popFirst() { kept.append(value) }
      }
    }
    otherKeys.withLock { $0 = Array(keys.dropFirst(64)) }
    arguments = kept
  }

  func run() throws {
    var files = files
    if key.isEmpty, let first, let file = files.files.first, file != "-", !FileSystem.exists(file),
      FileSystem.exists(first)
    {
      throw ValidationError(
        "The path of the value comes before the file: plistutil get \(file.printable()) \(first.printable())")
    }
    // Without --key, the first argument is the path.
    if !key.isEmpty, let first { files.files.insert(first, at: 0) }
    let keys = key + Self.otherKeys.withLock { $0 }
    let paths = try (keys.isEmpty ? [first ?? ""] : keys).map { (text: $0, path: try PropertyListKeyPath.argument($0)) }
    try files.process(to: destination, isForMachines: isForMachines) {
      [self] input, report throws(PropertyListError) in
      let document = try unwrap.isGiven ? unwrap.file(input, reading) : reading.mappedDocument(input)
      do throws(PropertyListError) { try take(paths, from: document, input, &report) } catch {
        // A circular reference also exceeds the limit. If the document has one, this throws that error instead.
        if error.kind == .limitExceeded { try document.validate() }
        throw error
      }
    }
  }

  /// The text of a path argument, and the path.
  private typealias Path = (text: String, path: PropertyListKeyPath)

  private func take(
    _ paths: [Path], from document: PropertyListDocument, _ input: Input, _ report: inout FileReport
  ) throws(PropertyListError) {
    var lookup = unwrap.isGiven ? UnwrappedLookup(document) : nil
    defer { if let unwrapped = lookup { unwrap.reportUnreadable(of: unwrapped.unwrapper, input, &report) } }
    if let format {
      guard let path = paths.first?.path, let node = try node(at: path, in: document, &lookup) else { return }
      return try writing.write(node, format, coerces: reading.coerce, for: input, to: destination, &report)
    }
    if isForMachines {
      var values: [PropertyList] = []
      for (_, path) in paths {
        values.append(try node(at: path, in: document, &lookup).map(PropertyList.init) ?? .string(`default` ?? ""))
      }
      guard !key.isEmpty else { return try report.machineLine(["value": values[0]]) }
      var fields: PropertyList = [:]
      for ((text, _), value) in zip(paths, values) { fields.dictionary?[text] = value }
      return try report.machineLine(["values": fields])
    }
    // Nothing is printed until all values have been found.
    var output = Data()
    for (_, path) in paths {
      let node = try node(at: path, in: document, &lookup)
      output += try text(of: node, at: path, input, report)
    }
    try destination.write(output, for: input, to: &report)
  }

  /// Returns the value at a path. If the value does not exist, returns nil with --default, and throws without it. Also
  /// throws if the value is not of the kind that --expect names.
  private func node(
    at path: PropertyListKeyPath, in document: PropertyListDocument, _ lookup: inout UnwrappedLookup?
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    let node: PropertyListDocument.Node
    do throws(PropertyListError) {
      var unwrapped: PropertyListDocument.Node?
      do throws(KeyedArchiveError) { unwrapped = try lookup?.value(at: path) } catch { throw PropertyListError(error) }
      node = if let unwrapped { unwrapped } else { try document.root.descendant(at: path) }
    } catch {
      guard error.kind == .noSuchValue, `default` != nil else { throw error }
      return nil
    }
    try expected.check(node, at: path)
    return node
  }

  /// Returns the output for a value without --format. If `node` is nil, the output is the text of --default.
  private func text(
    of node: PropertyListDocument.Node?, at path: PropertyListKeyPath, _ input: Input, _ report: borrowing FileReport
  ) throws(PropertyListError) -> Data {
    let isPrinted = destination.target(input) == .standardOutput
    if let node, node.kind == .array || node.kind == .dictionary {
      var form = DescriptionOptions()
      form.sortsKeys = writing.sort
      let text = try node.readableForm(form)
      return raw0 ? text.dropLast() + [0] : Data((isPrinted ? report.heading : "").utf8) + text
    }
    let text =
      try node.map { (node) throws(PropertyListError) in try PropertyList(node).rawText ?? "" } ?? `default` ?? ""
    guard !raw0 else {
      guard !text.utf8.contains(0) else {
        throw PropertyListError(
          .notRepresentable, "the string contains a NUL, which --raw0 uses as the end of a value", keyPath: path)
      }
      return Data(text.utf8) + [0]
    }
    let line = isPrinted ? report.prefix + text.onStandardOutput : text
    return Data((line + (omitsNewline ? "" : "\n")).utf8)
  }
}
