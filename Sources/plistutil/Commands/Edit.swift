import ArgumentParser
import PropertyLists

/// A verb that puts a value somewhere.
protocol ValueVerb: EditingVerb {
  var path: PropertyListKeyPath { get }
  var value: ValueArguments { get }

  /// What the verb does.
  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit
}

extension ValueVerb {
  func validate() throws {
    if value.isMissing { throw ValidationError("A value is missing, such as --string TEXT or --integer N.") }
    if value.hasStandardInput, files.haveStandardInput { throw Input.readTwice }
  }

  func run() throws {
    guard let value = try value.value() else { return }
    try make(Self.edit(value, at: path))
  }
}

struct SetValue: ValueVerb {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Put a value at a path, in the place of the one that is there or as a new one.",
    discussion: """
      Dictionaries that are missing on the way are made. The index that is the count of an array appends to it.

      \(EditingHelp.text)

      \(KeyPathHelp.text)

      Example: plistutil set CFBundleVersion --string 42 --in-place Info.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination
  @OptionGroup(title: "Values") var value: ValueArguments

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .set(value, at: path) }
}

struct Insert: ValueVerb {
  static let configuration = CommandConfiguration(
    commandName: "insert",
    abstract: "Insert a value under a new key, or into an array before an index.",
    discussion: """
      A key that is there already is an error. The index that is the count of an array appends to it.

      \(EditingHelp.text)

      \(KeyPathHelp.text)

      Example: plistutil insert UIBackgroundModes.0 --string audio --in-place Info.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination
  @OptionGroup(title: "Values") var value: ValueArguments

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .insert(value, at: path) }
}

struct Replace: ValueVerb {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Replace the value at a path, which has to be there.",
    discussion: """
      \(EditingHelp.text)

      \(KeyPathHelp.text)

      Example: plistutil replace items.1 --integer 9 --in-place Data.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination
  @OptionGroup(title: "Values") var value: ValueArguments

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit {
    .replace(value, at: path)
  }
}

struct Append: ValueVerb {
  static let configuration = CommandConfiguration(
    commandName: "append",
    abstract: "Append a value to the array at a path.",
    discussion: """
      \(EditingHelp.text)

      \(KeyPathHelp.text)

      Example: plistutil append UIBackgroundModes --string audio --in-place Info.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination
  @OptionGroup(title: "Values") var value: ValueArguments

  static func edit(_ value: PropertyList, at path: PropertyListKeyPath) -> PropertyListEdit { .append(value, at: path) }
}

struct Remove: EditingVerb {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove the value at a path.",
    discussion: """
      \(EditingHelp.text)

      \(KeyPathHelp.text)

      Example: plistutil remove items.0 --in-place Data.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments
  @OptionGroup var destination: Destination

  func run() throws {
    try make(.remove(at: path))
  }
}
