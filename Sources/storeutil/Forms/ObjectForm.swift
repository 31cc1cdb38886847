import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SystemFiles
import ToolSupport

/// The output forms for objects.
enum ObjectForm {
  case json, csv, plist, table

  /// True if to-many relationships are printed by default.
  var includesToMany: Bool { self == .json || self == .plist }
}

/// A writer that prints objects one by one.
protocol ObjectWriter {
  /// Prints an object.
  ///
  /// - Parameters:
  ///   - values: a value for each column; nil if the object does not have the property.
  ///   - key: the row key of the object; nil for a group of objects.
  mutating func write(_ values: [PropertyList?], of key: RowKey?) throws(PropertyListError)
  /// Prints the remaining output.
  mutating func finish() throws(PropertyListError)
}

/// The options for the output form.
struct FormArguments: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print a JSON array. This is the default if the output is not a terminal.")
  var isJSON = false

  @Flag(name: .customLong("csv"), help: "Print comma-separated values (RFC 4180), with the keys on the first line.")
  var isCSV = false

  @Flag(
    name: .customLong("plist"),
    help: """
      Print a property list in XML, without null values. plistutil convert -f binary - converts it to a binary one.
      """)
  var isPropertyList = false

  @Flag(name: PlainArgument.name, help: PlainArgument.help)
  var isPlain = false

  @Option(
    help: ArgumentHelp(
      "Print dates in the time zone ZONE, with the offset from UTC. ZONE is local, a name such as Europe/Berlin, or an "
        + "offset such as +02:00. For tables, --csv and --plain.", valueName: "zone"))
  var timeZone: LocalTime?

  @Option(
    help: ArgumentHelp(
      "In CSV, join the elements of an array with TEXT, such as ';'. Without it, arrays are JSON. No element may "
        + "contain TEXT.", valueName: "text"))
  var listSeparator: String?

  func validate() throws {
    if [isJSON, isCSV, isPropertyList].count(where: { $0 }) > 1 {
      throw ValidationError("--json, --csv and --plist cannot be combined.")
    }
    if listSeparator != nil, !isCSV { throw ValidationError("--list-separator works only with --csv.") }
    if listSeparator == "" { throw ValidationError("--list-separator needs at least one character.") }
    if isPlain, isCSV || isPropertyList { throw ValidationError("--plain works only with JSON.") }
    if timeZone != nil, form == .plist || form == .json && !isPlain {
      throw ValidationError(
        "--time-zone works only for tables, --csv and --plain: other forms do not contain local times.")
    }
  }

  /// Returns a writer for objects of a model.
  func writer(_ columns: [String], _ model: ManagedObjectModel) -> any ObjectWriter {
    switch form {
    case .json:
      JSONObjectWriter(
        columns: columns,
        output: ListOutput(isJSON: true, plain: isPlain ? PlainForm(timeZone: timeZone) : nil))
    case .csv: CSVObjectWriter(columns: columns, model: model, listSeparator: listSeparator, timeZone: timeZone)
    case .plist: PropertyListObjectWriter(columns: columns, model: model)
    case .table: TableObjectWriter(columns: columns, timeZone: timeZone)
    }
  }

  var form: ObjectForm {
    if isCSV { return .csv }
    if isPropertyList { return .plist }
    return isJSON || !FileSystem.isTerminal(1) ? .json : .table
  }
}

/// A buffer that prints text in large pieces.
struct BufferedOutput {
  private var bytes = Data()

  mutating func write(_ text: String) throws(PropertyListError) { try write(Data(text.utf8)) }

  mutating func write(_ data: Data) throws(PropertyListError) {
    bytes.append(data)
    if bytes.count >= 1 << 16 { try flush() }
  }

