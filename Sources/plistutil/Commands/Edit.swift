import ArgumentParser
import PropertyLists

/// The path and the value of a verb that puts a value somewhere.
struct ValueEdit: ParsableArguments {
  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var edit: EditArguments
  @OptionGroup(title: "Values") var value: ValueArguments

  func validate() throws {
    if value.isMissing { throw ValidationError("A value is missing, such as --string TEXT or --integer N.") }
    if value.hasStandardInput, edit.files.haveStandardInput { throw Input.readTwice }
  }

  func run(_ kind: (PropertyList, PropertyListKeyPath) -> PropertyListEdit) throws {
    guard let value = try value.value() else { return }
    try edit.make(kind(value, path))
  }
}

struct SetValue: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Put a value at a path, in the place of the one that is there or as a new one.",
    discussion: """
      Dictionaries that are missing on the way are made. The index that is the count of an array appends to it.

      \(EditArguments.help)

      \(KeyPathHelp.text)

      Example: plistutil set CFBundleVersion --string 42 --in-place Info.plist
      """)

  @OptionGroup var edit: ValueEdit

  func run() throws {
    try edit.run(PropertyListEdit.set)
  }
}

struct Insert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "insert",
    abstract: "Insert a value under a new key, or into an array before an index.",
    discussion: """
      A key that is there already is an error. The index that is the count of an array appends to it.

      \(EditArguments.help)

      \(KeyPathHelp.text)

      Example: plistutil insert UIBackgroundModes.0 --string audio --in-place Info.plist
      """)

  @OptionGroup var edit: ValueEdit

  func run() throws {
    try edit.run(PropertyListEdit.insert)
  }
}

struct Replace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Replace the value at a path, which has to be there.",
    discussion: """
      \(EditArguments.help)

      \(KeyPathHelp.text)

      Example: plistutil replace items.1 --integer 9 --in-place Data.plist
      """)

  @OptionGroup var edit: ValueEdit

  func run() throws {
    try edit.run(PropertyListEdit.replace)
  }
}

struct Append: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "append",
    abstract: "Append a value to the array at a path.",
    discussion: """
      \(EditArguments.help)

      \(KeyPathHelp.text)

      Example: plistutil append UIBackgroundModes --string audio --in-place Info.plist
      """)

  @OptionGroup var edit: ValueEdit

  func run() throws {
    try edit.run(PropertyListEdit.append)
  }
}

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove the value at a path.",
    discussion: """
      \(EditArguments.help)

      \(KeyPathHelp.text)

      Example: plistutil remove items.0 --in-place Data.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var edit: EditArguments

  func run() throws {
    try edit.make(.remove(at: path))
  }
}
