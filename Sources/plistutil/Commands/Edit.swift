import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

/// The operation of a verb that writes a value into a file, such as `set` or `append`, and its texts for the help.
protocol ValueEdit {
  static var name: String { get }
  static var abstract: String { get }
  /// The text of the help before the explanation of editing.
  static var discussion: String { get }
  static var example: String { get }
  /// The dictionary in the example with several values.
  static var severalExample: String { get }
  /// The path in an example.
  static var examplePath: String { get }

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit
}

/// A verb that writes a value into a file.
struct ValueVerb<Edit: ValueEdit>: EditingVerb {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      verb: Edit.name,
      abstract: Edit.abstract,
      discussion: """
        \(Edit.discussion)\(EditingHelp.text)

        To change several values, use --values with a dictionary whose keys are the paths of the values; then all \
        arguments are files. If one of the changes is an error, the file stays as it is.

        \(KeyPathHelp.text)

        Examples:
          plistutil \(Edit.example)
          plistutil \(Edit.name) --values '\(Edit.severalExample)' --in-place Info.plist
          plistutil \(Edit.name) \(Edit.examplePath) --string '${HOME}/Library' --env --in-place Info.plist
        """)
  }

  @Argument(
    help: ArgumentHelp(
      "The path of the value, such as items.0.name; '' is the whole file. With --values, a file.", valueName: "path"))
  var first: String?

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination
  @OptionGroup(title: "Values") var value: ValueArguments
  @OptionGroup(title: "Values") var environment: EnvironmentArgument

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Several values: a dictionary in JSON, XML or OpenStep. Each key is the path of its value.", valueName: "text"))
  var values: String?

  @Option(file: "Several values in FILE, in any format.", "file")
  var valuesFile: String?

  private var areSeveral: Bool { values != nil || valuesFile != nil }

  func validate() throws {
    if areSeveral {
      if values != nil, valuesFile != nil { throw ValidationError("--values cannot be combined with --values-file.") }
      if value.isGiven { throw ValidationError("--values and --values-file cannot be combined with another value.") }
    } else {
      guard let first else { throw ValidationError("No path is given.") }
      _ = try PropertyListKeyPath.argument(first)
    }
    let fileCount = files.files.count + (areSeveral && first != nil ? 1 : 0)
    let readsInput = files.files.contains("-") || fileCount == 0 || areSeveral && first == "-"
    if value.hasStandardInput || valuesFile == "-", readsInput { throw Input.readTwice }
  }

  func run() throws {
    // Changes are parsed only now, so that an unknown option is reported first.
    let changes = try changes()
    var verb = self
    // With --values, the first argument is a file.
    if areSeveral, let first { verb.files.files.insert(first, at: 0) }
    try verb.edit { document, options throws(PropertyListError) in
      for change in changes { try change.check(in: document) }
      if let change = changes.first, changes.count == 1 { return try document.edited(by: change, options: options) }
      var tree = try PropertyList(document.root)
      for change in changes { try tree.apply(change) }
      return EditedBytes(try document.data(updatedTo: tree, options: options))
    }
  }

  /// The changes that the arguments describe, in their order.
  private func changes() throws -> [PropertyListEdit] {
    guard areSeveral else {
      guard let value = try value.value(reading) else {
        throw ValidationError("A value is missing, such as --string TEXT or --integer N.")
      }
      let path = try PropertyListKeyPath.argument(first ?? "")
      return [Edit.edit(try validating { () throws(PropertyListError) in try environment.expanded(value) }, at: path)]
    }
    let several = try telling(about: valuesFile.map { Input($0).name } ?? "--values") {
      () throws(PropertyListError) in
      let value =
        if let valuesFile {
          try ValueArguments.value(inFile: valuesFile, reading)
        } else {
          try PropertyList(Data(ProgramArguments.text(values ?? "").utf8), options: .init(restoresCoercedValues: true))
        }
      return try environment.expanded(value)
    }
    guard case .dictionary(let entries) = several else {
      throw ValidationError("--values must be a dictionary whose keys are paths, such as '\(Edit.severalExample)'.")
    }
    return try entries.map { Edit.edit($1, at: try PropertyListKeyPath.argument($0)) }
  }
}

extension PropertyListEdit {
  /// Throws if a scalar would replace the whole file.
  fileprivate func check(in document: PropertyListDocument) throws(PropertyListError) {
    switch self {
    case .set(let value, let path), .replace(let value, let path):
      guard path.components.isEmpty, !value.kind.isContainer, document.root.kind.isContainer else { return }
      throw PropertyListError(
        .wrongKind,
        "the path is empty: the whole file would become one \(KindName(value.kind).name); use create --force")
    default: break
    }
  }
}

enum SetEdit: ValueEdit {
  static let name = "set"
  static let abstract = "Set the value at a path, or add it if it is missing."
  static let discussion =
    "Missing dictionaries on the path are created. An index equal to the count of an array appends to it.\n\n"
  static let example = "set CFBundleVersion --string 42 --in-place Info.plist"
  static let severalExample = #"{"CFBundleVersion": "42", "UIDeviceFamily.0": 1}"#
  static let examplePath = "DataFolder"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .set(value, at: path) }
}

enum InsertEdit: ValueEdit {
  static let name = "insert"
  static let abstract = "Insert a value under a new key, or into an array before an index."
  static let discussion =
    "It is an error if the key exists already. An index equal to the count of an array appends to it.\n\n"
  static let example = "insert UIBackgroundModes.0 --string audio --in-place Info.plist"
  static let severalExample = #"{"UIBackgroundModes.0": "audio", "UIFileSharingEnabled": true}"#
  static let examplePath = "DataFolder"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .insert(value, at: path) }
}

enum ReplaceEdit: ValueEdit {
  static let name = "replace"
  static let abstract = "Replace the value at a path; it must exist."
  static let discussion = ""
  static let example = "replace items.1 --integer 9 --in-place Data.plist"
  static let severalExample = #"{"items.0": 8, "items.1": 9}"#
  static let examplePath = "DataFolder"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit {
    .replace(value, at: path)
  }
}

enum AppendEdit: ValueEdit {
  static let name = "append"
  static let abstract = "Append a value to the array at a path."
  static let discussion = ""
  static let example = "append UIBackgroundModes --string audio --in-place Info.plist"
  static let severalExample = #"{"UIBackgroundModes": "audio", "UIDeviceFamily": 2}"#
  static let examplePath = "DataFolders"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .append(value, at: path) }
}

struct Remove: EditingVerb {
  static let configuration = CommandConfiguration(
    verb: "remove",
    abstract: "Remove the value at a path.",
    discussion: """
      \(EditingHelp.text)

      \(KeyPathHelp.text)

      Examples:
        plistutil remove items.0 --in-place Data.plist
        plistutil remove UIRequiresFullScreen --if-present --in-place -r Payload/
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination

  @Flag(help: "Do not fail if there is nothing at the path.")
  var ifPresent = false

  func run() throws {
    try edit { [path, ifPresent] document, options throws(PropertyListError) in
      do throws(PropertyListError) { return try document.edited(by: .remove(at: path), options: options) } catch {
        guard ifPresent, error.kind == .noSuchValue else { throw error }
        return EditedBytes(document.original)
      }
    }
  }
}