  mutating func flush() throws(PropertyListError) {
    if bytes.isEmpty { return }
    try output(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}

/// A writer that prints elements as they are found, as a JSON array or as lines.
struct ListOutput {
  let isJSON: Bool
  /// The plain form of values; nil for the form that can be read back.
  let plain: PlainForm?
  /// The text before the first element in JSON.
  var beginning = "["
  private(set) var isEmpty = true
  var buffer = BufferedOutput()
  private(set) var failure: PropertyListError?

  /// Writes an element.
  ///
  /// - Parameter line: the line for the element if the output is not JSON.
  mutating func write(
    _ element: @autoclosure () -> PropertyList, line: @autoclosure () throws(PropertyListError) -> String = ""
  ) throws(PropertyListError) {
    if isJSON {
      let json = try element().compactJSON(plain)
      try buffer.write(isEmpty ? beginning + "\n" : ",\n")
      try buffer.write(json)
    } else {
      try buffer.write(line() + "\n")
    }
    isEmpty = false
  }

  /// Writes an element, and keeps an error instead of throwing it. After an error, nothing more is written, and
  /// ``finish(_:)`` throws the error.
  mutating func writeKeepingError(_ element: @autoclosure () -> PropertyList, line: @autoclosure () -> String) {
    if failure != nil { return }
    do { try write(element(), line: line()) } catch { failure = error }
  }

  /// Ends the output. Throws the error of ``writeKeepingError(_:line:)``, if there was one.
  ///
  /// - Parameter end: the text after the last element. By default, the end of the JSON array, or nothing for lines.
  mutating func finish(_ end: String? = nil) throws(PropertyListError) {
    if let failure { throw failure }
    if isJSON { try buffer.write(isEmpty ? beginning : "\n") }
    try buffer.write(end ?? (isJSON ? "]\n" : ""))
    try buffer.flush()
  }
}

/// Writes a JSON array with one object on each line.
private struct JSONObjectWriter: ObjectWriter {
  let columns: [String]
  var output: ListOutput

  mutating func write(_ values: [PropertyList?], of key: RowKey?) throws(PropertyListError) {
    var object = OrderedDictionary<String, PropertyList>(minimumCapacity: columns.count)
    for (column, value) in zip(columns, values) { if let value { object[column] = value } }
    try output.write(.dictionary(object))
  }

  mutating func finish() throws(PropertyListError) { try output.finish() }
}

/// Collects all objects, and then writes them as one property list in XML.
private struct PropertyListObjectWriter: ObjectWriter {
  let columns: [String]
  let model: ManagedObjectModel
  var objects: [PropertyList] = []
  var keys: [RowKey?] = []

  mutating func write(_ values: [PropertyList?], of key: RowKey?) throws(PropertyListError) {
    var object: OrderedDictionary<String, PropertyList> = [:]
    for (column, value) in zip(columns, values) {
      if let value, value != .null { object[column] = value.withoutNulls }
    }
    objects.append(.dictionary(object))
    keys.append(key)
  }

  mutating func finish() throws(PropertyListError) {
    let options = PropertyListWritingOptions(depth: ParsingLimits.greatestDepth, fractionalSeconds: .drop)
    let data: Data
    do { data = try PropertyList.array(objects).data(format: .xml, options: options) } catch { throw named(error) }
    try output(FileSystem.isTerminal(1) ? Data(String(decoding: data, as: UTF8.self).withoutCommands.utf8) : data)
  }

  /// Returns an error with the ID of the object instead of its index.
  private func named(_ error: PropertyListError) -> PropertyListError {
    guard let path = error.keyPath?.components, path.count > 1, case .index(let index) = path[0],
      keys.indices.contains(index)
    else { return error }
    let subject = keys[index].subject(model)
    let location = PropertyListKeyPath(Array(path[1...])).description.printable(limit: 200)
    let hint = error.kind == .notRepresentable ? "; --json and --csv can print values that XML does not allow" : ""
    return PropertyListError(error.kind, "\(subject) \(location): \(error.message)\(hint)")
  }
}

extension RowKey? {
  /// Returns the object ID as the subject of an error message, or `a group:` if there is no key.
  func subject(_ model: ManagedObjectModel) -> String {
    map { ManagedObjectID($0, model: model, storeIdentifier: nil).description } ?? "a group:"
  }
}

extension PropertyList {
  /// The value, with null elements removed from arrays.
  fileprivate var withoutNulls: PropertyList {
    if case .array(let elements) = self { .array(elements.filter { $0 != .null }.map(\.withoutNulls)) } else { self }
  }
}
