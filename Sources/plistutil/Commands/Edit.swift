import ArgumentParser
import PropertyListTools
import PropertyLists
import ToolSupport

/// What one of the verbs does that put a value somewhere.
protocol ValueEdit {
  static var name: String { get }
  static var abstract: String { get }
  /// What the help says before it explains editing.
  static var discussion: String { get }
  static var example: String { get }

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit
}

/// A verb that puts a value somewhere.
struct ValueVerb<Edit: ValueEdit>: EditingVerb {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      verb: Edit.name,
      abstract: Edit.abstract,
      discussion: """
        \(Edit.discussion)\(EditingHelp.text)

        \(KeyPathHelp.text)

        Example: plistutil \(Edit.example)
        """)
  }

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination
  @OptionGroup(title: "Values") var value: ValueArguments

  func validate() throws {
    if value.hasStandardInput, files.haveStandardInput { throw Input.readTwice }
  }

  func run() throws {
    // Only now, so that an option that does not exist is named first.
    guard let value = try value.value(reading) else {
      throw ValidationError("A value is missing, such as --string TEXT or --integer N.")
    }
    let change = Edit.edit(value, at: path)
    let takesPlace =
      switch change {
      case .set, .replace: path.components.isEmpty && !value.kind.isContainer
      default: false
      }
    try edit { document, options throws(PropertyListError) in
      if takesPlace, document.root.kind.isContainer {
        throw PropertyListError(
          .wrongKind,
          "the path is empty: all of the file would become one \(KindName(value.kind).name); create --force does that")
      }
      return try document.edited(by: change, options: options)
    }
  }
}

enum SetEdit: ValueEdit {
  static let name = "set"
  static let abstract = "Put a value at a path, in the place of the one that is there or as a new one."
  static let discussion =
    "Dictionaries that are missing on the way are made. The index that is the count of an array appends to it.\n\n"
  static let example = "set CFBundleVersion --string 42 --in-place Info.plist"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .set(value, at: path) }
}

enum InsertEdit: ValueEdit {
  static let name = "insert"
  static let abstract = "Insert a value under a new key, or into an array before an index."
  static let discussion =
    "A key that is there already is an error. The index that is the count of an array appends to it.\n\n"
  static let example = "insert UIBackgroundModes.0 --string audio --in-place Info.plist"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .insert(value, at: path) }
}

enum ReplaceEdit: ValueEdit {
  static let name = "replace"
  static let abstract = "Replace the value at a path, which has to be there."
  static let discussion = ""
  static let example = "replace items.1 --integer 9 --in-place Data.plist"

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit {
    .replace(value, at: path)
  }
}

enum AppendEdit: ValueEdit {
  static let name = "append"
  static let abstract = "Append a value to the array at a path."
  static let discussion = ""
  static let example = "append UIBackgroundModes --string audio --in-place Info.plist"

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

  @Flag(help: "It is no error if there is nothing at the path.")
  var ifPresent = false

  func run() throws {
    try edit { [path, ifPresent] document, options throws(PropertyListError) in
      do throws(PropertyListError) {
        return try document.edited(by: .remove(at: path), options: options)
      } catch {
        guard ifPresent, error.kind == .noSuchValue else { throw error }
        return EditedBytes(document.original)
      }
    }
  }
}
