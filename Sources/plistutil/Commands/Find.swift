import ArgumentParser
import FoundationEssentials
import PropertyLists
import Synchronization
import SystemFiles
import ToolSupport

struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "find",
    abstract: "Print the paths of values.",
    discussion: """
      The printed values are those that meet all conditions; without conditions, all values except the container that \
      is the whole file. Patterns use *, ? and [a-z] as in the shell. The exit code is 1 if nothing is found.

      \(Condition.help)

      The printed paths can be passed to get, set and other verbs. For several files, each line begins with the name \
      of the file.

      With --unwrap, values in archives that are nested in data are found too; their paths are those of get --unwrap.

      Examples:
        plistutil find Info.plist
        plistutil find --key 'CFBundle*Version*' --values -r Payload/
        plistutil find --kind date --path 'items.*.**' Data.plist
        plistutil find -r Apps/ --where 'key = NSAllowsArbitraryLoads and value = true'
        plistutil find --unwrap --key 'NSRGB' --values -r Library/Preferences/
        plistutil find -r Apps/ --where 'value.CFBundleIdentifier ~ com.example.* and not kind.UIDeviceFamily = array'
        plistutil find -r Apps/ --where 'key BEGINSWITH[c] "ns" and value CONTAINS[cd] "camera"'
        plistutil find Orders.plist --where 'ANY value.items.price > 100 and value.items.@count BETWEEN {2, 5}'
        plistutil find Data.plist --where 'SUBQUERY(value.tags, $t, $t MATCHES "v[0-9]+").@count > 0'
      """)

  enum SyntaxName: String, ExpressibleByArgument, CaseIterable {
    case dots, slashes, colons

    var syntax: PropertyListKeyPath.Syntax {
      switch self {
      case .dots: .dots
      case .slashes: .slashes
      case .colons: .colons
      }
    }
  }

  @OptionGroup var files: FileArguments

  @Option(parsing: .unconditional, help: ArgumentHelp("The key matches PATTERN.", valueName: "pattern"))
  var key: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The value is a scalar whose text, as printed by get, matches PATTERN.", valueName: "pattern"))
  var value: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The key or the text of the value contains TEXT.", valueName: "text"))
  var contains: String?

  @Option(help: ArgumentHelp("The value is of this kind.", valueName: "kind"))
  var kind: KindName?

  @Option(
    help: ArgumentHelp("The path matches PATTERN; ** matches any number of components.", valueName: "pattern"),
    transform: PathPattern.argument)
  var path: PathPattern?

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      "EXPRESSION is true for the value, which may be the whole file.", valueName: "expression"),
    transform: Condition.argument)
  var condition: Condition?

  @Option(help: ArgumentHelp("The syntax of the printed paths.", valueName: "syntax"))
  var syntax = SyntaxName.dots

  @Flag(help: "Print the values too, on the same line.")
  var values = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each value.")
  var isForMachines = false

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ReadingArguments

  func run() throws {
    let found = Mutex(false)
    try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
      let document = try unwrap.isGiven ? unwrap.document(input, reading, &report) : reading.document(input)
      let prefix = report.prefix
      var lines = Data()
      // Each path repeats the keys of all containers around its value, so a small file could have a very large output.
      var room = WorkBudget(document.expandedByteLimit)
      try forEachMatch(in: document) { path, node throws(PropertyListError) in
        found.withLock { $0 = true }
        let line = try line(path, node, input, prefix)
        guard room.spend(line.count - prefix.utf8.count) else {
          throw PropertyListError(
            .limitExceeded, "the found paths and values have more than \(room.limit) bytes")
        }
        lines += line
        guard lines.count > Self.greatestChunk else { return }
        try report.write(lines)
        lines = Data()
      }
      try report.write(lines)
    }
    if !found.withLock({ $0 }) { throw ExitCode(ExitCodes.noSuchValue) }
  }

  /// The number of bytes that are collected before they are written.
  private static let greatestChunk = 1 << 16

  private func line(
    _ path: PropertyListKeyPath, _ node: PropertyListDocument.Node, _ input: Input, _ prefix: String
  ) throws(PropertyListError) -> Data {
    let text = path.text(syntax.syntax)
    guard isForMachines else {
      // The empty path of the root is shown as a slash.
      let shown = text.isEmpty ? "/" : text
      return Data((prefix + shown + (values ? ": \(try PropertyList(node).line)" : "") + "\n").utf8)
    }
    var fields: PropertyList = [
      "file": .string(input.machineName), "path": .string(text), "type": .string(KindName(node.kind).name),
    ]
    if values { fields.dictionary?["value"] = try PropertyList(node) }
    return try FileReport.machineData(fields)
  }

  private func forEachMatch(
    in document: PropertyListDocument,
    _ body: (PropertyListKeyPath, PropertyListDocument.Node) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    var walk = NodeWalk(document.root)
    let condition = condition?.prepared(for: document)
    // The state of the comparison with the `--path` pattern, for each level of the current path, from the root on.
    var states = [path?.start ?? []]
    while let node = try walk.next() {
      if let path, let component = walk.path.last {
        states.removeLast(states.count - walk.path.count)
        let state = path.next(states[walk.path.count - 1], component)
        states.append(state)
        if state.isEmpty {
          walk.skipChildren()
          continue
        }
        guard path.isMatch(state) else { continue }
      } else if let path, !path.isMatch(states[0]) {
        continue
      }
      if condition == nil, walk.path.isEmpty, node.kind == .array || node.kind == .dictionary { continue }
      if let condition, try !condition.holds(for: node, at: walk.path) { continue }
      if try matches(node, walk.path.last) { try body(PropertyListKeyPath(walk.path), node) }
    }
  }

  private func matches(
    _ node: PropertyListDocument.Node, _ component: PropertyListKeyPath.Component?
  ) throws(PropertyListError) -> Bool {
    if let kind, node.kind != kind.kind { return false }
    // An index is not a key.
    let name: String? = if case .key(let key)? = component { key } else { nil }
    if let key {
      guard let name, FileSystem.matches(name, pattern: key) else { return false }
    }
    guard value != nil || contains != nil else { return true }
    let text = node.kind == .array || node.kind == .dictionary ? nil : try PropertyList(node).rawText
    if let value {
      guard let text, FileSystem.matches(text, pattern: value) else { return false }
    }
    if let contains { return name?.contains(contains) == true || text?.contains(contains) == true }
    return true
  }
}
